#include "pages/settings/library_page.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "base/number.h"
#include "base/paths.h"
#include "base/unavailable.h"
#include "endpoints/media_list.h"
#include "endpoints/upload_permit.h"
#include "loop/all.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/refusal_page.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

constexpr std::string_view kScript = "/assets/uploads.js";

struct Named {
  std::string_view value;  // the parameter's; "": the default
  std::string_view name;
};
constexpr std::array<Named, 4> kStatuses{
    {{"", "Any"}, {"ready", "Ready"}, {"processing", "Being converted"}, {"failed", "Failed"}}};
const std::array<std::vector<media::Status>, kStatuses.size()> kFilters{
    {{},
     {media::Status::Ready},
     {media::Status::Queued, media::Status::Processing},
     {media::Status::Failed}}};
constexpr std::array<Named, 6> kSorts{{{"", "Newest first"},
                                       {"created", "Oldest first"},
                                       {"-updated", "Last changed first"},
                                       {"updated", "Last changed last"},
                                       {"name", "Name, A to Z"},
                                       {"-name", "Name, Z to A"}}};
constexpr std::array<media::ListOrder, kSorts.size()> kOrders{
    {{.by = media::SortBy::Created, .ascending = false},
     {.by = media::SortBy::Created, .ascending = true},
     {.by = media::SortBy::Updated, .ascending = false},
     {.by = media::SortBy::Updated, .ascending = true},
     {.by = media::SortBy::Name, .ascending = true},
     {.by = media::SortBy::Name, .ascending = false}}};

// The row with that value; the first row if the value is unknown.
template <std::size_t N>
const Named* named(const std::array<Named, N>& rows, std::string_view value) {
  const auto row = std::ranges::find(rows, value, &Named::value);
  return row == rows.end() ? rows.data() : &*row;
}

bool is_for_script(const http::Request& request) { return request.upload_answer == "json"; }

bool is_form(std::string_view path) {
  return http::matches(base::paths::kUploadForm.pattern, path);
}

// A form with a long text, which only nginx's question is about.
bool is_long_text(std::string_view path) {
  return http::matches(base::paths::kCaptionsForms.pattern, path);
}

http::Response json_refusal(int status, std::string_view why) {
  http::Response response = http::json_error(status, why);
  return std::move(response.with("Cache-Control", "no-store"));
}

Problem nothing_uploaded(int status, std::string text, const std::string& list) {
  Problem problem;
  problem.status = status;
  problem.title = "Nothing was uploaded";
  problem.text = std::move(text);
  problem.link = problem.again = list;
  problem.link_name = "Try again";
  return problem;
}

}  // namespace

loop::Task<http::Response> LibraryPage::answer(const http::Request& request) {
  const bool is_question = request.path.starts_with(base::paths::kUploadPagePermission.before());
  if (is_question || is_form(request.path)) {
    auto deciding = decide(request, is_question);
    co_return co_await deciding;
  }
  auto answering = Settings::answer(request);
  http::Response response = co_await answering;
  co_return response;
}

std::optional<http::Response> LibraryPage::unavailable(const http::Request& request) const {
  if (!is_for_script(request)) return std::nullopt;
  http::Response response = json_refusal(503, "temporarily unavailable");
  return std::move(response.with("Retry-After", "1"));
}

// Whether a form may be sent. Both requests of nginx pass the same checks, so
// that the second finds the reason of the first.
loop::Task<http::Response> LibraryPage::decide(const http::Request& asked, bool is_question) {
  http::Request request = asked;
  if (is_question) request.path.remove_prefix(base::paths::kUploadPermission.pattern.size());
  const bool for_script = request.upload_answer == "json";
  http::Response forbidden;
  forbidden.status = 403;
  const bool is_text = is_question && request.method == "POST" && is_long_text(request.path);
  if (!is_text && !is_form(request.path)) co_return forbidden;
  const login::Visitor visitor = co_await parts_.visitors.of(request);
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, parts_.people);
  // The form's token is in the body.
  if (is_text) {
    if (!contact) co_return forbidden;
    http::Response permitted;
    permitted.status = 204;
    permitted.with(kAccount, std::to_string(contact->id.value()));
    co_return permitted;
  }
  request.match = {base::paths::kUploadForm.pattern, request.path};
  const std::string list = base::paths::kAccountMedia.with(request.part("account"));
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
    co_return forged_form_page(request, visitor, parts_.site, list);
  }
  const bool closed = co_await lacks_factor(context);
  if (closed) {
    if (is_question) co_return forbidden;
    if (for_script)
      co_return json_refusal(403, "This account requires a second factor, and you have none.");
    co_return see_other(list, visitor);
  }
  const base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) {
    if (is_question) co_return forbidden;
    const Refused& refused = place.error();
    co_return for_script ? json_refusal(refused.page.status, refused.reason) : refused.page;
  }
  std::optional<endpoints::UploadPermit::Replaces> replaces;
  if (const auto named = query.find(kReplaces)) {
    auto finding = replaced(*named, *place);
    const base::Result<media::HashedId, Refusal> found = co_await finding;
    if (!found) {
      if (is_question) co_return forbidden;
      const auto& [status, why] = found.error();
      if (for_script) co_return json_refusal(status, why);
      co_return problem_page(nothing_uploaded(status, std::string(why), place->medias), parts_.site,
                             request, visitor);
    }
    replaces = {*found, contact->id};
  }
  if (!place->account.may_upload()) {
    if (is_question) co_return forbidden;
    if (for_script) co_return json_refusal(403, media::kNoUploads);
    co_return problem_page(nothing_uploaded(403, std::string(media::kNoUploads), place->medias),
                           parts_.site, request, visitor);
  }
  const std::optional<std::int64_t> wait = co_await parts_.form_limit.wait(contact->id);
  if (wait) {
    if (is_question) co_return forbidden;
    if (!for_script) co_return too_many_forms(context, *wait);
    http::Response response = json_refusal(429, "Too many requests. Wait a minute.");
    co_return std::move(response.with("Retry-After", std::to_string(*wait)));
  }
  auto asking = media::why_no_room(library_.uploads, library_.catalog, place->account.id,
                                   request.upload_length, limits_);
  const std::optional<media::NoRoom> no_room = co_await asking;
  if (no_room) {
    if (is_question) co_return forbidden;
    http::Response response =
        for_script ? json_refusal(no_room->status, no_room->why)
                   : problem_page(nothing_uploaded(no_room->status, no_room->why, place->medias),
                                  parts_.site, request, visitor);
    if (no_room->retry_after > 0)
      response.with("Retry-After", std::to_string(no_room->retry_after));
    co_return response;
  }
  // nginx requests the form's path only after a refusal.
  if (!is_question) throw base::Unavailable("the permission was refused, and is not any more");
  oauth::AuditEvent event{.what = oauth::event_named<"upload.permitted">(),
                          .contact = contact->id,
                          .account = place->account.id,
                          .address = request.remote_address,
                          .detail = request.request_id};
  co_await parts_.audit.record(event);
  http::Response response;
  response.status = 204;
  response.with(kAccount, std::to_string(place->account.id.value()));
  response.with(endpoints::UploadPermit::kHeader,
                endpoints::UploadPermit{.account = place->account.id, .replaces = replaces}.seal(
                    request.request_id, parts_.keys, parts_.entropy));
  co_return response;
}

// The media whose file an upload is to replace.
loop::Task<base::Result<media::HashedId, LibraryPage::Refusal>> LibraryPage::replaced(
    std::string_view name, const Place& place) {
  const auto id = media::HashedId::parse(name);
  std::optional<media::Media> media;
  if (id) {
    media::Reads reads;  // responses are not cached
    auto finding = library_.catalog.find_media(*id, media::Detail::All, reads);
    media = co_await finding;
  }
  if (!media || media->account != place.account.id)
    co_return base::Refusal{
        Refusal{404, "The video whose file this would replace does not exist."}};
  if (media->status != media::Status::Ready)
    co_return base::Refusal{
        Refusal{409, "The video is not ready: its file cannot be replaced now."}};
  co_return media->id;
}

loop::Task<http::Response> LibraryPage::show(const SettingsContext& context) {
  const base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) co_return place.error().page;
  auto listing = list(context, *place, "");
  co_return co_await listing;
}

// What is to happen to which media, as a form says.
struct LibraryPage::Choice {
  enum class Action : std::uint8_t { Delete, Move, Show };
  static constexpr std::array<std::pair<std::string_view, Action>, 3> kActions{
      {{"delete", Action::Delete}, {"move", Action::Move}, {"visibility", Action::Show}}};

  std::vector<media::Media> medias;  // those that exist, in the order of the form
  Action action = Action::Delete;
  std::optional<media::Project> project;  // of Move; nullopt: none
  media::Visibility visibility = media::Visibility::Public;
  bool is_confirmed = false;

  std::string_view word() const {
    return std::ranges::find(kActions, action, &std::pair<std::string_view, Action>::second)->first;
  }
  // "3 videos", "3 items"
  std::string subject() const {
    const auto count = static_cast<std::int64_t>(medias.size());
    return std::ranges::all_of(medias, &media::Media::is_video) ? counted(count, "video", "videos")
                                                                : items_words(count);
  }
};

loop::Task<http::Response> LibraryPage::take(const SettingsContext& context,
                                             const text::Form& form) {
  const base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) co_return place.error().page;
  const auto row = std::ranges::find(Choice::kActions, form.find("action").value_or(""),
                                     &std::pair<std::string_view, Choice::Action>::first);
  if (row == Choice::kActions.end()) co_return only_by_form(context);
  Choice choice;
  choice.action = row->second;
  choice.is_confirmed = form.find("confirmed").has_value();
  std::vector<media::HashedId> ids;
  for (const text::FormField& field : form.fields()) {
    if (field.name != "media" || ids.size() == kPerPage) continue;
    auto id = media::HashedId::parse(field.value);
    if (id && std::ranges::find(ids, *id) == ids.end()) ids.push_back(std::move(*id));
  }
  media::Reads reads;  // responses are not cached
  auto finding = library_.catalog.find_medias(ids, media::Detail::All, reads);
  choice.medias = co_await finding;
  std::erase_if(choice.medias,
                [&](const media::Media& one) { return one.account != place->account.id; });
  std::string problem;
  if (ids.empty()) problem = "Select at least one video.";
  // The form was sent twice: the goal is reached.
  if (problem.empty() && choice.medias.empty() && choice.action == Choice::Action::Delete)
    co_return done(context, place->medias, "manydeleted");
  if (problem.empty() && choice.medias.empty())
    problem = "The items that you selected have been deleted.";
  if (choice.action == Choice::Action::Move) {
    if (const auto id = media::ProjectId::parse(form.find("project_id").value_or(""))) {
      auto reading = library_.catalog.find_project(*id);
      choice.project = co_await reading;
    }
    if (problem.empty() && (!choice.project || choice.project->account != place->account.id))
      problem = "Choose a project.";
  }
  if (choice.action == Choice::Action::Show) {
    const auto visibility = media::visibility_of(form.find("visibility").value_or(""));
    if (problem.empty() && !visibility) problem = "Choose who can watch.";
    choice.visibility = visibility.value_or(media::Visibility::Public);
    library::MediaEdit edit;
    edit.visibility = choice.visibility;
    for (const media::Media& each : choice.medias) {
      if (!problem.empty()) break;
      if (each.visible() == choice.visibility) continue;
      auto asking = library_.medias.why_not(each, edit);
      const std::optional<library::EditRefusal> refused = co_await asking;
      if (refused)
        problem = "“" + shown_name(each.name) + "”: who can watch it " + refused->why + ".";
    }
  }
  if (!problem.empty()) {
    auto listing = list(context, *place, std::move(problem));
    co_return co_await listing;
  }
  if (!choice.is_confirmed) co_return ask(context, *place, choice);
  auto changing = change(context, *place, choice);
  co_return co_await changing;
}

http::Response LibraryPage::ask(const SettingsContext& context, const Place& place,
                                const Choice& choice) const {
  const bool deletes = choice.action == Choice::Action::Delete;
  const std::string title = deletes ? "Delete " + choice.subject() + "?"
                            : choice.action == Choice::Action::Move
                                ? "Move " + choice.subject() + " to “" +
                                      clipped(choice.project->name, kMaxShownName) + "”?"
                                : "Change who can watch " + choice.subject() + "?";
  SettingsPage page(parts_, context, title, "library_many.tpl");
  Values& body = page.body();
  page.set_form(body, place.medias);
  body.set("TITLE", title)
      .set("LIST", place.medias)
      .set("ACCOUNT", clipped(place.account.name, kMaxShownName))
      .set("WHAT", choice.word())
      .set("VISIBILITY", to_text(choice.visibility))
      .set("PROJECT", choice.project ? choice.project->id.value() : "");
  if (deletes) body.show("DELETES");
  if (choice.action == Choice::Action::Show)
    body.show_with("SHOWS").set("WHO", visibility_text(choice.visibility));
  body.show_with(deletes ? "DANGER" : "CALM")
      .set("DO", (deletes                                 ? "Delete "
                  : choice.action == Choice::Action::Move ? "Move "
                                                          : "Change ") +
                     choice.subject());
  for (const media::Media& each : choice.medias)
    body.show_with("MEDIA")
        .set("ID", each.id.value())
        .set("NAME", shown_name(each.name))
        .set("PAGE", place.medias + "/" + each.id.value());
  return page.answer();
}

// Others may have deleted some of them meanwhile.
loop::Task<http::Response> LibraryPage::change(const SettingsContext& context, const Place& place,
                                               const Choice& choice) {
  const library::Actor actor = actor_of(context, place);
  if (choice.action == Choice::Action::Move) {
    std::vector<std::string> ids;
    for (const media::Media& each : choice.medias) ids.push_back(each.id.value());
    auto moving = library_.projects.move(ids, choice.project->id.value(), actor);
    const base::Result<std::size_t, library::Missing> moved = co_await moving;
    if (moved) co_return done(context, place.medias, "manymoved");
    auto listing =
        list(context, place,
             moved.error().project ? "The project has been deleted, so nothing was moved."
                                   : "Some of these items have been deleted, so nothing "
                                     "was moved. Select the others again.");
    co_return co_await listing;
  }
  const bool deletes = choice.action == Choice::Action::Delete;
  const library::Condition any;
  library::MediaEdit edit;
  edit.visibility = choice.visibility;
  for (const media::Media& each : choice.medias) {
    if (deletes) {
      auto removing = library_.medias.remove(each.id, any, actor);
      co_await removing;
    } else if (each.visible() != choice.visibility) {
      auto editing = library_.medias.edit(each.id, edit, any, actor);
      const base::Result<media::Media, library::Refusal> edited = co_await editing;
      if (!edited && edited.error() == library::Refusal::Overtaken) {
        auto listing = list(
            context, place,
            "“" + shown_name(each.name) + "” has been changed meanwhile. Select the items again.");
        co_return co_await listing;
      }
    }
  }
  co_return done(context, place.medias, deletes ? "manydeleted" : "manychanged");
}

// The selection of the list: the parameters of its address.
struct LibraryPage::View {
  std::string text;
  std::optional<media::ProjectId> project;
  const Named* status = kStatuses.data();
  const Named* sort = kSorts.data();
  std::string after;  // set by a search in a large account
  std::size_t page = 1;

  static View read(const text::Form& form) {
    View view;
    view.text = tidy(form.find("q").value_or(""));
    view.project = media::ProjectId::parse(form.find("project").value_or(""));
    view.status = named(kStatuses, form.find("status").value_or(""));
    view.sort = named(kSorts, form.find("sort").value_or(""));
    view.after = base::from_hex(form.find("after").value_or("")).value_or("");
    constexpr std::size_t kMost = media::Listings::kMostSearched / kPerPage;
    view.page =
        base::parse_number<std::size_t>(form.find("page").value_or(""), 1, kMost).value_or(1);
    return view;
  }
  bool is_search() const { return !text.empty() || status != kStatuses.data(); }
  bool is_filtered() const { return is_search() || project.has_value(); }
  media::ListOrder order() const {
    const auto row = static_cast<std::size_t>(sort - kSorts.data());
    media::ListOrder order = kOrders.at(row);
    order.offset = (page - 1) * kPerPage;
    order.count = kPerPage;
    return order;
  }
  // The address of another page of the same list. Without page and place: the first.
  std::string link(const std::string& list, std::size_t of_page, const std::string& from) const {
    std::string out = list;
    char separator = '?';
    const auto add = [&](std::string_view name, std::string_view value) {
      if (value.empty()) return;
      out += std::exchange(separator, '&');
      out.append(name) += '=';
      text::append_percent_encoded(out, value);
    };
    add("q", text);
    add("project", project ? project->value() : "");
    add("status", status->value);
    add("sort", sort->value);
    if (of_page > 1) add("page", std::to_string(of_page));
    add("after", base::to_hex(from));
    return out;
  }
};

loop::Task<media::FoundMedias> LibraryPage::find(const Place& place, View& view) {
  if (view.is_search()) {
    const std::vector<media::Status>& statuses =
        kFilters.at(static_cast<std::size_t>(view.status - kStatuses.data()));
    auto searching = library_.listings.search(
        place.account.id, {view.order(), view.project, view.text, statuses, view.after});
    media::FoundMedias found = co_await searching;
    if (!found.all || !found.medias.empty() || *found.all == 0) co_return found;
    // The page is after the last one, because media have been deleted.
    view.page = static_cast<std::size_t>(*found.all - 1) / kPerPage + 1;
    auto again = library_.listings.search(place.account.id,
                                          {view.order(), view.project, view.text, statuses, ""});
    co_return co_await again;
  }
  auto counting = library_.listings.counts(place.account.id, view.project);
  const media::CatalogCounts counts = co_await counting;
  media::FoundMedias found;
  found.all = counts.medias;
  const auto reachable =
      std::min(static_cast<std::size_t>(std::max<std::int64_t>(counts.medias, 1)),
               media::Listings::kMostSearched);
  view.page = std::min(view.page, (reachable - 1) / kPerPage + 1);
  media::MediaQuery query;
  query.order = view.order();
  query.project = view.project;
  auto listing = library_.listings.medias(place.account.id, std::move(query));
  found.medias = co_await listing;
  co_return found;
}

void LibraryPage::show_pages(Values& body, const Place& place, const View& view,
                             const media::FoundMedias& found) const {
  if (!found.all) {
    if (!view.after.empty())
      body.show_with("FROM_START").set("PATH", view.link(place.medias, 1, ""));
    if (found.rest.empty()) return;
    const std::string_view name = std::string_view(found.rest).substr(0, found.rest.rfind('\0'));
    body.show_with("FURTHER")
        .set("NAME", shown_name(name))
        .set("PATH", view.link(place.medias, 1, found.rest));
    return;
  }
  const auto all = static_cast<std::size_t>(*found.all);
  const std::size_t most = media::Listings::kMostSearched;
  const std::size_t pages = (std::min(all, most) + kPerPage - 1) / kPerPage;
  if (all > most && !view.is_search())
    body.show_with("TOO_MANY").set("MOST", with_separators(static_cast<std::int64_t>(most)));
  if (pages < 2) return;
  Values shown = body.show_with("PAGES");
  shown.set("PAGE", with_separators(static_cast<std::int64_t>(view.page)))
      .set("ALL", with_separators(static_cast<std::int64_t>(pages)));
  const auto link = [&](std::string_view section, std::size_t page) {
    shown.show_with(section).set("PATH", view.link(place.medias, page, ""));
  };
  if (view.page > 2) link("FIRST", 1);
  if (view.page > 1) link("PREVIOUS", view.page - 1);
  if (view.page < pages) link("NEXT", view.page + 1);
  if (view.page + 1 < pages) link("LAST", pages);
}

loop::Task<http::Response> LibraryPage::list(const SettingsContext& context, const Place& place,
                                             std::string problem) {
  View view = View::read(text::Form::parse(context.request.query));
  auto reading = loop::all(find(place, view), choices(place, view.project),
                           library_.uploads.bytes(place.account.id));
  const auto all = co_await reading;
  const auto& [found, projects, bytes] = all;
  auto detailing = endpoints::find_details(library_.catalog, library_.uploads, found.medias);
  const endpoints::MediaDetails details = co_await detailing;
  SettingsPage page(parts_, context, "Media", "library.tpl");
  page.with_script(kScript).with_pictures();
  page.show_done();
  Values& body = page.body();
  body.set("ACCOUNT", clipped(place.account.name, kMaxShownName))
      .set("LIST", place.medias)
      .set("PROJECTS", place.projects)
      .set("SITES", place.sites)
      .set("STATS", place.stats)
      .set("TEXT", view.text);
  if (place.account.may_upload()) {
    Values upload = body.show_with("UPLOAD");
    page.set_form(upload, place.medias + std::string(kUploadEnd));
    show_visibilities(upload, to_text(media::Visibility::Public));
    if (!projects.empty()) {
      Values shown = upload.show_with("UPLOAD_PROJECTS");
      show_choices(shown, projects, view.project);
    }
  } else {
    body.show_with("NO_UPLOADS").set("WHY", media::kNoUploads);
  }
  if (bytes > 0 || limits_.bytes > 0) {
    Values taken = body.show_with("TAKEN");
    taken.set("BYTES", size_text(bytes));
    if (limits_.bytes > 0) taken.show_with("LIMITED").set("MOST", size_text(limits_.bytes));
  }
  if (!problem.empty()) body.show_with("PROBLEM").set("WORDS", problem);
  if (!found.medias.empty()) {
    Values many = body.show_with("MANY");
    page.set_form(many, place.medias);
    show_visibilities(many, "");
    if (!projects.empty()) {
      Values moving = many.show_with("MOVE");
      show_choices(moving, projects, std::nullopt);
    }
  }
  if (!projects.empty()) {
    Values shown = body.show_with("FILTER_PROJECTS");
    show_choices(shown, projects, view.project);
  }
  for (const Named& status : kStatuses) {
    Values one = body.show_with("STATUS");
    one.set("VALUE", status.value).set("NAME", status.name);
    if (&status == view.status) one.show("CHOSEN");
  }
  for (const Named& sort : kSorts) {
    Values one = body.show_with("SORT");
    one.set("VALUE", sort.value).set("NAME", sort.name);
    if (&sort == view.sort) one.show("CHOSEN");
  }
  if (view.is_filtered()) body.show("FILTERED");
  if (!found.all && !found.medias.empty()) body.show("SEARCHED");
  if (found.all && *found.all > 0) body.show_with("FOUND").set("COUNT", items_words(*found.all));
  if (found.medias.empty()) body.show(view.is_filtered() ? "NONE" : "EMPTY");
  for (std::size_t i = 0; i < found.medias.size(); ++i) {
    Values one = body.show_with("MEDIA");
    Values item = one.include("ITEM", "library_item.tpl");
    describe(item, context, place, {found.medias[i], details.projects[i], details.progress[i]});
  }
  show_pages(body, place, view, found);
  co_return page.answer(problem.empty() ? 200 : kNotSavedStatus);
}

http::Response refused_upload_page(const http::Request& request, const embed::Site& site,
                                   int status, std::string_view why, media::AccountId account) {
  if (status == http::kUnavailable) return refusal_page(site, request, status);
  const std::string list = base::paths::kAccountMedia.with(std::to_string(account.value()));
  return problem_page(
      nothing_uploaded(status, "The upload was refused: " + std::string(why) + ".", list), site,
      request, {});
}

}  // namespace svc::pages
