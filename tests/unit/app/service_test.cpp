#include "app/service.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/routes.h"
#include "base/log.h"
#include "fakes/headers.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"

namespace svc::app {
namespace {

// A service whose store is at a path where no process listens.
class ServiceOf : public testing::Test {
 protected:
  ServiceOf() {
    base::log::set_level(base::log::Level::Off);
    options_.redis_state.path = directory_.path("nobody.sock");
    options_.site.service_domain = "media.example";
    options_.site.embed_host = "https://embed.example";
    secrets_.keys = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  }
  int status(Service& service, std::string_view path, std::string_view query = "") {
    http::Request request;
    request.method = "GET";
    request.path = path;
    request.query = query;
    return loop_.run_until_done(service.router().answer(request)).status;
  }

  std::string write_secret(std::string_view name, std::string_view content,
                           mode_t mode = 0600) const {
    const std::string path = directory_.write(name, content);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }

  fakes::TemporaryDirectory directory_;
  fakes::ManualClock clock_;
  loop::Loop loop_{clock_};
  Options options_;
  Secrets secrets_;
  base::SharedSemaphore hashing_;
};

TEST_F(ServiceOf, OtherRolesDoNotAnswerOembed) {
  for (const Roles roles : {Roles{false, true, false}, Roles{false, false, true}}) {
    options_.roles = roles;
    Service service(options_, secrets_, hashing_, loop_);
    EXPECT_EQ(service.router().find("/oembed"), nullptr) << roles.to_text();
    EXPECT_NE(service.router().find("/healthz"), nullptr);
    EXPECT_NE(service.router().find("/readyz"), nullptr);
  }
}

// It parses untrusted input.
TEST_F(ServiceOf, ThePoolOfUploadsHasNoStoreAndNoSecret) {
  options_.roles = Roles{false, false, false, true};
  options_.redis_password_file = directory_.path("missing");
  EXPECT_TRUE(read_secrets(options_));
  EXPECT_EQ(check_files(Program::Worker, options_), "");
  EXPECT_EQ(check_stores(Program::Worker, options_), "");
  EXPECT_NE(check_stores(Program::Ctl, options_), "") << "its user has one, whatever the roles";
  const Secrets none;
  Service service(options_, none, hashing_, loop_);
  EXPECT_EQ(status(service, "/readyz"), 200);
  EXPECT_TRUE(loop_.run_until_done(service.store_answers()))
      << "nothing keeps a worker from ending";
  options_.roles.embed = true;
  EXPECT_FALSE(read_secrets(options_));
  EXPECT_NE(check_files(Program::Worker, options_), "");
}

// Endpoints that need no store respond however many requests wait for it.
TEST_F(ServiceOf, MarksTheEndpointsThatNeedNoStore) {
  options_.site.security_contact = "mailto:security@svc.example";
  options_.site.demo_gallery = "https://gallery.svc.example";
  PoolSide pool;
  pool.status = [] { return std::string("{}"); };
  pool.metrics = [] { return std::string("# EOF\n"); };
  Service service(options_, secrets_, hashing_, loop_, pool);
  for (const Route& route : routes()) {
    EXPECT_EQ(service.router().needs_store(route.path.pattern), route.store == Store::Needed)
        << route.path.pattern;
    const bool is_plain = route.path.pattern.find_first_of("{*") == std::string_view::npos;
    if (!is_plain || route.store == Store::Needed) continue;
    const int expected = route.id == RouteId::Readyz           ? 503
                         : route.id == RouteId::ChangePassword ? 302
                                                               : 200;
    EXPECT_EQ(status(service, route.path.pattern), expected) << route.path.pattern;
  }
}

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n and more";

TEST_F(ServiceOf, ReadsTheLogoOfTheEmbedPool) {
  options_.roles = Roles{true, false, false};
  options_.logo_file = directory_.write("logo.png", kPng);
  const auto secrets = read_secrets(options_);
  ASSERT_TRUE(secrets) << secrets.error();
  EXPECT_EQ(secrets->logo, kPng);
  // The others may not be able to read it.
  options_.roles = Roles{false, false, false};
  options_.logo_file = directory_.path("missing.png");
  EXPECT_TRUE(read_secrets(options_));
}

TEST_F(ServiceOf, RefusesALogoThatNoBrowserCouldShow) {
  const std::string svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
  const std::string icon("\0\0\1\0 and more", 13);
  struct Case {
    std::string name, content, problem;
  };
  for (const Case& c : {
           Case{"a.svg", "<?xml version='1.0'?>" + svg, ""},
           Case{"a.ico", icon, ""},
           Case{"full.png", std::string(kPng) + std::string((64 << 10) - kPng.size(), 'a'), ""},
           Case{"large.png", std::string(kPng) + std::string((64 << 10) - kPng.size() + 1, 'a'),
                "it is larger than 64 KiB"},
           Case{"empty.png", "", "it is empty"},
           Case{"svg.png", svg, "it is not a PNG"},
           Case{"png.svg", std::string(kPng), "it is not an SVG"},
           Case{"later.png", "a" + std::string(kPng), "it is not a PNG"},
           Case{"png.ico", std::string(kPng), "it is not an icon"},
       }) {
    SCOPED_TRACE(c.name);
    options_.roles = Roles{true, false, false};
    options_.logo_file = directory_.write(c.name, c.content);
    const auto secrets = read_secrets(options_);
    EXPECT_EQ(static_cast<bool>(secrets), c.problem.empty());
    if (!secrets) {
      EXPECT_EQ(secrets.error(),
                "cannot read a logo from logo-file " + options_.logo_file + ": " + c.problem);
    }
  }
  for (const auto& [path, problem] :
       {std::pair(directory_.path("missing.png"), "No such file or directory"),
        std::pair(directory_.path("folder.png"), "")}) {
    options_.logo_file = path;
    std::filesystem::create_directory(directory_.path("folder.png"));
    const auto secrets = read_secrets(options_);
    ASSERT_FALSE(secrets) << path;
    EXPECT_NE(secrets.error().find(path + ": " + problem), std::string::npos) << secrets.error();
  }
}

// A path of this route.
std::string path_of(const Route& route) {
  std::string path(route.path.pattern);
  if (const std::size_t all = path.find("/**"); all != std::string::npos) path.erase(all);
  for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{'))
    path.replace(open, path.find('}') - open + 1, "1");
  if (path.ends_with('*')) path.back() = '1';
  return path;
}

// Of JSON, of the page or of the XML. `code` is that of the data API.
std::string beginning_of(const Route& route, const std::string& code) {
  switch (route.errors) {
    case http::ErrorForm::Api: return R"({"error":")" + code + R"(","error_description":")";
    case http::ErrorForm::Xml: return "<?xml";
    case http::ErrorForm::Page:
    case http::ErrorForm::PublicPage:
    case http::ErrorForm::Frame: return "<!DOCTYPE html>";
    default: return R"({"error":")";
  }
}

// Each path refuses in its own form, which its clients can read.
TEST_F(ServiceOf, EachRouteRefusesOtherMethodsAndReportsAnUnavailableStore) {
  Service service(options_, secrets_, hashing_, loop_);
  for (const Route& route : routes()) {
    const std::string path = path_of(route);
    SCOPED_TRACE(path);
    if (service.router().find(path) == nullptr) continue;
    const bool is_shared = route.methods.find("OPTIONS") != std::string_view::npos &&
                           route.errors != http::ErrorForm::Oauth;
    const bool is_api = route.errors == http::ErrorForm::Api;
    http::Request request;
    request.path = path;
    request.request_id = "r7";
    for (const std::string_view method :
         {"GET", "POST", "PUT", "DELETE", "OPTIONS", "get", "", "HEADX", "OPTIONS ", "GET\r\nX"}) {
      SCOPED_TRACE(method);
      request.method = method;
      if (route.methods.empty() ||
          (!method.empty() && route.methods.find(method) != route.methods.npos) ||
          (method == "OPTIONS" && route.errors == http::ErrorForm::Api))
        continue;
      const http::Response refused = loop_.run_until_done(service.router().answer(request));
      EXPECT_EQ(refused.status, 405);
      EXPECT_EQ(fakes::header(refused, "Allow"), route.methods);
      EXPECT_TRUE(refused.body.starts_with(beginning_of(route, "method_not_allowed")))
          << refused.body;
      EXPECT_EQ(fakes::header(refused, "Access-Control-Allow-Origin"),
                is_shared || (is_api && method == "GET") ? "*" : "none");
    }
    if (is_shared) {
      request.method = "OPTIONS";
      const http::Response preflight = loop_.run_until_done(service.router().answer(request));
      EXPECT_EQ(preflight.status, 204);
      EXPECT_EQ(preflight.body, "");
      EXPECT_EQ(fakes::header(preflight, "Access-Control-Allow-Origin"), "*");
      EXPECT_EQ(fakes::header(preflight, "Access-Control-Allow-Methods"), route.methods);
      EXPECT_EQ(fakes::header(preflight, "Access-Control-Allow-Headers"), "*, Authorization");
      EXPECT_EQ(fakes::header(preflight, "Timing-Allow-Origin"), "*");
      EXPECT_EQ(fakes::header(preflight, "Cross-Origin-Resource-Policy"), "cross-origin");
      EXPECT_EQ(fakes::header(preflight, "X-Content-Type-Options"), "nosniff");
    }
    if (route.store != Store::Needed) continue;
    request.method = "GET";
    const http::Response away = service.router().unavailable(request);
    EXPECT_EQ(away.status, 503);
    EXPECT_EQ(fakes::header(away, "Retry-After"), "1");
    EXPECT_EQ(fakes::header(away, "Cache-Control"), "no-store");
    EXPECT_TRUE(away.body.starts_with(beginning_of(route, "temporarily_unavailable"))) << away.body;
    if (http::is_page(route.errors) && route.errors != http::ErrorForm::Frame) {
      EXPECT_NE(away.body.find("r7"), std::string::npos);
    }
  }
  http::Request xml;
  xml.method = "POST";
  xml.path = base::paths::kOembed.pattern;
  xml.query = "url=x&format=xml";
  EXPECT_TRUE(loop_.run_until_done(service.router().answer(xml)).body.ends_with("</error>\n"));
  EXPECT_TRUE(service.router().unavailable(xml).body.ends_with("</error>\n"));
}

TEST_F(ServiceOf, KeepsItsCountsWhileTheStoreIsUnavailable) {
  cache::UsageCounts counts;
  PoolSide pool;
  pool.usage = &counts;
  Service service(options_, secrets_, hashing_, loop_, pool);
  service.start();
  service.count(1001);
  service.count(1001);
  service.every_second();
  loop_.run_until_done(service.write_counts());
  EXPECT_FALSE(counts.empty());
  const auto batch = counts.take({});
  ASSERT_EQ(batch.waiting().size(), 1u);
  EXPECT_EQ(batch.waiting()[0].account, 1001);
  EXPECT_EQ(batch.waiting()[0].count, 2u);
}

TEST_F(ServiceOf, MayEndWhileTheStoreIsUnavailable) {
  {
    Service service(options_, secrets_, hashing_, loop_);
    service.start();
    service.count(1001);
    for (int i = 0; i < 12; ++i) {
      service.every_second();
      loop_.turn(base::Duration::zero());
      clock_.advance(std::chrono::seconds(1));
    }
    loop_.run_until_done(service.write_counts());
  }
  EXPECT_EQ(loop_.tasks(), 0u);
}

TEST_F(ServiceOf, ReadsAPasswordFromTheFirstLineOfAFile) {
  struct Case {
    std::string Options::*file;
    std::string StorePasswords::*password;
  };
  for (const auto& [file, field] :
       {Case{&Options::redis_password_file, &StorePasswords::redis},
        Case{&Options::sentinel_password_file, &StorePasswords::sentinel}}) {
    const auto password = [&, file = file, field = field](std::string_view content) {
      options_.*file = write_secret("password", content);
      const auto passwords = read_passwords(options_);
      return passwords ? (*passwords).*field : "refused";
    };
    EXPECT_EQ(password("hunter2\n"), "hunter2");
    EXPECT_EQ(password("hunter2"), "hunter2");
    EXPECT_EQ(password("hunter2\r\nmore\n"), "hunter2");
    EXPECT_EQ(password(" with spaces \n"), " with spaces ");
    EXPECT_EQ(password(""), "refused");
    EXPECT_EQ(password("\n"), "refused");
    options_.*file = directory_.path("nothing");
    const auto missing = read_passwords(options_);
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().find(directory_.path("nothing")), std::string::npos);
    (options_.*file).clear();
    EXPECT_EQ((*read_passwords(options_)).*field, "");
  }
}

TEST_F(ServiceOf, ChecksTheFilesNamedInTheConfiguration) {
  const std::string right_key = "k1:" + std::string(64, 'a') + "\n";
  struct Case {
    std::string_view name;
    std::string key_file, password_file;
    std::vector<std::string> said;
  };
  const std::string nothing = directory_.path("nothing");
  const std::string fifo = directory_.path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const Case& c : {
           Case{"none are named", "", "", {}},
           Case{"both are right",
                write_secret("keys", right_key),
                write_secret("password", "hunter2\n", 0440),
                {}},
           Case{"both are missing",
                nothing,
                nothing,
                {"cannot open redis-password-file " + nothing,
                 "cannot open the key file " + nothing}},
           Case{"both are directories",
                directory_.path("."),
                directory_.path("."),
                {"redis-password-file " + directory_.path(".") + " is not a regular file",
                 "the key file " + directory_.path(".") + " is not a regular file"}},
           Case{"both are FIFOs",
                fifo,
                fifo,
                {"redis-password-file " + fifo + " is not a regular file",
                 "the key file " + fifo + " is not a regular file"}},
           Case{"others may read them",
                write_secret("open-keys", right_key, 0644),
                write_secret("open-password", "hunter2\n", 0604),
                {"open-password must have mode 0400, 0440, 0600 or 0640,",
                 "open-keys must have mode 0400, 0440, 0600 or 0640,"}},
           Case{"a key that is none", write_secret("bad-keys", "k1:hunter2\n"), "", {", line 1: "}},
           Case{"a password that is none",
                "",
                write_secret("bad-password", "\nhunter2\n"),
                {"its first line is empty"}},
       }) {
    SCOPED_TRACE(c.name);
    options_.key_file = c.key_file;
    options_.redis_password_file = c.password_file;
    const std::string wrong = check_files(Program::Worker, options_);
    EXPECT_EQ(wrong.empty(), c.said.empty()) << wrong;
    for (const std::string& said : c.said) EXPECT_NE(wrong.find(said), std::string::npos) << wrong;
    EXPECT_EQ(wrong.find("hunter2"), std::string::npos) << wrong;
  }
}

TEST_F(ServiceOf, ConnectsToTheStoreAsConfigured) {
  options_.redis_user = "svc";
  options_.redis_timeout = std::chrono::milliseconds(123);
  secrets_.passwords = {"secret", "watch"};
  const redis::ConnectionSettings settings =
      state_connection(options_, secrets_, "svc-worker:embed");
  EXPECT_EQ(settings.address.path, directory_.path("nobody.sock"));
  EXPECT_EQ(settings.username, "svc");
  EXPECT_EQ(settings.password, "secret");
  EXPECT_EQ(settings.sentinel_password, "watch");
  EXPECT_EQ(settings.name, "svc-worker:embed");
  EXPECT_EQ(settings.timeout, std::chrono::milliseconds(123));
}

TEST_F(ServiceOf, CacheHasAShorterTimeoutAndALongerRetryDelay) {
  using std::chrono::milliseconds;
  for (const auto& [configured, expected] : {std::pair(milliseconds(500), milliseconds(50)),
                                             {milliseconds(50), milliseconds(50)},
                                             {milliseconds(7), milliseconds(7)}}) {
    options_.redis_timeout = configured;
    const redis::ConnectionSettings cache = cache_connection(options_, secrets_, "svc-worker");
    EXPECT_EQ(cache.timeout, expected);
    EXPECT_EQ(cache.longest_delay, std::chrono::seconds(5));
    const redis::ConnectionSettings state = state_connection(options_, secrets_, "svc-worker");
    EXPECT_EQ(state.timeout, configured);
    EXPECT_EQ(state.longest_delay, milliseconds(500));
  }
}

}  // namespace
}  // namespace svc::app
