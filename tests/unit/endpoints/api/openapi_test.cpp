#include "endpoints/api/openapi.h"

#include <gtest/gtest.h>

#include <string>

namespace svc::endpoints {
namespace {

using Of = http::Deprecation::Of;

ApiDescription films() {
  ApiOperation list{.method = "GET", .id = "listFilms", .summary = "Films"};
  list.query = {{"sort", text_schema(), "The order.", false},
                {"page", text_schema(), "A page.", false}};
  list.response = json_response(200, "Films.", a_record("Film"));
  ApiOperation add{.method = "PUT", .id = "addFilm", .summary = "Add"};
  add.response = json_response(200, "The film.", a_record("Film"));
  ApiDescription api;
  api.paths = {{"/v1/films", "Films.", "films", {list, add}}};
  api.records = {{"Film",
                  "A film.",
                  {{"id", text_schema(), "Its id."}, {"name", text_schema(), "Its name."}}}};
  return api;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(OpenApi, ApiN14MarksWhatIsDeprecated) {
  const embed::Site site;
  ApiDescription api = films();
  const std::string before = openapi_json(api, site, "1");
  EXPECT_EQ(count(before, "\"deprecated\""), 0u);
  EXPECT_EQ(count(before, "\"Deprecation\":"), 0u);

  api.deprecations = {{Of::Operation, "/v1/films", "PUT", "", "2026-11-28", "", ""}};
  const std::string operation = openapi_json(api, site, "1");
  EXPECT_EQ(count(operation, "\"summary\":\"Add\",\"deprecated\":true"), 1u) << operation;
  EXPECT_EQ(count(operation, "\"deprecated\":true"), 1u);
  EXPECT_GT(count(operation, "\"Deprecation\":"), 1u) << "its refusals, too";

  api.deprecations = {{Of::Parameter, "/v1/films", "GET", "sort", "2026-11-28", "", ""}};
  const std::string parameter = openapi_json(api, site, "1");
  EXPECT_EQ(count(parameter, "\"required\":false,\"deprecated\":true"), 1u) << parameter;
  EXPECT_EQ(count(parameter, "\"deprecated\":true"), 1u);

  api.deprecations = {{Of::Field, "/v1/films", "GET", "Film.name", "2026-11-28", "", ""}};
  const std::string field = openapi_json(api, site, "1");
  const std::size_t name = field.find("\"name\":{", field.find("\"Film\":{"));
  EXPECT_NE(field.substr(name, 60).find("\"deprecated\":true"), std::string::npos) << field;
  EXPECT_EQ(count(field, "\"deprecated\":true"), 1u);
}

}  // namespace
}  // namespace svc::endpoints
