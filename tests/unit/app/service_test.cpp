#include "app/service.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/log.h"
#include "fakes/login.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"

namespace svc::app {
namespace {

// A service whose store is at a path where nobody listens.
class ServiceOf : public testing::Test {
 protected:
  ServiceOf() {
    base::log::set_level(base::log::Level::Off);
    options_.redis_state.path = directory_.path("nobody.sock");
    options_.site.service_domain = "media.example";
    options_.site.embed_host = "https://embed.example";
    secrets_.keys = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  }
  static int status(Service& service, std::string_view path, std::string_view query = "") {
    http::Request request;
    request.method = "GET";
    request.path = path;
    request.query = query;
    return service.router().answer(request).status;
  }

  fakes::TemporaryDirectory directory_;
  fakes::ManualClock clock_;
  Options options_;
  Secrets secrets_;
  fakes::CountedPermits permits_;
};

TEST_F(ServiceOf, P1EmbedAnswersOembedAtFourPaths) {
  options_.roles = {true, false, false};
  Service service(options_, secrets_, permits_, clock_);
  for (const std::string_view path : {"/oembed", "/oembed/", "/oembed.json", "/oembed.xml"}) {
    EXPECT_NE(service.router().find(path), nullptr) << path;
    EXPECT_EQ(status(service, path, "url=nothing"), 404);
  }
}

TEST_F(ServiceOf, P1OtherRolesDoNotAnswerOembed) {
  for (const Roles roles : {Roles{false, true, false}, Roles{false, false, true}}) {
    options_.roles = roles;
    Service service(options_, secrets_, permits_, clock_);
    EXPECT_EQ(service.router().find("/oembed"), nullptr) << roles.to_text();
    EXPECT_NE(service.router().find("/healthz"), nullptr);
    EXPECT_NE(service.router().find("/readyz"), nullptr);
  }
}

TEST_F(ServiceOf, P9AnswersHealthWithoutItsStoreAndReadinessOnlyWithIt) {
  Service service(options_, secrets_, permits_, clock_);
  EXPECT_EQ(status(service, "/healthz"), 200);
  EXPECT_EQ(status(service, "/readyz"), 503);
}

TEST_F(ServiceOf, Answers503ForAMediaWhoseStoreIsAway) {
  Service service(options_, secrets_, permits_, clock_);
  http::Request request;
  request.method = "GET";
  request.path = "/oembed";
  request.query = "url=https://media.example/medias/abc";
  service.router().prepare(request);
  EXPECT_EQ(service.router().answer(request).status, 503);
  service.settle();
}

TEST_F(ServiceOf, ReadsTheStoresPasswordFromTheFirstLineOfAFile) {
  const auto password = [&](std::string_view content) {
    options_.redis_password_file = directory_.write("password", content);
    return read_redis_password(options_);
  };
  EXPECT_EQ(*password("hunter2\n"), "hunter2");
  EXPECT_EQ(*password("hunter2"), "hunter2");
  EXPECT_EQ(*password("hunter2\r\nmore\n"), "hunter2");
  EXPECT_EQ(*password(" with spaces \n"), " with spaces ");
  EXPECT_FALSE(password(""));
  EXPECT_FALSE(password("\n"));
  options_.redis_password_file = directory_.path("nothing");
  const auto missing = read_redis_password(options_);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().find(directory_.path("nothing")), std::string::npos);
  options_.redis_password_file.clear();
  EXPECT_EQ(*read_redis_password(options_), "");
}

TEST_F(ServiceOf, ConnectsToTheStoreAsConfigured) {
  options_.redis_user = "svc";
  options_.redis_timeout = std::chrono::milliseconds(123);
  const redis::ConnectionSettings settings =
      state_connection(options_, "secret", "svc-worker:embed");
  EXPECT_EQ(settings.address.path, directory_.path("nobody.sock"));
  EXPECT_EQ(settings.username, "svc");
  EXPECT_EQ(settings.password, "secret");
  EXPECT_EQ(settings.name, "svc-worker:embed");
  EXPECT_EQ(settings.timeout, std::chrono::milliseconds(123));
}

}  // namespace
}  // namespace svc::app
