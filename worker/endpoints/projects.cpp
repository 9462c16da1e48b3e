#include "endpoints/projects.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "endpoints/list_query.h"
#include "endpoints/media_list.h"
#include "endpoints/media_response.h"
#include "http/api_error.h"
#include "loop/all.h"
#include "oauth/operation.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

constexpr ListForm kProjectList;
// Its media, which are in the order of their creation.
constexpr ListForm kMediaOfProject{.is_sorted = false, .most_per_page = 500};

// Without its end: more keys may follow.
text::json::ObjectWriter begin_project(std::string& out, const media::Project& project,
                                       std::int64_t medias) {
  text::json::ObjectWriter writer(out);
  writer.integer("id", media::number_of(project.id.value()))
      .string("hashedId", project.id.value())
      .string("name", project.name)
      .string("description", project.description)
      .integer("mediaCount", medias)
      .string("created", project.created)
      .string("updated", project.updated)
      .boolean("public", false)
      .null("publicId");
  return writer;
}

}  // namespace

loop::Task<http::Response> ProjectList::answer(const http::Request& request) {
  auto admitting = admit(request, oauth::kReadCatalog.any_of());
  const auto issued = co_await admitting;
  if (!issued) co_return issued.error();
  const text::Form form = text::Form::parse(request.query);
  const auto list = read_list_query(form, kProjectList, issued->account);
  if (!list) co_return http::api_error(400, list.error());
  loop::Task<std::vector<media::Project>> listing =
      listings_.projects(issued->account, list->order);
  std::vector<media::Project> projects = co_await listing;
  const bool has_more = projects.size() > list->per_page;
  if (has_more) projects.pop_back();
  std::vector<loop::Task<media::CatalogCounts>> counting;
  for (const media::Project& project : projects)
    counting.push_back(listings_.counts(issued->account, project.id));
  auto all = loop::all(std::move(counting));
  const std::vector<media::CatalogCounts> counts = co_await all;
  http::Response response;
  response.content_type = http::kJson;
  text::json::ArrayWriter array(response.body);
  for (std::size_t i = 0; i < projects.size(); ++i)
    begin_project(array.next(), projects[i], counts[i].medias).end();
  array.end();
  add_links(response, site_.base_url + std::string(request.path), form, *list, has_more, "", "");
  co_return response;
}

loop::Task<http::Response> Projects::answer(const http::Request& request) {
  auto admitting = admit(request, oauth::kReadCatalog.any_of());
  const auto issued = co_await admitting;
  if (!issued) co_return issued.error();
  std::string_view text = request.path;
  text.remove_prefix(base::paths::kProject.before().size());
  const auto id = media::ProjectId::parse(text);
  std::optional<media::Project> project;
  if (id) {
    loop::Task<std::optional<media::Project>> finding = catalog_.find_project(*id);
    project = co_await finding;
  }
  // For this token, a project of another account does not exist.
  if (!project || project->account != issued->account)
    co_return http::api_error(404, "no such project in this account");
  const text::Form form = text::Form::parse(request.query);
  const auto list = read_list_query(form, kMediaOfProject, issued->account);
  if (!list) co_return http::api_error(400, list.error());
  auto both = loop::all(listings_.medias(issued->account, {.order = list->order, .project = *id}),
                        listings_.counts(issued->account, *id));
  auto found = co_await both;
  auto& [medias, counts] = found;
  const bool has_more = medias.size() > list->per_page;
  if (has_more) medias.pop_back();
  loop::Task<MediaDetails> detailing = find_details(catalog_, uploads_, medias);
  const MediaDetails details = co_await detailing;
  http::Response response;
  response.about = project->id.value();
  response.content_type = http::kJson;
  text::json::ObjectWriter writer = begin_project(response.body, *project, counts.medias);
  text::json::ArrayWriter array(writer.raw("medias"));
  for (std::size_t i = 0; i < medias.size(); ++i)
    append_media(array.next(), site_, medias[i], details.projects[i], details.progress[i]);
  array.end();
  writer.end();
  add_links(response, site_.base_url + std::string(request.path), form, *list, has_more, "", "");
  co_return response;
}

}  // namespace svc::endpoints
