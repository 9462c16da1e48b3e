// ProjectsPage: Account → Settings → Projects. pages-W57.
//
//   /settings/accounts/<account>/projects               the projects; POST: create one
//   …/projects/<id>                                     its name and description; POST: change them
//   …/projects/<id>/delete                              asks, and deletes it if it is empty
#include <algorithm>

#include "base/number.h"
#include "loop/all.h"
#include "media/upload_form.h"
#include "pages/csrf.h"
#include "pages/settings/library.h"

namespace svc::pages {
namespace {

constexpr std::size_t kProjectsPerPage = 50;

struct OfProject : InLibrary {
  std::string path{};                       // the project's
  std::string_view action{};                // "": the project
  std::optional<media::Project> project{};  // nullopt: the list
};

class ProjectsPage : public PagesOf<WithLibrary, OfProject> {
  using PagesOf::PagesOf;

  loop::Task<base::Result<OfProject, Refused>> find(const SettingsContext& context) override {
    base::Result<InLibrary, Refused> in = co_await library_of(context);
    if (!in) co_return base::Refusal{in.error()};
    OfProject of{*std::move(in)};
    const std::string_view name = of.request.part("project");
    of.path = of.projects;
    if (name.empty()) co_return of;
    of.path.append("/").append(name);
    of.action = of.after(of.path);
    const auto id = media::ProjectId::parse(name);
    if (id && (of.action.empty() || of.action == kDeleteAction)) {
      auto finding = library_.catalog.find_project(*id);
      auto asking = library_.catalog.has_project(of.account.id, *id);
      of.project = co_await read_or_name(std::move(finding), std::move(asking), of.account.id, *id,
                                         of.action == kDeleteAction);
      if (of.project && of.project->account == of.account.id) co_return of;
      // The form was sent twice, or another user deleted it: the goal is reached.
      if (!of.project && of.action == kDeleteAction && context.sent != nullptr)
        co_return instead(done(context, of.projects, "deleted"));
    }
    co_return instead(nothing_here(context, "project", of.projects, "Projects of the account"));
  }

  loop::Task<http::Response> page(const OfProject& of) override {
    if (!of.project) return form(of, &ProjectsPage::show_all, &ProjectsPage::create);
    if (of.action.empty()) return form(of, &ProjectsPage::show, &ProjectsPage::edit);
    return of.sent != nullptr ? remove(of) : ask_delete(of);
  }

  loop::Task<http::Response> show_all(const OfProject& of, const Entered& entered) {
    const media::AccountId account = of.account.id;
    const text::Form query = text::Form::parse(of.request.query);
    std::optional<media::ProjectId> all_projects;
    const media::CatalogCounts counts =
        co_await library_.listings.counts(account, std::move(all_projects));
    const auto all = static_cast<std::size_t>(std::max<std::int64_t>(counts.projects, 1));
    const std::size_t pages = (all + kProjectsPerPage - 1) / kProjectsPerPage;
    const std::size_t number =
        base::parse_number<std::size_t>(query.find("page").value_or(""), 1, pages).value_or(1);
    const media::ListOrder order{.by = media::SortBy::Name,
                                 .ascending = true,
                                 .offset = (number - 1) * kProjectsPerPage,
                                 .count = kProjectsPerPage};
    const std::vector<media::Project> projects =
        co_await library_.listings.projects(account, order);
    std::vector<loop::Task<media::CatalogCounts>> of_each;
    for (const media::Project& project : projects)
      of_each.push_back(library_.listings.counts(account, project.id));
    auto sizing = loop::all(std::move(of_each));
    const std::vector<media::CatalogCounts> sizes = co_await sizing;

    // The page makes the id, so a form that is sent twice creates one project.
    const std::string id = entered.edition(media::new_id(parts_.entropy).value());
    SettingsPage page(parts_, of, entered, "Projects", "projects.tpl");
    Values& body = page.body();
    body.set("ACCOUNT", of.account_name()).set("LIST", of.medias).set("PROOF", proof_of(of, id));
    show_description(body, entered, {}, id, 3);
    body.show(projects.empty() ? "EMPTY" : "FULL");
    for (std::size_t i = 0; i < projects.size(); ++i) {
      const media::Project& project = projects[i];
      Values one = body.show_with("PROJECT");
      one.set("PROJECT_NAME", clipped(project.name, kMaxShownName))
          .set("PATH", of.path + "/" + project.id.value())
          .set("MEDIAS", of.medias + "?project=" + project.id.value())
          .set("COUNT", items_words(sizes[i].medias));
      const std::string text = plain_text(project.description);
      if (!text.empty()) one.show_with("DESCRIBED").set("TEXT", clipped(text, kMaxShownText));
    }
    if (pages > 1) {
      Values shown = body.show_with("PAGES");
      shown.set("PAGE", static_cast<long>(number)).set("ALL", static_cast<long>(pages));
      const auto link = [&](std::string_view section, std::size_t to) {
        shown.show_with(section).set("PATH", of.path + "?page=" + std::to_string(to));
      };
      if (number > 1) link("PREVIOUS", number - 1);
      if (number < pages) link("NEXT", number + 1);
    }
    co_return page.answer();
  }

  loop::Task<http::Response> show(const OfProject& of, const Entered& entered) {
    SettingsPage page(parts_, of, entered, "Project", "project.tpl");
    Values& body = page.body();
    body.set("NAME", clipped(of.project->name, kMaxShownName))
        .set("ACCOUNT", of.account_name())
        .set("LIST", of.projects)
        .set("PATH", of.path)
        .set("MEDIAS", of.medias + "?project=" + of.project->id.value());
    const Description saved = description_of(*of.project);
    show_description(body, entered, saved, description_edition(*of.project), 3);
    co_return page.answer();
  }

  loop::Task<http::Response> ask_delete(const OfProject& of) {
    std::optional<media::ProjectId> id(of.project->id);
    const media::CatalogCounts counts =
        co_await library_.listings.counts(of.account.id, std::move(id));
    co_return deletion(of, counts.medias, 200);
  }

  // `medias`: of the project.
  http::Response deletion(const OfProject& of, std::int64_t medias, int status) const {
    SettingsPage page(parts_, of, Entered(), "Delete project", "project_delete.tpl");
    Values& body = page.body();
    body.set("NAME", clipped(of.project->name, kMaxShownName)).set("BACK", of.path);
    if (medias == 0) {
      body.show("DELETION");
    } else {
      body.show_with("NOT_EMPTY")
          .set("COUNT", items_words(medias))
          .set("MEDIAS", of.medias + "?project=" + of.project->id.value());
    }
    return page.answer(status);
  }

  loop::Task<Applied> create(const OfProject& of, Entered& entered) {
    const auto id = media::ProjectId::parse(entered.edition(""));
    if (!id || !is_proven(of, id->value()))
      co_return forged_form_page(of.request, of.visitor, parts_.site, of.request.path);
    const Description typed = typed_in(entered);
    check_description(entered, typed);
    if (entered.has_problems()) co_return entered.refused();
    const auto created =
        co_await library_.projects.create(typed.name, typed.description, of.actor, id->value());
    if (created) co_return done(of, of.path, "created");
    co_return entered.refuse("name", "The account has " +
                                         with_separators(library::ProjectService::kMostProjects) +
                                         " projects, and more are not possible. Delete some.");
  }

  loop::Task<Applied> edit(const OfProject& of, Entered& entered) {
    const Description typed = typed_in(entered);
    check_description(entered, typed);
    if (entered.has_problems()) co_return entered.refused();
    library::ProjectEdit edit;
    if (typed.name != of.project->name) edit.name = typed.name;
    if (typed.description != tidy(of.project->description)) edit.description = typed.description;
    // Sent twice, or another user had the same idea.
    if (!edit.name && !edit.description) co_return done(of, of.projects, "saved");
    const library::ProjectCondition condition =
        entered.unless_changed<media::Project>(description_edition);
    const auto edited = co_await library_.projects.edit(of.project->id, edit, condition, of.actor);
    if (!edited) co_return entered.overtaken();
    co_return done(of, of.projects, "saved");
  }

  loop::Task<http::Response> remove(const OfProject& of) {
    const library::ProjectCondition any;
    const auto refused = co_await library_.projects.remove(of.project->id, any, of.actor);
    // If another user was faster, the goal is reached.
    if (!refused || refused->refusal) co_return done(of, of.projects, "deleted");
    // A media may be about to enter the project.
    co_return deletion(of, std::max<std::int64_t>(refused->medias, 1), kOvertakenStatus);
  }
};

}  // namespace

OwnedPage projects_page(const SettingsParts& parts) {
  return std::make_unique<ProjectsPage>(parts);
}

}  // namespace svc::pages
