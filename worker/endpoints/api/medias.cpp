#include "endpoints/api/medias.h"

#include <utility>

#include "base/api_paths.h"
#include "endpoints/body_fields.h"
#include "endpoints/media_response.h"
#include "http/api_error.h"
#include "media/upload_form.h"
#include "oauth/operation.h"
#include "text/ascii.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kNewStill = "new_still_media_id";

// Accepts any text: the account does not have an image with an impossible id.
std::string any_id(const std::string&) { return ""; }

}  // namespace

Described Medias::describe() {
  ApiOperation get{.method = "GET", .id = "getMedia", .summary = "Read a media"};
  get.needs = &oauth::kSeeMedia;
  get.has_tag = true;
  get.response = json_response(200, "The media.", a_record(kMediaRecord));
  get.refusals = {{404, std::string(kNoMedia)}};
  ApiOperation put = get;
  put.method = "PUT";
  put.id = "editMedia";
  put.summary = "Edit a media";
  put.about = "Absent fields stay as they are. `PUT " +
              std::string(base::paths::kMediaMove.pattern) +
              "` changes the project: `project_id` here is refused.";
  put.needs = &oauth::kEdit;
  put.takes_condition = true;
  put.body = {
      {describe_name(false, R"("Another name")"),
       describe_description(),
       {std::string(media::kVisibilityField), visibility_schema(),
        "Who may watch it: an `unlisted` one who knows its id, a `private` one who has a link.",
        false},
       {std::string(media::kAllowedDomainsField), or_null(domains_schema()),
        "The sites whose pages may show it, as in a Content-Security-Policy: `site.example`, "
        "`*.site.example` for all below it, or the origin of an application, such as "
        "`capacitor://localhost`. Null: those of the account; none: every site.",
        false},
       {std::string(kNewStill), or_null(media_id_schema()),
        "An image of the account; its picture becomes the poster. Null: the media's own poster.",
        false}},
      in_kib(kMaxRecordBody)};
  ApiOperation remove{.method = "DELETE", .id = "deleteMedia", .summary = "Delete a media"};
  remove.about = "It is gone at once; its files follow.";
  remove.needs = &oauth::kEdit;
  remove.takes_condition = true;
  remove.response = {204, "It is deleted."};
  remove.refusals = get.refusals;
  return {{get, put, remove}, describe_media()};
}

loop::Task<double> Medias::progress_of(const media::Media& media) {
  if (media.status != media::Status::Processing)
    co_return media.status == media::Status::Ready ? 1 : 0;
  co_return co_await uploads_.progress(media.id);
}

loop::Task<http::Response> Medias::answer_own(const http::Request& request,
                                              const oauth::Issued& issued,
                                              media::MediaWithProject& found) {
  if (!request.is_get_or_head()) co_return co_await change(request, found, issued);
  const auto& [media, project, kept] = found;
  const double progress = co_await progress_of(media);
  if (media.status == media::Status::Processing || with_signed_files(media, issued))
    co_return response_of(media, project, progress, issued, request);
  if (kept.empty()) found.json = media_json(site_, media, project, progress);
  co_return tagged(media_response(media, kept), request);
}

// Its entity tag is unknown.
loop::Task<http::Response> Medias::remove_unreadable(const http::Request& request,
                                                     const oauth::Issued& issued) {
  if (conditions_of(request).any()) co_return overtaken();
  const auto id = request.part<media::HashedId>("media");
  const library::Condition any;
  co_return co_await remove(request, *id, any, issued);
}

loop::Task<http::Response> Medias::remove(const http::Request& request, const media::HashedId& id,
                                          const library::Condition& condition,
                                          const oauth::Issued& issued) {
  const auto refused = co_await service_.remove(id, condition, actor_of(request, issued));
  if (refused) co_return refusal_of(*refused, "media");
  co_return no_content(id.value());
}

http::Response Medias::response_of(const media::Media& media,
                                   const std::optional<media::Project>& project, double progress,
                                   const oauth::Issued& issued,
                                   const http::Request& request) const {
  std::string json = media_json(site_, media, project, progress);
  const auto with = with_signed_files(media, issued);
  if (!with) return tagged(media_response(media, std::move(json)), request);
  const std::string shown = media_json(site_, *with, project, progress);
  return tagged(media_response(media, shown), request, json, shown);
}

loop::Task<http::Response> Medias::change(const http::Request& request,
                                          const media::MediaWithProject& found,
                                          const oauth::Issued& issued) {
  const std::optional<media::Project> project = found.project;
  const double progress = co_await progress_of(found.media);
  const library::Condition is_wanted = [&](const media::Media& media) {
    return !conditions_of(request).any() ||
           may_change(request, media_json(site_, media, project, progress));
  };
  if (!is_wanted(found.media)) co_return overtaken();
  const media::HashedId id = found.media.id;
  if (request.method == "DELETE") co_return co_await remove(request, id, is_wanted, issued);
  const library::Actor actor = actor_of(request, issued);
  auto body = BodyFields::read(request);
  if (!body) co_return body.error();
  library::MediaEdit edit;
  edit.name = body->text(kNameField, media::why_not_given_name);
  if (edit.name) edit.name = std::string(text::trimmed(*edit.name));
  edit.description = body->text(kDescriptionField, media::why_not_given_description);
  if (body->is_null(kNameField)) body->refuse(kNameField, "must be a string");
  if (body->is_null(kDescriptionField)) edit.description = "";
  const auto visibility = body->text(media::kVisibilityField, media::why_not_visibility);
  if (visibility) edit.visibility = media::visibility_of(*visibility);
  if (body->is_null(media::kVisibilityField))
    body->refuse(media::kVisibilityField, media::why_not_visibility(""));
  if (body->is_null(media::kAllowedDomainsField)) edit.allowed_domains.emplace();
  if (const auto given = body->texts(media::kAllowedDomainsField, media::kMaxDomains)) {
    const auto domains = media::canonical_domains(*given);
    if (!domains) body->refuse(media::kAllowedDomainsField, domains.error());
    if (domains) edit.allowed_domains.emplace(*domains);
  }
  // Ignored, a client would think that the media was moved.
  if (body->has(media::kProjectField))
    body->refuse(media::kProjectField,
                 "is changed by PUT " + std::string(base::paths::kMediaMove.pattern));
  const std::optional<std::string> still = body->text(kNewStill, any_id);
  if (body->is_null(kNewStill)) edit.poster.emplace();
  if (still && !body->refused(kNewStill)) {
    auto picture = co_await service_.picture_of(*still, actor);
    if (picture) {
      edit.poster = library::NewPoster{.picture = std::move(*picture)};
    } else {
      body->refuse(kNewStill, picture.error());
    }
  }
  const auto why = co_await service_.why_not(found.media, edit);
  if (why) body->refuse(why->field, why->why);
  if (const auto refused = body->refused()) co_return *refused;
  const auto edited = co_await service_.edit(id, edit, is_wanted, actor);
  if (!edited) co_return refusal_of(edited.error(), "media");
  co_return response_of(*edited, project, progress, issued, request);
}

}  // namespace svc::endpoints
