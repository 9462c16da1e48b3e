#include "endpoints/api/projects.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/api_paths.h"
#include "endpoints/body_fields.h"
#include "endpoints/list_query.h"
#include "endpoints/media_response.h"
#include "http/api_error.h"
#include "loop/all.h"
#include "media/upload_form.h"
#include "oauth/operation.h"
#include "text/ascii.h"
#include "text/form.h"
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

constexpr std::string_view kListedProject = "ListedProject";
constexpr std::string_view kWholeProject = "Project";

// As begin_project().
std::vector<DescribedField> describe_project() {
  return {described_number(),
          {"hashedId", project_id_schema(), "The id in paths."},
          {"name", text_schema(), "Written by users."},
          {"description", text_schema(), "Written by users: do not trust it."},
          {"mediaCount", integer_schema(0), "How many media it has."},
          {"created", text_schema("date-time"), "When it was created."},
          {"updated", text_schema("date-time"), "When it last changed."},
          {"public", only(false), "Projects have no public pages here."},
          {"publicId", only_null(), "The same."}};
}

// A page of the project's media, and how many it has.
struct Contents {
  std::vector<media::Media> medias{};
  std::vector<double> progress{};  // one per media
  std::int64_t count = 0;
  bool has_more = false;  // after the page
};

loop::Task<Contents> read_contents(media::Catalog& catalog, media::Listings& listings,
                                   media::Uploads& uploads, const media::Project& project,
                                   media::ListOrder order) {
  auto both = loop::all(listings.medias(project.account, {.order = order, .project = project.id}),
                        listings.counts(project.account, project.id));
  auto found = co_await both;
  auto& [medias, counts] = found;
  Contents contents{.medias = std::move(medias), .count = counts.medias};
  contents.has_more = contents.medias.size() == order.count;
  if (contents.has_more) contents.medias.pop_back();
  MediaDetails details = co_await find_details(catalog, uploads, contents.medias);
  contents.progress = std::move(details.progress);
  co_return contents;
}

// `most`: of its media.
std::string project_json(const embed::Site& site, const media::Project& project,
                         const Contents& contents, std::size_t most) {
  std::string json;
  text::json::ObjectWriter writer = begin_project(json, project, contents.count);
  text::json::ArrayWriter array(writer.raw("medias"));
  for (std::size_t i = 0; i < std::min(most, contents.medias.size()); ++i)
    endpoints::append_media(array.next(), site, contents.medias[i], project, contents.progress[i]);
  array.end();
  writer.end();
  return json;
}

// The description, which null empties.
std::optional<std::string> read_description(BodyFields& body) {
  std::optional<std::string> text = body.text(kDescriptionField, media::why_not_given_description);
  if (body.is_null(kDescriptionField)) text = "";
  return text;
}

constexpr media::ListOrder kFirstPage{.count = kMediaOfProject.most_per_page + 1};

}  // namespace

Described ProjectList::describe() {
  ApiOperation get{.method = "GET", .id = "listProjects", .summary = "List projects"};
  get.needs = &oauth::kReadCatalog;
  get.is_list = true;
  get.query = describe_list(kProjectList);
  get.response = json_response(200, "A page of projects.", array_of(a_record(kListedProject)));
  ApiOperation post{.method = "POST", .id = "createProject", .summary = "Create a project"};
  post.needs = &oauth::kEdit;
  post.has_tag = true;
  post.is_repeatable = true;
  post.body = {{describe_name(true, R"("A project")"), describe_description()},
               in_kib(kMaxRecordBody)};
  post.response = json_response(201, "The project.", a_record(kWholeProject));
  post.refusals = {{507, "The account has " +
                             std::to_string(library::ProjectService::kMostProjects) +
                             " projects, which is the most."}};
  DescribedRecord listed{std::string(kListedProject), "A project in a list.", describe_project()};
  DescribedRecord whole{std::string(kWholeProject), "A project with its media.", listed.fields};
  whole.fields.push_back({"medias", array_of(a_record(kMediaRecord)),
                          "A page of its media, in the order of their creation."});
  return {{get, post}, {listed, whole}};
}

loop::Task<http::Response> ProjectList::answer(const http::Request& request) {
  const auto issued = co_await admit(request);
  if (!issued) co_return issued.error();
  if (request.is_get_or_head()) co_return co_await list(request, issued->account);
  const auto answer_by = [&](BodyFields& body) { return add(request, *issued, body); };
  co_return co_await repeated_.post(request, *issued, answer_by);
}

loop::Task<http::Response> ProjectList::list(const http::Request& request,
                                             media::AccountId account) {
  const auto list = read_list_query(text::Form::parse(request.query), kProjectList, account);
  if (!list) co_return http::api_error(400, list.error());
  std::vector<media::Project> projects = co_await listings_.projects(account, list->order);
  const bool has_more = projects.size() > list->per_page;
  if (has_more) projects.pop_back();
  std::vector<loop::Task<media::CatalogCounts>> counting;
  for (const media::Project& project : projects)
    counting.push_back(listings_.counts(account, project.id));
  auto all = loop::all(std::move(counting));
  const std::vector<media::CatalogCounts> counts = co_await all;
  http::Response response = http::in_json("");
  text::json::ArrayWriter array(response.body);
  for (std::size_t i = 0; i < projects.size(); ++i)
    begin_project(array.next(), projects[i], counts[i].medias).end();
  array.end();
  add_links(response, site_, request, *list, has_more);
  co_return response;
}

loop::Task<http::Response> ProjectList::add(const http::Request& request,
                                            const oauth::Issued& issued, BodyFields& body) {
  const std::string name =
      std::string(text::trimmed(body.required_text(kNameField, media::why_not_given_name)));
  const std::string description = read_description(body).value_or("");
  if (const auto refused = body.refused()) co_return *refused;
  const library::Actor actor = actor_of(request, issued);
  std::string random_id;
  const std::optional<media::Project> project =
      co_await service_.create(name, description, actor, std::move(random_id));
  if (!project)
    co_return http::api_error(507, "the account has " +
                                       std::to_string(library::ProjectService::kMostProjects) +
                                       " projects, which is the most: delete some first");
  http::Response response =
      http::in_json(project_json(site_, *project, {}, 0), project->id.value());
  response.status = 201;
  response.with("Location", site_.url(base::paths::kProject, project->id.value()));
  co_return tagged(std::move(response), request);
}

Described Projects::describe() {
  ApiOperation get{.method = "GET", .id = "getProject", .summary = "Read a project and its media"};
  get.about = "Only the first page has an entity tag.";
  get.needs = &oauth::kReadCatalog;
  get.is_list = true;
  get.has_tag = true;
  get.query = describe_list(kMediaOfProject);
  get.response = json_response(200, "The project.", a_record(kWholeProject));
  get.refusals = {{404, std::string(kNoProject)}};
  ApiOperation put{.method = "PUT", .id = "editProject", .summary = "Edit a project"};
  put.about = "Absent fields stay as they are.";
  put.needs = &oauth::kEdit;
  put.has_tag = true;
  put.takes_condition = true;
  put.body = {{describe_name(false, R"("Another name")"), describe_description()},
              in_kib(kMaxRecordBody)};
  put.response = get.response;
  put.refusals = get.refusals;
  ApiOperation remove{.method = "DELETE", .id = "deleteProject", .summary = "Delete a project"};
  remove.about = "It must be empty: move or delete its media first.";
  remove.needs = &oauth::kEdit;
  remove.takes_condition = true;
  remove.response = {204, "It is deleted."};
  remove.refusals = {{404, std::string(kNoProject)},
                     {409, "The project has media, as many as `mediaCount`."}};
  return {{get, put, remove}};
}

loop::Task<http::Response> Projects::answer_own(const http::Request& request,
                                                const oauth::Issued& issued,
                                                media::Project& project) {
  if (request.is_get_or_head()) co_return co_await show(request, project, issued);
  co_return co_await change(request, project, issued);
}

// Its entity tag is unknown.
loop::Task<http::Response> Projects::remove_unreadable(const http::Request& request,
                                                       const oauth::Issued& issued) {
  if (conditions_of(request).any()) co_return overtaken();
  const auto id = request.part<media::ProjectId>("project");
  const library::ProjectCondition any;
  co_return co_await remove(request, *id, any, issued);
}

// The tag of each first page, however short, is that of the longest: it is what If-Match compares.
loop::Task<http::Response> Projects::show(const http::Request& request,
                                          const media::Project& project,
                                          const oauth::Issued& issued) {
  const auto list =
      read_list_query(text::Form::parse(request.query), kMediaOfProject, project.account);
  if (!list) co_return http::api_error(400, list.error());
  const bool is_first = list->page == 1;
  const media::ListOrder order = is_first ? kFirstPage : list->order;
  const Contents contents = co_await read_contents(catalog_, listings_, uploads_, project, order);
  Contents shown = contents;
  const bool is_signed = sign_files(shown.medias, issued);
  http::Response response =
      http::in_json(project_json(site_, project, shown, list->per_page), project.id.value());
  const bool has_more = contents.has_more || contents.medias.size() > list->per_page;
  add_links(response, site_, request, *list, has_more);
  if (!is_first) co_return response;
  const std::string whole = project_json(site_, project, contents, kMediaOfProject.most_per_page);
  if (!is_signed)
    co_return http::with_strong_entity_tag(std::move(response), request.if_none_match, whole);
  co_return tagged(std::move(response), request, whole,
                   project_json(site_, project, shown, kMediaOfProject.most_per_page));
}

loop::Task<http::Response> Projects::change(const http::Request& request,
                                            const media::Project& project,
                                            const oauth::Issued& issued) {
  const Contents contents =
      co_await read_contents(catalog_, listings_, uploads_, project, kFirstPage);
  const auto json_of = [&](const media::Project& version) {
    return project_json(site_, version, contents, kMediaOfProject.most_per_page);
  };
  const library::ProjectCondition is_wanted = [&](const media::Project& version) {
    return !conditions_of(request).any() || may_change(request, json_of(version));
  };
  if (!is_wanted(project)) co_return overtaken();
  if (request.method == "DELETE") co_return co_await remove(request, project.id, is_wanted, issued);
  auto body = BodyFields::read(request);
  if (!body) co_return body.error();
  library::ProjectEdit edit;
  edit.name = body->text(kNameField, media::why_not_given_name);
  if (edit.name) edit.name = std::string(text::trimmed(*edit.name));
  if (body->is_null(kNameField)) body->refuse(kNameField, "must be a string");
  edit.description = read_description(*body);
  if (const auto refused = body->refused()) co_return *refused;
  const auto edited =
      co_await service_.edit(project.id, edit, is_wanted, actor_of(request, issued));
  if (!edited) co_return refusal_of(edited.error(), "project");
  std::string json = json_of(*edited);
  Contents shown = contents;
  if (!sign_files(shown.medias, issued))
    co_return tagged(http::in_json(std::move(json), edited->id.value()), request);
  const std::string with = project_json(site_, *edited, shown, kMediaOfProject.most_per_page);
  co_return tagged(http::in_json(with, edited->id.value()), request, json, with);
}

loop::Task<http::Response> Projects::remove(const http::Request& request,
                                            const media::ProjectId& id,
                                            const library::ProjectCondition& condition,
                                            const oauth::Issued& issued) {
  const auto refused = co_await service_.remove(id, condition, actor_of(request, issued));
  if (!refused) co_return no_content(id.value());
  if (refused->refusal) co_return refusal_of(*refused->refusal, "project");
  co_return http::api_error(409,
                            refused->medias > 0
                                ? "the project is not empty: move or delete its media first"
                                : "a media is being put into the project: try again in a minute",
                            "mediaCount", refused->medias);
}

// Returns whether an address has a signature now.
bool Projects::sign_files(std::vector<media::Media>& medias, const oauth::Issued& issued) const {
  bool is_signed = false;
  for (media::Media& media : medias) {
    auto with = with_signed_files(media, issued);
    if (!with) continue;
    media = *std::move(with);
    is_signed = true;
  }
  return is_signed;
}

}  // namespace svc::endpoints
