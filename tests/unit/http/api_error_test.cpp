#include "http/api_error.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

TEST(ApiError, ShowsSixtyFourBytesOfWhatAClientNamed) {
  const std::string ascii(64, 'a');
  for (const auto& [name, expected] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"name", "name"},
           {ascii, ascii},
           {ascii + "b", std::string(61, 'a') + "…"},
           {std::string(100'000, 'a'), std::string(61, 'a') + "…"},
           {std::string(60, 'a') + "äöü", std::string(60, 'a') + "…"},
           {std::string(59, 'a') + "äö", std::string(59, 'a') + "äö"},
           {std::string(59, 'a') + "äöü", std::string(59, 'a') + "ä…"},
           {std::string("a\0\n\x7f\xff\xc3", 6), "a?????"},
           {std::string(200, '\x01'), std::string(61, '?') + "…"}}) {
    EXPECT_EQ(shown(name), expected);
    EXPECT_LE(shown(name).size(), kMostShown);
  }
  const Response response = api_invalid_fields({{ascii + "b", "is wrong"}, {ascii + "c", "too"}});
  EXPECT_EQ(response.body.find(ascii), std::string::npos) << response.body;
}

TEST(ApiError, NamesItsRequest) {
  Response refused = api_error(404, "none");
  name_request(refused, "id\"");
  EXPECT_EQ(refused.body,
            R"({"error":"not_found","error_description":"none","request_id":"id\""})");
  Response other = json_error(200, "");
  name_request(other, "id");
  EXPECT_EQ(other.body, R"({"error":""})");
  Response unknown = api_error(404, "none");
  name_request(unknown, "");
  EXPECT_EQ(unknown.body, api_error(404, "none").body);
}

TEST(ApiErrorDeathTest, AbortsWithoutACode) {
  EXPECT_DEATH(api_error(418, ""), "");
  EXPECT_DEATH(api_error("teapot", ""), "");
}

}  // namespace
}  // namespace svc::http
