#include "pages/settings/uploads_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/paths.h"
#include "base/unavailable.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "oauth/consent.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/refusal_page.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::pages {
namespace {

constexpr std::string_view kJson = ".json";
constexpr std::string_view kScript = "/assets/uploads.js";
constexpr int kRefresh = 5;  // seconds, without scripts
constexpr double kThousand = 1000;

bool is_for_script(const http::Request& request) {
  return request.upload_answer == "json" || request.path.ends_with(kJson);
}

// What the form's path has after that of the list.
constexpr std::string_view kForm =
    base::paths::kUploadForm.after().substr(base::paths::kAccountMedia.after().size());

bool is_form(std::string_view path) {
  constexpr std::string_view kFolder = base::paths::kUploadForm.before();
  if (!path.starts_with(kFolder)) return false;
  path.remove_prefix(kFolder.size());
  return path.substr(std::min(path.find('/'), path.size())) == base::paths::kUploadForm.after();
}

std::string_view why_no_uploads(oauth::Barrier barrier) {
  switch (barrier) {
    case oauth::Barrier::OnlyAUser:
      return "You are a user of this account. Only its owners and managers upload media: ask one "
             "of them.";
    case oauth::Barrier::OauthDisabled:
      return "Media cannot be uploaded here, because OAuth is not enabled for this account. Ask "
             "the operator of this service to enable it.";
    case oauth::Barrier::ContactDisabled: return "You cannot upload media.";
  }
  return "";
}

bool is_pending(const media::Media& media) {
  return media.status == media::Status::Queued || media.status == media::Status::Processing;
}

std::string status_text(const media::Media& media, double progress) {
  switch (media.status) {
    case media::Status::Queued: return "Waiting to be processed.";
    case media::Status::Processing:
      return "Processing: " + std::to_string(static_cast<int>(progress * 100)) + " %.";
    case media::Status::Ready: return "Ready.";
    case media::Status::Failed: return "Failed.";
  }
  return "";
}

// The embed code of a video that is ready; "" for any other media.
std::string code_of(const media::Media& media, const embed::Site& site) {
  if (embed::why_not_embeddable(media)) return "";
  const embed::Embeddable subject = embed::embeddable(media);
  embed::EmbedRequest request;
  request.id = media.id;
  return embed::build_embed_code(request, subject, embed::fit(request.size, subject.native), site);
}

http::Response json_refusal(int status, std::string_view why) {
  http::Response response = http::json_error(status, why);
  return std::move(response.with("Cache-Control", "no-store"));
}

Problem nothing_uploaded(int status, std::string text, const std::string& list,
                         const embed::Site& site) {
  Problem problem;
  problem.status = status;
  problem.title = "Nothing was uploaded";
  problem.text = std::move(text);
  problem.link = problem.again = list;
  problem.link_name = "Try again";
  problem.product = site.provider_name;
  return problem;
}

}  // namespace

// Matches /settings/accounts/<id>/media and the paths below it.
loop::Task<http::Response> UploadsPage::answer(const http::Request& request) {
  const bool is_question = request.path.starts_with(base::paths::kUploadPagePermission.before());
  if (is_question || is_form(request.path)) {
    auto deciding = decide(request, is_question);
    co_return co_await deciding;
  }
  auto answering = Settings::answer(request);
  http::Response response = co_await answering;
  co_return response;
}

std::optional<http::Response> UploadsPage::unavailable(const http::Request& request) const {
  if (!is_for_script(request)) return std::nullopt;
  http::Response response = json_refusal(503, "temporarily unavailable");
  return std::move(response.with("Retry-After", "1"));
}

loop::Task<base::Result<UploadsPage::Place, UploadsPage::Refused>> UploadsPage::place_of(
    const SettingsContext& context) {
  std::string_view rest = context.request.path.substr(base::paths::kAccountMedia.before().size());
  const std::string_view number = rest.substr(0, rest.find('/'));
  const media::AccountId id{base::parse_number<std::int64_t>(number).value_or(0)};
  const auto& memberships = context.contact.memberships;
  const auto membership = std::ranges::find(memberships, id, &media::Membership::account);
  // Accounts of others look as if they did not exist.
  if (std::to_string(id.value()) != number || membership == memberships.end())
    co_return base::Refusal{Refused{nothing_here(context, "page"), "no such account"}};
  std::optional<media::Account> account = co_await parts_.people.find_account(id);
  if (!account)
    co_return base::Refusal{Refused{nothing_here(context, "account"), "no such account"}};
  Place place;
  place.account = std::move(*account);
  place.list = base::paths::kAccountMedia.with(number);
  if (const auto barrier = oauth::barrier_of(oauth::standing_of(context.contact, place.account))) {
    SettingsPage page(parts_, context, "Media", "uploads_barred.tpl");
    page.body()
        .set("ACCOUNT", clipped(place.account.name, kMaxShownName))
        .set("WHY", why_no_uploads(*barrier));
    co_return base::Refusal{Refused{page.answer(403), why_no_uploads(*barrier)}};
  }
  rest = context.request.path.substr(std::min(place.list.size(), context.request.path.size()));
  if (rest == "/") co_return base::Refusal{Refused{nothing_here(context, "page"), "no such page"}};
  if (!rest.empty()) place.rest = rest.substr(1);
  co_return place;
}

// Whether a form may be sent. Both requests of nginx pass the same checks, so
// that the second finds the reason of the first.
loop::Task<http::Response> UploadsPage::decide(const http::Request& asked, bool is_question) {
  http::Request request = asked;
  if (is_question) request.path.remove_prefix(base::paths::kUploadPermission.pattern.size());
  const bool for_script = request.upload_answer == "json";
  http::Response forbidden;
  forbidden.status = 403;
  if (!is_form(request.path)) co_return forbidden;
  const std::string list(request.path.substr(0, request.path.size() - kForm.size()));
  const login::Visitor visitor = co_await parts_.visitors.of(request);
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, parts_.people);
  if (!contact) {
    if (is_question) co_return forbidden;
    if (for_script) co_return json_refusal(401, "You are logged out. Reload the page to log in.");
    co_return parts_.login.ask(request, visitor, {list, "", ""},
                               request.method == "POST" ? kNotSaved : "");
  }
  // A login between form and submission redirects here with GET.
  if (request.method != "POST") {
    if (is_question) co_return forbidden;
    co_return see_other(list, visitor);
  }
  const SettingsContext context{request, visitor, *contact, parts_.clock.now()};
  const text::Form query = text::Form::parse(request.query);
  if (is_forged(request, query.find("form").value_or(""), visitor, form_purpose(request.path),
                parts_.site, parts_.keys)) {
    if (is_question) co_return forbidden;
    if (for_script) co_return json_refusal(403, "This page is too old. Reload it, then try again.");
    co_return forged_form_page(request, visitor, parts_.site.provider_name, list);
  }
  const base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) {
    if (is_question) co_return forbidden;
    const Refused& refused = place.error();
    co_return for_script ? json_refusal(refused.page.status, refused.reason) : refused.page;
  }
  const std::optional<std::int64_t> wait = co_await parts_.form_limit.wait(contact->id);
  if (wait) {
    if (is_question) co_return forbidden;
    if (!for_script) co_return too_many_forms(context, *wait);
    http::Response response = json_refusal(429, "Too many requests. Wait a minute.");
    co_return std::move(response.with("Retry-After", std::to_string(*wait)));
  }
  auto asking =
      media::why_no_room(uploads_, catalog_, place->account.id, request.upload_length, limits_);
  const std::optional<media::NoRoom> no_room = co_await asking;
  if (no_room) {
    if (is_question) co_return forbidden;
    http::Response response =
        for_script ? json_refusal(no_room->status, no_room->why)
                   : problem_page(
                         nothing_uploaded(no_room->status, no_room->why, place->list, parts_.site),
                         request, visitor);
    if (no_room->retry_after > 0)
      response.with("Retry-After", std::to_string(no_room->retry_after));
    co_return response;
  }
  // nginx requests the form's path only after a refusal.
  if (!is_question) throw base::Unavailable("the permission was refused, and is not any more");
  oauth::AuditEvent event{.what = "upload.permitted",
                          .contact = contact->id,
                          .account = place->account.id,
                          .address = request.remote_address,
                          .detail = request.request_id};
  co_await parts_.audit.record(event);
  http::Response response;
  response.status = 204;
  response.with(kAccount, std::to_string(place->account.id.value()));
  co_return response;
}

loop::Task<http::Response> UploadsPage::show(const SettingsContext& context) {
  const bool for_script = is_for_script(context.request);
  const base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) {
    const Refused& refused = place.error();
    co_return for_script ? json_refusal(refused.page.status, refused.reason) : refused.page;
  }
  auto showing = place->rest.empty() ? list(context, *place) : one(context, *place);
  co_return co_await showing;
}

// Media of other accounts look as if they did not exist.
loop::Task<std::optional<media::Media>> UploadsPage::media_of(const Place& place,
                                                              std::string_view name) {
  const std::optional<media::HashedId> id = media::HashedId::parse(name);
  if (!id) co_return std::nullopt;
  media::Reads reads;  // responses are not cached
  auto reading = catalog_.find_media(*id, media::Detail::All, reads);
  std::optional<media::Media> media = co_await reading;
  if (media && media->account != place.account.id) media.reset();
  co_return media;
}

// A film that is ready may be embedded somewhere: only an application with all
// permissions deletes it.
loop::Task<http::Response> UploadsPage::take(const SettingsContext& context, const text::Form&) {
  const base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) co_return place.error().page;
  if (place->rest.empty() || is_for_script(context.request)) co_return only_by_form(context);
  auto finding = media_of(*place, place->rest);
  const std::optional<media::Media> media = co_await finding;
  // The form was sent twice, or the upload has expired: the goal is reached.
  if (!media) co_return done(context, place->list, "deleted");
  // It became ready while the page was open: the page says the rest.
  if (media->status == media::Status::Ready)
    co_return see_other(place->list + "/" + media->id.value(), context.visitor);
  const std::string detail = "media " + media->id.value();
  const oauth::AuditEvent event{.what = "media.removed",
                                .contact = context.contact.id,
                                .account = place->account.id,
                                .address = context.request.remote_address,
                                .detail = detail,
                                .makes_room = true};
  co_await parts_.audit.record(event);
  auto removing = uploads_.remove(media->id, place->account.id);
  co_await removing;
  co_return done(context, place->list, "deleted");
}

loop::Task<double> UploadsPage::progress_of(const media::Media& media) {
  if (media.status == media::Status::Ready) co_return 1;
  if (media.status != media::Status::Processing) co_return 0;
  auto asking = uploads_.progress(media.id);
  const double progress = co_await asking;
  co_return progress;
}

void UploadsPage::describe(Values& values, const SettingsContext& context, const Place& place,
                           const media::Media& media, double progress) const {
  const std::string id = media.id.value();
  values.set("ID", id)
      .set("PAGE", place.list + "/" + id)
      .set("NAME", clipped(media.name, kMaxShownName))
      .set("WORDS", status_text(media, progress));
  set_time(values, "CREATED", text::seconds_of_rfc3339(media.created).value_or(0), context.now);
  if (media.status == media::Status::Failed)
    values.show_with("FAILED").set("REASON", clipped(media.failure, kMaxShownText));
  if (is_pending(media)) {
    values.show_with("PENDING").set("THOUSANDTHS", static_cast<long>(progress * kThousand));
    return;
  }
  if (media.status != media::Status::Ready) return;
  const std::string code = code_of(media, parts_.site);
  if (code.empty()) {
    values.show("NO_CODE");
    return;
  }
  values.show_with("CODE").set("TEXT", code).set("PUBLIC", parts_.site.media_page(id));
}

loop::Task<http::Response> UploadsPage::list(const SettingsContext& context, const Place& place) {
  auto searching = uploads_.recent(place.account.id);
  const std::vector<media::HashedId> ids = co_await searching;
  media::Reads reads;  // responses are not cached
  std::vector<media::Media> medias;
  if (!ids.empty()) {
    auto reading = catalog_.find_medias(ids, media::Detail::All, reads);
    medias = co_await reading;
  }
  std::erase_if(medias,
                [&](const media::Media& media) { return media.account != place.account.id; });
  SettingsPage page(parts_, context, "Media", "uploads.tpl");
  page.with_script(kScript);
  page.show_done();
  Values& body = page.body();
  body.set("ACCOUNT", clipped(place.account.name, kMaxShownName));
  page.set_form(body, place.list + std::string(kForm));
  auto measuring = uploads_.bytes(place.account.id);
  const std::int64_t bytes = co_await measuring;
  if (bytes > 0 || limits_.bytes > 0) {
    Values taken = body.show_with("TAKEN");
    taken.set("BYTES", size_text(bytes));
    if (limits_.bytes > 0) taken.show_with("LIMITED").set("MOST", size_text(limits_.bytes));
  }
  if (medias.empty()) body.show("EMPTY");
  for (const media::Media& media : medias) {
    auto asking = progress_of(media);
    const double progress = co_await asking;
    Values upload = body.show_with("UPLOAD");
    Values item = upload.include("ITEM", "uploads_item.tpl");
    item.show("TITLED");
    describe(item, context, place, media, progress);
  }
  if (ids.size() >= media::Uploads::kMostRecent)
    body.show_with("FULL").set("MOST", static_cast<long>(media::Uploads::kMostRecent));
  co_return page.answer();
}

loop::Task<http::Response> UploadsPage::one(const SettingsContext& context, const Place& place) {
  const bool for_script = is_for_script(context.request);
  std::string_view name = place.rest;
  if (for_script) name.remove_suffix(kJson.size());
  auto finding = media_of(place, name);
  const std::optional<media::Media> media = co_await finding;
  if (!media) {
    if (for_script) co_return json_refusal(404, "It was deleted.");
    co_return nothing_here(context, "media", place.list, "Media of the account");
  }
  auto asking = progress_of(*media);
  const double progress = co_await asking;
  if (for_script) {
    http::Response response;
    response.about = media->id.value();
    response.content_type = http::kJson;
    response.with("Cache-Control", "no-store").with("X-Content-Type-Options", "nosniff");
    text::json::ObjectWriter writer(response.body);
    writer.string("hashed_id", media->id.value())
        .string("name", media->name)
        .string("status", to_text(media->status))
        .decimal("progress", progress)
        .string("words", status_text(*media, progress));
    if (!media->failure.empty()) writer.string("failure", media->failure);
    const std::string code = code_of(*media, parts_.site);
    if (code.empty()) {
      writer.null("embedCode");
    } else {
      writer.string("embedCode", code);
    }
    writer.end();
    co_return response;
  }
  SettingsPage page(parts_, context, clipped(media->name, kMaxShownName), "uploads_one.tpl");
  page.with_script(kScript);
  if (is_pending(*media)) page.refresh_after(kRefresh);
  page.body()
      .set("NAME", clipped(media->name, kMaxShownName))
      .set("LIST", place.list)
      .set("ACCOUNT", clipped(place.account.name, kMaxShownName));
  Values item = page.body().include("ITEM", "uploads_item.tpl");
  describe(item, context, place, *media, progress);
  if (media->status == media::Status::Failed) page.body().show("KEPT");
  if (media->status == media::Status::Ready) {
    page.body().show("READY");
  } else {
    Values deletion = page.body().show_with("DELETION");
    page.set_form(deletion, place.list + "/" + media->id.value());
  }
  http::Response response = page.answer();
  response.about = media->id.value();
  co_return response;
}

http::Response refused_upload_page(const http::Request& request, const embed::Site& site,
                                   int status, std::string_view why) {
  if (status == http::kUnavailable) return refusal_page(site.provider_name, request, status);
  const std::string list = base::paths::kAccountMedia.with(request.upload_account);
  return problem_page(
      nothing_uploaded(status, "The upload was refused: " + std::string(why) + ".", list, site),
      request, {});
}

}  // namespace svc::pages
