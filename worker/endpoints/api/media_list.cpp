#include "endpoints/api/media_list.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "endpoints/list_query.h"
#include "endpoints/media_response.h"
#include "endpoints/uploads/upload_commit.h"
#include "http/api_error.h"
#include "oauth/operation.h"
#include "text/form.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

using Refused = base::Refusal<std::string>;

constexpr std::size_t kMostIds = 100;
constexpr ListForm kMediaListForm{.takes_cursors = true};
constexpr std::string_view kOfProject = "project_id";
constexpr std::string_view kOfName = "name";
constexpr std::string_view kOfType = "type";
constexpr std::string_view kOfId = "hashed_id";
constexpr std::string_view kOfIds = "hashed_ids[]";
constexpr std::string_view kArchived = "archived";
constexpr std::array kGivenOnce{kOfProject, kOfName, kOfType, kOfId, kArchived};

std::vector<DescribedField> describe_filters() {
  const auto filter = [](std::string_view name, Schema schema, std::string about) {
    return DescribedField{std::string(name), std::move(schema), std::move(about), false};
  };
  return {
      filter(kOfProject, text_schema(), "Only media of the project with this id."),
      filter(kOfName, text_schema(),
             "Only media with exactly this name, in any Unicode normalization form."),
      filter(kOfType, text_schema(), "Only media of this type, such as `Video`."),
      filter(kOfId, text_schema(), "Only the media with this id."),
      filter(kOfIds, array_of(text_schema(), 0, kMostIds),
             "Only the media with these ids; once for each."),
      filter(kArchived, one_of({"true", "false"}), "`true` lists nothing: there is no archive.")};
}

// The filters of a list; all that are given must fit. `none`: no media can fit.
struct Filter {
  media::MediaQuery query;
  bool none = false;
};

base::Result<Filter, std::string> read_filter(const text::Form& form) {
  Filter filter;
  std::optional<media::HashedId> one;
  std::size_t ids = 0;
  for (const std::string_view name : kGivenOnce) {
    const auto value = given_once(form, name);
    if (!value) return Refused{value.error()};
  }
  for (const auto& [name, value] : form.fields()) {
    if (name == kOfProject) {
      filter.query.project = media::ProjectId::parse(value);
      filter.none |= !filter.query.project;
    } else if (name == kOfName) {
      filter.query.name = value;
    } else if (name == kOfType) {
      filter.query.type = value;
    } else if (name == kOfId) {
      one = media::HashedId::parse(value);
      filter.none |= !one;
    } else if (name == kOfIds) {
      if (++ids > kMostIds)
        return Refused{"hashed_ids[] must be given at most " + std::to_string(kMostIds) + " times"};
      if (!filter.query.ids) filter.query.ids.emplace();
      if (const auto id = media::HashedId::parse(value)) filter.query.ids->push_back(*id);
    } else if (name == kArchived) {
      if (value != "true" && value != "false")
        return Refused{std::string("archived must be true or false")};
      filter.none |= value == "true";
    } else if (name.starts_with(kOfId)) {
      return Refused{http::shown(name) + " is not offered: use " + std::string(kOfIds)};
    } else if (name == "tags[]" || name == "tags") {
      // A list that ignores a filter has everything in it.
      return Refused{http::shown(name) + " is not offered: media have no tags here"};
    }
  }
  if (one) {
    auto& among = filter.query.ids;
    filter.none |= among && std::ranges::find(*among, *one) == among->end();
    among = std::vector{*one};
  }
  return filter;
}

}  // namespace

Described MediaList::describe() {
  ApiOperation get{.method = "GET", .id = "listMedias", .summary = "List media"};
  get.about = "All filters that are given must fit. `tags[]` is refused: media have no tags here.";
  get.needs = &oauth::kReadCatalog;
  get.is_list = true;
  get.query = describe_list(kMediaListForm);
  for (DescribedField& field : describe_filters()) get.query.push_back(std::move(field));
  get.response = json_response(200, "A page of media.", array_of(a_record(kMediaRecord)));
  return {{get, UploadCommit::describe()}};
}

loop::Task<http::Response> MediaList::answer(const http::Request& request) {
  if (request.method == "POST") co_return co_await post_.answer(request);
  const auto issued = co_await admit(request);
  if (!issued) co_return issued.error();
  const text::Form form = text::Form::parse(request.query);
  const auto list = read_list_query(form, kMediaListForm, issued->account);
  if (!list) co_return http::api_error(400, list.error());
  auto filter = read_filter(form);
  if (!filter) co_return http::api_error(400, filter.error());
  media::MediaQuery& query = filter->query;
  if (list->has_cursors && (query.ids || query.name))
    co_return http::api_error(400,
                              "name, hashed_id and hashed_ids[] must not be given with a cursor");
  if (list->from && !listings_.is_place(*list->from))
    co_return http::api_error(400, "the cursor is not one that a list returned");
  query.order = list->order;
  query.from = list->from;
  query.backwards = list->backwards;
  std::vector<media::Media> medias;
  if (!filter->none) {
    medias = co_await listings_.medias(issued->account, query);
  }
  // The extra record is after the page, or before it if the list was read backwards.
  const bool has_more = medias.size() > list->per_page;
  if (has_more) list->backwards ? void(medias.erase(medias.begin())) : medias.pop_back();
  const MediaDetails details = co_await find_details(catalog_, uploads_, medias);
  http::Response response = http::in_json("");
  text::json::ArrayWriter array(response.body);
  std::string first;
  std::string last;
  for (std::size_t i = 0; i < medias.size(); ++i) {
    std::string cursor;
    if (list->has_cursors)
      cursor = cursor_of(listings_.place_of(medias[i]), issued->account, list->order.ascending);
    const auto with = with_signed_files(medias[i], *issued);
    const std::size_t before = response.body.size();
    append_media(array.next(), site_, with ? *with : medias[i], details.projects[i],
                 details.progress[i], cursor);
    co_await pieces().add(response.body.size() - before);
    if (i == 0) first = cursor;
    last = std::move(cursor);
  }
  array.end();
  add_links(response, site_, request, *list, has_more, first, last);
  co_return response;
}

}  // namespace svc::endpoints
