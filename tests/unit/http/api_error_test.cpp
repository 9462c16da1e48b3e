#include "http/api_error.h"

#include <gtest/gtest.h>

namespace svc::http {
namespace {

TEST(ApiError, HasTheCodeOfItsStatus) {
  for (const ApiCode& code : kApiCodes) {
    const Response named = api_error(code.name, "a <b>");
    EXPECT_EQ(named.status, code.status);
    EXPECT_EQ(named.content_type, kJson);
    EXPECT_EQ(named.body, R"({"error":")" + std::string(code.name) +
                              R"(","error_description":"a \u003cb\u003e"})");
    EXPECT_EQ(api_error(code.status, "a <b>").status, code.status);
  }
  EXPECT_EQ(api_error(401, "").body, R"({"error":"unauthorized","error_description":""})");
}

TEST(ApiError, NamesEachInvalidFieldOnce) {
  const Response response =
      api_invalid_fields({{"name", "must be one line"}, {"a", "is missing"}, {"name", "is long"}});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.body,
            R"({"error":"invalid_fields","error_description":"name: must be one line; )"
            R"(a: is missing; name: is long",)"
            R"("errors":{"name":["must be one line","is long"],"a":["is missing"]}})");
}

TEST(ApiErrorDeathTest, AbortsWithoutACode) {
  EXPECT_DEATH(api_error(418, ""), "");
  EXPECT_DEATH(api_error("teapot", ""), "");
}

}  // namespace
}  // namespace svc::http
