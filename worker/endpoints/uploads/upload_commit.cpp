#include "endpoints/uploads/upload_commit.h"

#include <algorithm>
#include <utility>

#include "base/api_paths.h"
#include "base/settings_paths.h"
#include "base/unavailable.h"
#include "endpoints/body_fields.h"
#include "endpoints/media_response.h"
#include "http/api_error.h"
#include "http/refusal.h"
#include "library/project_service.h"
#include "media/file_title.h"
#include "media/upload_form.h"
#include "media/upload_limits.h"
#include "oauth/operation.h"
#include "text/rfc3339.h"

namespace svc::endpoints {
namespace {

// The upload is seen by those who see the media whose file it replaces, and guarded as that is: so
// its files need no other marks when that gets them.
void become_like(media::Media& media, const media::Media& replaced) {
  media.name = "New file of " + replaced.name;
  if (!media::why_not_given_name(media.name).empty()) media.name = "New file";
  media.description.clear();
  media.project.reset();
  media.visibility =
      replaced.is_private() ? media::Visibility::Private : media::Visibility::Unlisted;
  media.allowed_domains = replaced.allowed_domains;
  media.links_from = replaced.links_from;
}

std::string without_stop(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

// The folder of the pages of an account's uploads: pages::LibraryPage.
std::string media_folder(media::AccountId account) {
  return base::paths::kAccountMedia.with(std::to_string(account.value())) + "/";
}

}  // namespace

ApiOperation UploadCommit::describe() {
  ApiOperation post{.method = "POST", .id = "uploadMedia", .summary = "Upload a file"};
  post.about =
      "The file is converted afterwards: `status` and `progress` of the media tell how far it is. "
      "The token is in the query only. A repetition with an Idempotency-Key sends the whole file "
      "again, which is compared by its name and size.";
  post.needs = &oauth::kUploadMedia;
  post.credentials = Credentials::Query;
  post.is_repeatable = true;
  DescribedField file{std::string(media::kFileField), a_file(),
                      "A video, a sound, an image or a PDF. Behind the other fields.", true,
                      R"("film.mp4")"};
  DescribedField name = describe_name(false, R"("A film")");
  name.about += " If it is absent, the media has the name of the file.";
  post.body = {{name,
                describe_description(),
                {std::string(media::kProjectField), project_id_schema(),
                 "The id of a project of the account.", false},
                {std::string(media::kVisibilityField), visibility_schema(),
                 "Who may watch it; `public` if it is absent.", false},
                file},
               "",
               true};
  post.response =
      json_response(201, "The media, with the status `queued`.", a_record(kMediaRecord));
  post.refusals = {{403, "The token lacks the scope, or uploads are not enabled for the account."},
                   {507,
                    "The disk is full, or the account has as many uploads, or bytes of files, "
                    "as are allowed. 429: too many of its uploads wait."}};
  return post;
}

// A page has this header already.
void UploadCommit::add_common_headers(http::Response& response) const {
  const bool has = std::ranges::any_of(
      response.headers, [](const http::Header& each) { return each.name == "Cache-Control"; });
  if (!has) response.with("Cache-Control", "no-store");
}

http::Response UploadCommit::refuse(const http::Request& request, const UploadPermit& permit,
                                    const ReceivedUpload::Problem& refused) const {
  const auto& [status, problem] = refused;
  if (request.upload_answer == "html" && page_ != nullptr)
    return page_(request, site_, status, without_stop(problem.sentence()), permit.account);
  if (!request.upload_answer.empty()) return http::json_error(status, problem.sentence());
  if (status != 422) return http::api_error(status, problem.words);
  return http::api_invalid_fields({{std::string(problem.field), problem.words}});
}

std::optional<http::Response> UploadCommit::unavailable(const http::Request& request) const {
  if (request.upload_answer.empty()) return std::nullopt;
  if (request.upload_answer == "html" && page_ != nullptr)
    return page_(request, site_, http::kUnavailable, "", media::AccountId{0});
  return http::refusal(http::ErrorForm::Json, request, 503, "").with("Retry-After", "1");
}

loop::Task<http::Response> UploadCommit::answer(const http::Request& request) {
  const auto permit = UploadPermit::open(request.upload_permit, request.request_id, keys_);
  if (!permit) co_return http::api_error(403, "uploads need permission first");
  // It had its turn before the file came.
  if (request.use != nullptr)
    request.use->admit(permit->account.value(), loop::Shares::Use::May::Wait);
  const auto received = ReceivedUpload::parse(request.upload_form, text::to_rfc3339(clock_.now()));
  if (!received) throw base::Unavailable("the form that the upload pool has read is malformed");
  media::UploadPlace place = permit->place(request, limits_, clock_.now());
  // Not kept for a repetition: another body, or more room, may be taken.
  if (!received->form && received->form.error().status != 422) {
    co_await uploads_.free_place(permit->account, std::move(place));
    co_return refuse(request, *permit, received->form.error());
  }
  const media::HashedId id = media::id_of_upload(request.request_id);
  bool is_added = false;
  auto taking = take(request, *permit, *received, id, place, is_added);
  http::Response response;
  if (permit->grant && repeated_ != nullptr) {
    const Repeated::Owner owner{*permit->grant, permit->account};
    response = co_await repeated_->answer(request, owner, received->digest, std::move(taking));
  } else {
    response = co_await taking;
  }
  if (!is_added) {
    co_await uploads_.free_place(permit->account, std::move(place));
  }
  if (received->form && !is_added) {
    co_await uploads_.discard(id, permit->account);
  }
  co_return response;
}

loop::Task<http::Response> UploadCommit::take(const http::Request& request,
                                              const UploadPermit& permit,
                                              const ReceivedUpload& received, media::HashedId id,
                                              const media::UploadPlace& place, bool& is_added) {
  if (!received.form) co_return refuse(request, permit, received.form.error());
  media::Media media = received.form->media;
  media.id = id;
  media.account = permit.account;
  // An application gets the name of the file.
  if (!request.upload_answer.empty() && media.name == received.form->file.name)
    media.name = media::title_of_file(media.name);
  if (permit.replaces) {
    media::Reads reads;  // responses are not cached
    const auto replaced =
        co_await catalog_.find_media(permit.replaces->media, media::Detail::All, reads);
    // It was deleted since.
    if (!replaced || replaced->account != permit.account || replacements_ == nullptr)
      co_return refuse(request, permit,
                       {404, {media::kFileField, "is for a video that does not exist"}});
    become_like(media, *replaced);
  } else if (media.is_private()) {
    end_links(media, clock_.now_ms());
  }
  std::optional<media::Project> project;
  const ReceivedUpload::Problem no_project{
      422, {media::kProjectField, "must be a project of the account"}};
  if (media.project) {
    project = co_await catalog_.find_project(*media.project);
    if (!project || project->account != permit.account)
      co_return refuse(request, permit, no_project);
  }
  // If this fails the file stays: the record may exist nevertheless. svc-ingest
  // deletes the file with a job that has no record, and one without a job after a
  // day.
  std::optional<media::UploadPlace> its_place = place;
  const std::optional<media::Uploads::NotAdded> not_added =
      co_await uploads_.add(media, received.form->file, std::move(its_place));
  is_added = !not_added;
  // If this fails, the upload stays a media of its own.
  if (is_added && permit.replaces) {
    const media::Replacement replacement{id, permit.replaces->media, permit.account,
                                         permit.replaces->contact, clock_.now_ms()};
    co_await replacements_->begin(replacement);
  }
  if (not_added && not_added->over) {
    const media::NoRoom no_room = media::why_no_room(*not_added->over, limits_);
    http::Response refused =
        refuse(request, permit, {no_room.status, {media::kFileField, no_room.why}});
    if (no_room.retry_after > 0) refused.with("Retry-After", std::to_string(no_room.retry_after));
    co_return refused;
  }
  // The project was deleted since.
  if (!is_added) co_return refuse(request, permit, no_project);
  if (request.upload_answer == "html") {
    http::Response seen;
    seen.status = 303;
    seen.about = id.value();
    const media::HashedId& shown = permit.replaces ? permit.replaces->media : id;
    seen.with("Location", media_folder(permit.account) + shown.value());
    co_return seen;
  }
  http::Response response = media_response(media, media_json(site_, media, project, 0));
  response.status = 201;
  response.with("Location", site_.url(base::paths::kMedia, id.value()));
  co_return response;
}

}  // namespace svc::endpoints
