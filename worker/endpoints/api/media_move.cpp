#include "endpoints/api/media_move.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "endpoints/body_fields.h"
#include "http/api_error.h"
#include "oauth/operation.h"
#include "text/json.h"
#include "text/utf8.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kMovedIds = "hashed_ids";
constexpr std::string_view kIntoProject = "project_id";
constexpr std::size_t kMostMoved = 100;

http::Response not_there(const library::Missing& missing) {
  std::string words;
  for (const std::string& id : missing.medias)
    words.append(words.empty() ? "no such media in this account: " : ", ").append(http::shown(id));
  if (missing.project)
    words.append(words.empty() ? "" : "; ").append("no such project in this account");
  return http::api_error(404, words);
}

}  // namespace

Described MediaMove::describe() {
  ApiOperation put{.method = "PUT", .id = "moveMedias", .summary = "Move media into a project"};
  put.about = "All are moved, or none.";
  put.needs = &oauth::kEdit;
  put.body = {
      {{std::string(kMovedIds), array_of(text_schema(), 1, kMostMoved), "The ids of the media.",
        true, R"(["$media"])"},
       {std::string(kIntoProject), text_schema(), "The id of the project.", true, R"("$project")"}},
      in_kib(kMaxRecordBody)};
  put.response = json_response(200, "They are in the project.", a_record("Moved"));
  put.refusals = {{404, "The account lacks a media or the project: the words name each."}};
  return {{put}, {{"Moved", "What a move did.", {{"message", text_schema(), "For developers."}}}}};
}

loop::Task<http::Response> MediaMove::answer(const http::Request& request) {
  const auto issued = co_await admit(request);
  if (!issued) co_return issued.error();
  auto body = BodyFields::read(request);
  if (!body) co_return body.error();
  const std::vector<std::string> ids = body->required_texts(kMovedIds, kMostMoved);
  if (!std::ranges::all_of(ids, text::is_utf8)) body->refuse(kMovedIds, "must be UTF-8");
  // The account does not have an impossible id: 404.
  const std::string project = body->required_text(kIntoProject, any_text);
  if (const auto refused = body->refused()) co_return *refused;
  const auto moved = co_await service_.move(ids, project, actor_of(request, *issued));
  if (!moved) co_return not_there(moved.error());
  http::Response response = http::in_json("", project);
  text::json::ObjectWriter(response.body)
      .string("message", *moved == 0   ? "all media were in the project already"
                         : *moved == 1 ? "1 media was moved"
                                       : std::to_string(*moved) + " media were moved")
      .end();
  co_return response;
}

}  // namespace svc::endpoints
