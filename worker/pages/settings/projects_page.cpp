#include "pages/settings/projects_page.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/unreadable.h"
#include "http/refusal.h"
#include "login/visitors.h"
#include "loop/all.h"
#include "loop/attempt.h"
#include "media/upload_form.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "text/form.h"

namespace svc::pages {
namespace {

std::string edition_of(const media::Project& project) {
  return pages::edition_of(project.name + '\n' + project.description);
}

std::string proof_purpose(std::string_view path, std::string_view number) {
  return "settings " + std::string(path) + " " + std::string(number);
}

}  // namespace

loop::Task<base::Result<ProjectsPage::Named, http::Response>> ProjectsPage::named_in(
    const SettingsContext& context) {
  base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) co_return base::Refusal{place.error().page};
  Named named;
  named.place = *std::move(place);
  std::string_view rest = context.request.rest();
  named.path = named.place.projects;
  if (rest.empty()) co_return named;
  rest.remove_prefix(1);
  const std::string_view name = rest.substr(0, rest.find('/'));
  if (name.size() < rest.size()) named.action = rest.substr(name.size() + 1);
  const bool is_page = named.action.empty() || named.action == kDeleteAction;
  const auto id = media::ProjectId::parse(name);
  if (id && is_page) {
    auto finding = loop::attempt(library_.catalog.find_project(*id));
    auto attempt = co_await finding;
    bool is_unreadable = false;
    try {
      named.project = attempt.get();
    } catch (const base::Unreadable&) {
      if (named.action != kDeleteAction) throw;
      is_unreadable = true;
    }
    if (is_unreadable) {
      const media::AccountId account = named.place.account.id;
      auto asking = library_.catalog.has_project(account, *id);
      const bool is_here = co_await asking;
      if (is_here) {
        named.project.emplace();
        named.project->id = *id;
        named.project->account = account;
        named.project->name = id->value();
      }
    }
    if (named.project && named.project->account == named.place.account.id) {
      named.path += "/" + id->value();
      co_return named;
    }
    // The form was sent twice, or another user deleted it: the goal is reached.
    if (!named.project && named.action == kDeleteAction && context.request.method == "POST")
      co_return base::Refusal{done(context, named.place.projects, "deleted")};
  }
  co_return base::Refusal{
      nothing_here(context, "project", named.place.projects, "Projects of the account")};
}

loop::Task<http::Response> ProjectsPage::show(const SettingsContext& context) {
  auto finding = named_in(context);
  const base::Result<Named, http::Response> named = co_await finding;
  if (!named) co_return named.error();
  if (!named->project) {
    // The page makes the id, so a form that is sent twice creates one project.
    auto listing = list(context, *named, {.edition = media::new_id(parts_.entropy).value()});
    co_return co_await listing;
  }
  const media::Project& project = *named->project;
  if (named->action.empty())
    co_return one(
        context, *named,
        {.name = project.name, .description = project.description, .edition = edition_of(project)});
  auto counting = library_.listings.counts(named->place.account.id, project.id);
  const media::CatalogCounts counts = co_await counting;
  co_return ask_delete(context, *named, counts.medias, 200);
}

loop::Task<http::Response> ProjectsPage::take(const SettingsContext& context,
                                              const text::Form& form) {
  auto finding = named_in(context);
  const base::Result<Named, http::Response> named = co_await finding;
  if (!named) co_return named.error();
  auto changing = !named->project         ? create(context, *named, form)
                  : named->action.empty() ? edit(context, *named, form)
                                          : remove(context, *named);
  co_return co_await changing;
}

loop::Task<http::Response> ProjectsPage::list(const SettingsContext& context, const Named& named,
                                              DescriptionForm entered) {
  const media::AccountId account = named.place.account.id;
  const text::Form query = text::Form::parse(context.request.query);
  auto counting = library_.listings.counts(account, std::nullopt);
  const media::CatalogCounts counts = co_await counting;
  const auto all = static_cast<std::size_t>(std::max<std::int64_t>(counts.projects, 1));
  const std::size_t pages = (all + kPerPage - 1) / kPerPage;
  const std::size_t number =
      base::parse_number<std::size_t>(query.find("page").value_or(""), 1, pages).value_or(1);
  auto listing = library_.listings.projects(account, {.by = media::SortBy::Name,
                                                      .ascending = true,
                                                      .offset = (number - 1) * kPerPage,
                                                      .count = kPerPage});
  const std::vector<media::Project> projects = co_await listing;
  std::vector<loop::Task<media::CatalogCounts>> of_each;
  for (const media::Project& project : projects)
    of_each.push_back(library_.listings.counts(account, project.id));
  auto sizing = loop::all(std::move(of_each));
  const std::vector<media::CatalogCounts> sizes = co_await sizing;

  const std::string title = entered.status == 200 ? "Projects" : "Not saved: Projects";
  SettingsPage page(parts_, context, title, "projects.tpl");
  page.show_done();
  Values& body = page.body();
  page.set_form(body, named.path);
  body.set("ACCOUNT", clipped(named.place.account.name, kMaxShownName))
      .set("LIST", named.place.medias)
      .set("PROOF", login::form_token(parts_.keys, context.visitor,
                                      proof_purpose(named.path, entered.edition)));
  show_description_form(body, entered, 3);
  body.show(projects.empty() ? "EMPTY" : "FULL");
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const media::Project& project = projects[i];
    Values one = body.show_with("PROJECT");
    one.set("PROJECT_NAME", clipped(project.name, kMaxShownName))
        .set("PATH", named.path + "/" + project.id.value())
        .set("MEDIAS", named.place.medias + "?project=" + project.id.value())
        .set("COUNT", items_words(sizes[i].medias));
    const std::string text = plain_text(project.description);
    if (!text.empty()) one.show_with("DESCRIBED").set("TEXT", clipped(text, kMaxShownText));
  }
  if (pages > 1) {
    Values shown = body.show_with("PAGES");
    shown.set("PAGE", static_cast<long>(number)).set("ALL", static_cast<long>(pages));
    const auto link = [&](std::string_view section, std::size_t to) {
      shown.show_with(section).set("PATH", named.path + "?page=" + std::to_string(to));
    };
    if (number > 1) link("PREVIOUS", number - 1);
    if (number < pages) link("NEXT", number + 1);
  }
  co_return page.answer(entered.status);
}

http::Response ProjectsPage::one(const SettingsContext& context, const Named& named,
                                 const DescriptionForm& entered) const {
  const std::string title = entered.status == 200 ? "Project" : "Not saved: Project";
  SettingsPage page(parts_, context, title, "project.tpl");
  Values& body = page.body();
  page.set_form(body, named.path);
  body.set("NAME", clipped(named.project->name, kMaxShownName))
      .set("ACCOUNT", clipped(named.place.account.name, kMaxShownName))
      .set("LIST", named.place.projects)
      .set("PATH", named.path)
      .set("MEDIAS", named.place.medias + "?project=" + named.project->id.value());
  show_description_form(body, entered, 3);
  show_overtaken(body, entered,
                 {.name = named.project->name, .description = named.project->description});
  return page.answer(entered.status);
}

http::Response ProjectsPage::ask_delete(const SettingsContext& context, const Named& named,
                                        std::int64_t medias, int status) const {
  SettingsPage page(parts_, context, "Delete project", "project_delete.tpl");
  Values& body = page.body();
  body.set("NAME", clipped(named.project->name, kMaxShownName)).set("BACK", named.path);
  if (medias == 0) {
    Values deletion = body.show_with("DELETION");
    page.set_form(deletion, named.path + "/" + std::string(kDeleteAction));
  } else {
    body.show_with("NOT_EMPTY")
        .set("COUNT", items_words(medias))
        .set("MEDIAS", named.place.medias + "?project=" + named.project->id.value());
  }
  return page.answer(status);
}

loop::Task<http::Response> ProjectsPage::create(const SettingsContext& context, const Named& named,
                                                const text::Form& form) {
  DescriptionForm entered = description_form(form);
  const auto id = media::ProjectId::parse(entered.edition);
  if (!id || !login::is_form_token(parts_.keys, context.visitor,
                                   proof_purpose(named.path, entered.edition),
                                   form.find("proof").value_or(""))) {
    co_return forged_form_page(context.request, context.visitor, parts_.site, context.request.path);
  }
  if (entered.problems.empty()) {
    const library::Actor actor = actor_of(context, named.place);
    auto creating = library_.projects.create(entered.name, entered.description, actor, id->value());
    const std::optional<media::Project> created = co_await creating;
    if (created) co_return done(context, named.path, "created");
    entered.status = kNotSavedStatus;
    entered.problems.push_back(
        {"name", "The account has " + with_separators(library::ProjectService::kMostProjects) +
                     " projects, and more are not possible. Delete some."});
  }
  auto listing = list(context, named, entered);
  co_return co_await listing;
}

loop::Task<http::Response> ProjectsPage::edit(const SettingsContext& context, const Named& named,
                                              const text::Form& form) {
  DescriptionForm entered = description_form(form);
  if (!entered.problems.empty()) co_return one(context, named, entered);
  const media::Project& project = *named.project;
  library::ProjectEdit edit;
  if (entered.name != project.name) edit.name = entered.name;
  if (entered.description != tidy(project.description)) edit.description = entered.description;
  // Sent twice, or another user had the same idea.
  if (!edit.name && !edit.description) co_return done(context, named.place.projects, "saved");
  const library::ProjectCondition condition = [&](const media::Project& each) {
    return edition_of(each) == entered.edition;
  };
  const library::Actor actor = actor_of(context, named.place);
  auto editing = library_.projects.edit(project.id, edit, condition, actor);
  const base::Result<media::Project, library::Refusal> edited = co_await editing;
  if (edited) co_return done(context, named.place.projects, "saved");
  auto finding = library_.catalog.find_project(project.id);
  std::optional<media::Project> now = co_await finding;
  if (!now || edited.error() == library::Refusal::NotFound)
    co_return nothing_here(context, "project", named.place.projects, "Projects of the account");
  Named fresh = named;
  entered.edition = edition_of(*now);
  fresh.project = std::move(now);
  entered.was_overtaken = true;
  entered.status = kOvertakenStatus;
  co_return one(context, fresh, entered);
}

loop::Task<http::Response> ProjectsPage::remove(const SettingsContext& context,
                                                const Named& named) {
  const library::Actor actor = actor_of(context, named.place);
  const library::ProjectCondition any;
  auto removing = library_.projects.remove(named.project->id, any, actor);
  const std::optional<library::NotRemoved> refused = co_await removing;
  // If another user was faster, the goal is reached.
  if (!refused || refused->refusal) co_return done(context, named.place.projects, "deleted");
  // A media may be about to enter the project.
  co_return ask_delete(context, named, std::max<std::int64_t>(refused->medias, 1),
                       kOvertakenStatus);
}

}  // namespace svc::pages
