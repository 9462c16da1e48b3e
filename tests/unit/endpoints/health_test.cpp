#include "endpoints/health.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/unavailable.h"
#include "fakes/headers.h"
#include "fakes/tasks.h"
#include "http/router.h"

namespace svc::endpoints {
namespace {

using fakes::header;

http::Response ask(Health& health, std::string_view method) {
  http::Router router;
  router.add("/readyz", health);
  http::Request request;
  request.method = method;
  request.path = "/readyz";
  return fakes::now(router.answer(request));
}

loop::Task<> unavailable() {
  throw base::Unavailable("unix:///secret/place: gone");
  co_return;
}

TEST(Health, Is200IfTheCheckSucceeds) {
  int checks = 0;
  Health health([&] {
    ++checks;
    return fakes::finished();
  });
  const http::Response response = ask(health, "GET");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"status":"ok"})");
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  EXPECT_EQ(ask(health, "HEAD").status, 200);
  EXPECT_EQ(checks, 2);
}

TEST(Health, Is503IfTheStoreIsUnavailable) {
  Health health(unavailable);
  const http::Response response = ask(health, "GET");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace svc::endpoints
