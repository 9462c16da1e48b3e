// LibraryPage: Account → Settings → Media: all media of an account, the form for uploads.
// pages-W12, pages-W13, pages-W53, pages-W176.
//
//   /settings/accounts/<account>/media               the list, the form; POST: changes of those
//                                                    that are selected, after a question
//   /settings/accounts/<account>/media/upload        POST only; ?form=<token>,
//                                            and replaces=<id>: that media gets the file
//
// nginx sends the body of a form to the upload pool, after it has asked here at
// kUploadPagePermission (base/paths.h), which ends in the form's path: 204 with the account and a
// permit, or 403. After any other response than 204 nginx requests the form's path itself, without
// a body, and sends that response, which has the reason, to the browser.
#include <algorithm>
#include <array>

#include "base/hex.h"
#include "base/number.h"
#include "base/public_paths.h"
#include "base/settings_paths.h"
#include "base/unavailable.h"
#include "endpoints/media_response.h"
#include "endpoints/uploads/upload_permit.h"
#include "http/path_pattern.h"
#include "loop/all.h"
#include "pages/csrf.h"
#include "pages/problem_page.h"
#include "pages/refusal_page.h"
#include "pages/settings/library.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

constexpr std::string_view kScript = "/assets/uploads.js";
constexpr std::string_view kAccountHeader = "X-Svc-Account";
constexpr std::size_t kPerPage = 50;

// The choices of the list. The first of each is the default, whose parameter is "".
struct StatusRow {
  std::string_view value;
  std::string_view name;
  std::vector<media::Status> statuses;
};
const std::array<StatusRow, 4> kStatuses{
    {{"", "Any", {}},
     {"ready", "Ready", {media::Status::Ready}},
     {"processing", "Being converted", {media::Status::Queued, media::Status::Processing}},
     {"failed", "Failed", {media::Status::Failed}}}};
struct SortRow {
  std::string_view value;
  std::string_view name;
  media::SortBy by;
  bool ascending;
};
constexpr std::array<SortRow, 6> kSorts{
    {{"", "Newest first", media::SortBy::Created, false},
     {"created", "Oldest first", media::SortBy::Created, true},
     {"-updated", "Last changed first", media::SortBy::Updated, false},
     {"updated", "Last changed last", media::SortBy::Updated, true},
     {"name", "Name, A to Z", media::SortBy::Name, true},
     {"-name", "Name, Z to A", media::SortBy::Name, false}}};

// The row with that value; the first row if the value is unknown.
template <class Row, std::size_t N>
const Row* row_of(const std::array<Row, N>& rows, std::string_view value) {
  const auto row = std::ranges::find(rows, value, &Row::value);
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

// The action that a form requests, and its media.
struct Choice {
  enum class Action : std::uint8_t { Delete, Move, Show };
  static constexpr std::array<std::pair<std::string_view, Action>, 3> kActions{
      {{"delete", Action::Delete}, {"move", Action::Move}, {"visibility", Action::Show}}};

  std::vector<media::Media> medias;  // those that exist, in the order of the form
  Action action = Action::Delete;
  std::optional<media::Project> project;  // of Move; nullopt: none
  media::Visibility visibility = media::Visibility::Public;

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

// The selection of the list: the parameters of its address.
struct View {
  std::string text;
  std::optional<media::ProjectId> project;
  const StatusRow* status = kStatuses.data();
  const SortRow* sort = kSorts.data();
  std::string after;  // set by a search in a large account
  std::size_t page = 1;

  static View read(const text::Form& form) {
    View view;
    view.text = tidy(form.find("q").value_or(""));
    view.project = media::ProjectId::parse(form.find("project").value_or(""));
    view.status = row_of(kStatuses, form.find("status").value_or(""));
    view.sort = row_of(kSorts, form.find("sort").value_or(""));
    view.after = base::from_hex(form.find("after").value_or("")).value_or("");
    constexpr std::size_t kMost = media::Listings::kMostSearched / kPerPage;
    view.page =
        base::parse_number<std::size_t>(form.find("page").value_or(""), 1, kMost).value_or(1);
    return view;
  }
  bool is_search() const { return !text.empty() || status != kStatuses.data(); }
  bool is_filtered() const { return is_search() || project.has_value(); }
  media::ListOrder order() const {
    return {.by = sort->by,
            .ascending = sort->ascending,
            .offset = (page - 1) * kPerPage,
            .count = kPerPage};
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

class LibraryPage : public LibraryPages {
  using LibraryPages::LibraryPages;

  loop::Task<http::Response> answer(const http::Request& request) override {
    const bool is_question = request.path.starts_with(base::paths::kUploadPagePermission.before());
    return is_question || is_form(request.path) ? decide(request, is_question)
                                                : LibraryPages::answer(request);
  }

  std::optional<http::Response> unavailable(const http::Request& request) const override {
    if (!is_for_script(request)) return std::nullopt;
    http::Response response = json_refusal(503, "temporarily unavailable");
    return std::move(response.with("Retry-After", "1"));
  }

 private:
  loop::Task<http::Response> page(const InLibrary& in) override {
    return form(in, &LibraryPage::show, &LibraryPage::apply);
  }

  // Whether a form may be sent. Both requests of nginx pass the same checks, so
  // that the second finds the reason of the first.
  loop::Task<http::Response> decide(const http::Request& asked, bool is_question) {
    http::Request request = asked;
    if (is_question) request.path.remove_prefix(base::paths::kUploadPermission.pattern.size());
    http::Response answer;
    answer.status = 403;
    const bool is_text = is_question && request.method == "POST" && is_long_text(request.path);
    if (!is_text && !is_form(request.path)) co_return answer;
    const login::Visitor visitor = co_await parts_.visitors.of(request);
    const auto contact = co_await login::contact_of(visitor, parts_.people);
    // The form's token is in the body.
    if (is_text) {
      if (contact) permit(answer, contact->id.value());
      co_return answer;
    }
    const base::Result<endpoints::UploadPermit, Denied> permitted =
        co_await permission(request, visitor, contact);
    if (!permitted) co_return is_question ? answer : permitted.error().answer(request);
    // nginx requests the form's path only after a refusal.
    if (!is_question) {
      const media::UploadPlace place =
          permitted->place(request, parts_.upload_limits, parts_.clock.now());
      co_await library_.uploads.free_place(permitted->account, place);
      throw base::Unavailable("the permission was refused, and is not any more");
    }
    oauth::AuditEvent event{.what = oauth::event_named<"upload.permitted">(),
                            .contact = contact->id,
                            .account = permitted->account,
                            .address = request.remote_address,
                            .detail = request.request_id};
    co_await parts_.audit.record(event);
    permit(answer, permitted->account.value());
    co_return std::move(
        answer.with(endpoints::UploadPermit::kHeader,
                    permitted->seal(request.request_id, parts_.keys, parts_.entropy)));
  }

  static void permit(http::Response& answer, std::int64_t account) {
    answer.status = 204;
    answer.with(kAccountHeader, std::to_string(account));
  }

  // Why a form may not be sent, for a browser or the script.
  struct Denied {
    http::Response page;
    int status = 0;
    std::string reason;
    std::int64_t retry_after = 0;  // s; 0: it does not help

    http::Response answer(const http::Request& request) const {
      http::Response response = is_for_script(request) ? json_refusal(status, reason) : page;
      if (retry_after > 0) response.with("Retry-After", std::to_string(retry_after));
      return response;
    }
  };
  loop::Task<base::Result<endpoints::UploadPermit, Denied>> permission(
      const http::Request& request, const login::Visitor& visitor,
      const std::optional<media::Contact>& contact) {
    const std::string list(request.path.substr(0, request.path.size() - kUploadEnd.size()));
    const auto denied = [&](http::Response page, int status, std::string reason) {
      return base::Refusal{Denied{std::move(page), status, std::move(reason)}};
    };
    const auto refused = [&](int status, const std::string& reason) {
      const Problem problem = nothing_uploaded(status, reason, list);
      return denied(problem_page(problem, parts_.site, request, visitor), status, reason);
    };
    const bool is_sent = request.method == "POST";
    if (!contact) {
      auto page = parts_.login.ask(request, visitor, {list, "", ""}, is_sent ? kNotSaved : "");
      co_return denied(std::move(page), 401, "You are logged out. Reload the page to log in.");
    }
    // A login between form and submission redirects here with GET.
    if (!is_sent) co_return denied(see_other(list, visitor), 405, "This is no form.");
    const SettingsContext context{request, visitor, *contact, parts_.clock.now()};
    const text::Form query = text::Form::parse(request.query);
    if (is_forged(request, query.find("form").value_or(""), visitor, form_purpose(request.path),
                  parts_.site, parts_.keys)) {
      co_return denied(forged_form_page(request, visitor, parts_.site, list), 403,
                       "This page is too old. Reload it, then try again.");
    }
    const auto in = co_await library_of(context);
    if (!in) {
      const Refused& why = in.error();
      const bool lacks_factor = why.reason == kLacksFactor;
      co_return denied(lacks_factor ? see_other(list, visitor) : why.page, why.page.status,
                       why.reason);
    }
    endpoints::UploadPermit permit{.account = in->account.id};
    if (const auto named = query.find(kReplaces)) {
      // The media whose file the upload is to replace.
      const auto id = media::HashedId::parse(*named);
      std::optional<media::Media> media;
      media::Reads reads;  // responses are not cached
      if (id) media = co_await library_.catalog.find_media(*id, media::Detail::All, reads);
      if (!media || media->account != in->account.id)
        co_return refused(404, "The video whose file this would replace does not exist.");
      if (media->status != media::Status::Ready)
        co_return refused(409, "The video is not ready: its file cannot be replaced now.");
      permit.replaces = {media->id, contact->id};
    }
    if (!in->account.may_upload()) co_return refused(403, std::string(media::kNoUploads));
    const auto wait = co_await parts_.form_limit.wait(contact->id);
    if (wait) {
      auto why = denied(too_many_forms(context, *wait), 429, "Too many requests. Wait a minute.");
      why.error.retry_after = *wait;
      co_return why;
    }
    const media::UploadPlace place = permit.place(request, parts_.upload_limits, context.now);
    const std::optional<media::OverLimit> over =
        co_await library_.uploads.take_place(in->account.id, place);
    if (!over) co_return permit;
    const media::NoRoom no_room = media::why_no_room(*over, parts_.upload_limits);
    auto why = refused(no_room.status, no_room.why);
    why.error.retry_after = no_room.retry_after;
    co_return why;
  }

  loop::Task<Applied> apply(const InLibrary& in, Entered& entered) {
    const text::Form& form = *in.sent;
    const auto row = std::ranges::find(Choice::kActions, entered.text("action"),
                                       &std::pair<std::string_view, Choice::Action>::first);
    if (row == Choice::kActions.end()) co_return only_by_form(in);
    Choice choice;
    choice.action = row->second;
    std::vector<media::HashedId> ids;
    for (const text::FormField& field : form.fields()) {
      if (field.name != "media" || ids.size() == kPerPage) continue;
      auto id = media::HashedId::parse(field.value);
      if (id && std::ranges::find(ids, *id) == ids.end()) ids.push_back(std::move(*id));
    }
    if (ids.empty()) co_return entered.refuse("", "Select at least one video.");
    media::Reads reads;  // responses are not cached
    choice.medias = co_await library_.catalog.find_medias(ids, media::Detail::All, reads);
    std::erase_if(choice.medias,
                  [&](const media::Media& one) { return one.account != in.account.id; });
    // The form was sent twice: the goal is reached.
    if (choice.medias.empty() && choice.action == Choice::Action::Delete)
      co_return done(in, in.medias, "manydeleted");
    if (choice.medias.empty())
      co_return entered.refuse("", "The items that you selected have been deleted.");
    if (choice.action == Choice::Action::Move) {
      if (const auto id = media::ProjectId::parse(entered.text("project_id")))
        choice.project = co_await library_.catalog.find_project(*id);
      if (!choice.project || choice.project->account != in.account.id)
        co_return entered.refuse("", "Choose a project.");
    }
    if (choice.action == Choice::Action::Show) {
      const auto visibility = media::visibility_of(entered.text("visibility"));
      if (!visibility) co_return entered.refuse("", "Choose who can watch.");
      choice.visibility = *visibility;
      library::MediaEdit edit;
      edit.visibility = visibility;
      for (const media::Media& each : choice.medias) {
        if (each.visible() == choice.visibility) continue;
        const auto refused = co_await library_.medias.why_not(each, edit);
        if (refused)
          co_return entered.refuse(
              "", "“" + shown_name(each.name) + "”: who can watch it " + refused->why + ".");
      }
    }
    if (!entered.has("confirmed")) co_return ask(in, choice);
    co_return co_await change(in, choice, entered);
  }

  http::Response ask(const InLibrary& in, const Choice& choice) const {
    const bool deletes = choice.action == Choice::Action::Delete;
    const std::string title = deletes ? "Delete " + choice.subject() + "?"
                              : choice.action == Choice::Action::Move
                                  ? "Move " + choice.subject() + " to “" +
                                        clipped(choice.project->name, kMaxShownName) + "”?"
                                  : "Change who can watch " + choice.subject() + "?";
    SettingsPage page(parts_, in, Entered(), title, "library_many.tpl");
    Values& body = page.body();
    body.set("TITLE", title)
        .set("LIST", in.medias)
        .set("ACCOUNT", in.account_name())
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
          .set("PAGE", in.medias + "/" + each.id.value());
    return page.answer();
  }

  // Other users may have deleted some of them by now.
  loop::Task<Applied> change(const InLibrary& in, const Choice& choice, Entered& entered) {
    if (choice.action == Choice::Action::Move) {
      std::vector<std::string> ids;
      for (const media::Media& each : choice.medias) ids.push_back(each.id.value());
      const auto moved = co_await library_.projects.move(ids, choice.project->id.value(), in.actor);
      if (moved) co_return done(in, in.medias, "manymoved");
      co_return entered.refuse("", moved.error().project
                                       ? "The project has been deleted, so nothing was moved."
                                       : "Some of these items have been deleted, so nothing "
                                         "was moved. Select the others again.");
    }
    const bool deletes = choice.action == Choice::Action::Delete;
    const library::Condition any;
    library::MediaEdit edit;
    edit.visibility = choice.visibility;
    for (const media::Media& each : choice.medias) {
      if (deletes) {
        co_await library_.medias.remove(each.id, any, in.actor);
      } else if (each.visible() != choice.visibility) {
        const auto edited = co_await library_.medias.edit(each.id, edit, any, in.actor);
        if (!edited && edited.error() == library::Refusal::Overtaken) {
          co_return entered.refuse("", "“" + shown_name(each.name) +
                                           "” has been changed meanwhile. Select the items again.");
        }
      }
    }
    co_return done(in, in.medias, deletes ? "manydeleted" : "manychanged");
  }

  // Reads the media of a page, and how many there are. Adds to `unreadable` those that it leaves
  // out.
  loop::Task<media::FoundMedias> find_page(const InLibrary& in, View& view,
                                           std::vector<media::HashedId>& unreadable) {
    if (view.is_search()) {
      const std::vector<media::Status>& statuses = view.status->statuses;
      media::MediaSearch search{view.order(), view.project, view.text, statuses, view.after};
      media::FoundMedias found = co_await library_.listings.search(in.account.id, search);
      if (!found.all || !found.medias.empty() || *found.all == 0) co_return found;
      // The requested page is after the last page, because media have been deleted.
      view.page = static_cast<std::size_t>(*found.all - 1) / kPerPage + 1;
      search.order = view.order();
      search.after.clear();
      co_return co_await library_.listings.search(in.account.id, std::move(search));
    }
    const media::CatalogCounts counts =
        co_await library_.listings.counts(in.account.id, view.project);
    media::FoundMedias found;
    found.all = counts.medias;
    const auto reachable =
        std::min(static_cast<std::size_t>(std::max<std::int64_t>(counts.medias, 1)),
                 media::Listings::kMostSearched);
    view.page = std::min(view.page, (reachable - 1) / kPerPage + 1);
    media::MediaQuery query;
    query.order = view.order();
    query.project = view.project;
    query.unreadable = &unreadable;
    found.medias = co_await library_.listings.medias(in.account.id, std::move(query));
    co_return found;
  }

  void show_pages(Values& body, const InLibrary& in, const View& view,
                  const media::FoundMedias& found) const {
    if (!found.all) {
      if (!view.after.empty())
        body.show_with("FROM_START").set("PATH", view.link(in.medias, 1, ""));
      if (found.rest.empty()) return;
      const std::string_view name = std::string_view(found.rest).substr(0, found.rest.rfind('\0'));
      body.show_with("FURTHER")
          .set("NAME", shown_name(name))
          .set("PATH", view.link(in.medias, 1, found.rest));
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
      shown.show_with(section).set("PATH", view.link(in.medias, page, ""));
    };
    if (view.page > 2) link("FIRST", 1);
    if (view.page > 1) link("PREVIOUS", view.page - 1);
    if (view.page < pages) link("NEXT", view.page + 1);
    if (view.page + 1 < pages) link("LAST", pages);
  }

  loop::Task<http::Response> show(const InLibrary& in, const Entered& entered) {
    View view = View::read(text::Form::parse(in.request.query));
    std::vector<media::HashedId> unreadable;
    auto reading = loop::all(find_page(in, view, unreadable), choices(in, view.project),
                             library_.uploads.bytes(in.account.id));
    const auto all = co_await reading;
    const auto& [found, projects, bytes] = all;
    const endpoints::MediaDetails details =
        co_await endpoints::find_details(library_.catalog, library_.uploads, found.medias);
    SettingsPage page(parts_, in, entered, "Media", "library.tpl", "Media");
    page.with_script(kScript).with_pictures();
    Values& body = page.body();
    body.set("ACCOUNT", in.account_name())
        .set("LIST", in.medias)
        .set("PROJECTS", in.projects)
        .set("SITES", in.sites)
        .set("STATS", in.stats)
        .set("TEXT", view.text);
    if (in.account.may_upload()) {
      Values upload = body.show_with("UPLOAD");
      page.set_form(upload, in.medias + std::string(kUploadEnd));
      show_visibilities(upload, to_text(media::Visibility::Public));
      if (!projects.empty()) {
        Values shown = upload.show_with("UPLOAD_PROJECTS");
        show_choices(shown, projects, view.project);
      }
    } else {
      body.show_with("NO_UPLOADS").set("WHY", media::kNoUploads);
    }
    if (bytes > 0 || parts_.upload_limits.bytes > 0) {
      Values taken = body.show_with("TAKEN");
      taken.set("BYTES", size_text(bytes));
      if (parts_.upload_limits.bytes > 0)
        taken.show_with("LIMITED").set("MOST", size_text(parts_.upload_limits.bytes));
    }
    if (!found.medias.empty()) {
      Values many = body.show_with("MANY");
      page.set_form(many, in.medias);
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
    for (const StatusRow& status : kStatuses) {
      show_choice(body, "STATUS", status.value, status.name, &status == view.status);
    }
    for (const SortRow& sort : kSorts) {
      show_choice(body, "SORT", sort.value, sort.name, &sort == view.sort);
    }
    if (view.is_filtered()) body.show("FILTERED");
    if (!found.all && !found.medias.empty()) body.show("SEARCHED");
    if (found.all && *found.all > 0) body.show_with("FOUND").set("COUNT", items_words(*found.all));
    if (found.medias.empty()) body.show(view.is_filtered() ? "NONE" : "EMPTY");
    for (const media::HashedId& id : unreadable) {
      const std::string path = in.medias + "/" + id.value() + "/" + std::string(kDeleteAction);
      body.show_with("UNREADABLE").set("ID", id.value()).set("PATH", path);
    }
    for (std::size_t i = 0; i < found.medias.size(); ++i) {
      Values one = body.show_with("MEDIA");
      Values item = one.include("ITEM", "library_item.tpl");
      describe(item, in, in, {found.medias[i], details.projects[i], details.progress[i]});
    }
    show_pages(body, in, view, found);
    co_return page.answer();
  }
};

}  // namespace

OwnedPage library_page(const SettingsParts& parts) { return std::make_unique<LibraryPage>(parts); }

http::Response refused_upload_page(const http::Request& request, const embed::Site& site,
                                   int status, std::string_view why, media::AccountId account) {
  if (status == http::kUnavailable) return refusal_page(site, request, status);
  const std::string list = base::paths::kAccountMedia.with(std::to_string(account.value()));
  return problem_page(
      nothing_uploaded(status, "The upload was refused: " + std::string(why) + ".", list), site,
      request, {});
}

}  // namespace svc::pages
