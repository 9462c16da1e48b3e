#include <cstdint>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "base/unreadable.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/services.h"
#include "ctl/confirm.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "media/account.h"
#include "stores/catalog/people.h"
#include "stores/keys.h"
#include "stores/record_scan.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kListedAtOnce = 100;

void add_project(Report& report, const media::Project& project) {
  // Names every member, so that the compiler rejects a new member until it is shown.
  const auto& [id, account, name, description, created, updated] = project;
  report.text("project_id", id.value())
      .integer("account_id", account.value())
      .text("name", name)
      .text("description", description)
      .text("created", created)
      .text("updated", updated);
}

std::string no_project(const std::string& id) { return "there is no project " + printable(id); }

std::optional<media::Project> find_project(const Context& context, Services& services,
                                           const std::string& text) {
  const auto id = media::ProjectId::parse(text);
  if (!id) return std::nullopt;
  return context.store.run(services.catalog.find_project(*id));
}

Outcome list_projects(const Arguments& arguments, Context& context) {
  const media::AccountId account{arguments.integer_operand(0)};
  stores::People people(context.store.redis);
  if (!context.store.run(people.find_account(account)))
    return Refusal{"there is no account " + std::to_string(account.value())};
  Services services(context);
  Table table(std::cout, {{"PROJECT", 12}, {"MEDIA", 7}, {"CREATED", 20}, {"NAME"}});
  bool is_empty = true;
  std::vector<media::Project> projects;
  for (std::size_t from = 0; from == 0 || projects.size() == kListedAtOnce; from += kListedAtOnce) {
    projects = context.store.run(
        services.listings.projects(account, {.offset = from, .count = kListedAtOnce}));
    for (const media::Project& project : projects) {
      is_empty = false;
      const std::int64_t medias =
          context.store.run(services.listings.counts(account, project.id)).medias;
      if (!arguments.json()) {
        table.row({project.id.value(), std::to_string(medias), project.created, project.name});
        continue;
      }
      Report report;
      add_project(report, project);
      report.integer("medias", medias).print(std::cout, true);
    }
  }
  if (is_empty && !arguments.json()) std::cerr << "no projects\n";
  return kDone;
}

Outcome create_project(const Arguments& arguments, Context& context) {
  const media::AccountId account{*arguments.integer("--account")};
  const auto fields = read_edit<library::ProjectEdit>(arguments);
  if (!fields) return Refusal{fields.error()};
  stores::People people(context.store.redis);
  if (!context.store.run(people.find_account(account)))
    return Refusal{"there is no account " + std::to_string(account.value())};
  Services services(context);
  const std::string description = fields->description.value_or("");
  const library::Actor actor = services.actor(account);
  const auto project =
      context.store.run(services.projects.create(*fields->name, description, actor));
  if (!project)
    return Refusal{"the account has " + std::to_string(library::ProjectService::kMostProjects) +
                   " projects, which is the most"};
  Report report;
  add_project(report, *project);
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome edit_project(const Arguments& arguments, Context& context) {
  if (!arguments.has("--name") && !arguments.has("--description"))
    return wrong_call(context, "nothing to change: one of --name, --description is missing");
  const auto edit = read_edit<library::ProjectEdit>(arguments);
  if (!edit) return Refusal{edit.error()};
  Services services(context);
  const auto project = find_project(context, services, arguments.operand(0));
  if (!project) return Refusal{no_project(arguments.operand(0))};
  const library::Actor actor = services.actor(project->account);
  const library::ProjectCondition any;
  const auto edited = context.store.run(services.projects.edit(project->id, *edit, any, actor));
  if (!edited) return Refusal{no_project(arguments.operand(0))};
  Report report;
  add_project(report, *edited);
  report.print(std::cout, arguments.json());
  return kDone;
}

// The project to delete, whose record need not be readable.
struct Doomed {
  std::optional<media::AccountId> account{};  // nullopt: no account has it in its lists
  std::string name{};
  std::int64_t medias = 0;
};

// If the record does not name an account: asks the index of each account.
Doomed find_owner(const Context& context, Services& services, const media::ProjectId& id) {
  Doomed found;
  stores::RecordScan scan(context.store.redis, stores::keys::kAccounts,
                          redis::Scan::Repeats::Possible);
  const std::size_t prefix = std::string_view(stores::keys::kAccounts).size();
  std::set<std::int64_t> seen;
  while (true) {
    const std::vector<std::string> keys = context.store.run(scan.next_keys());
    if (keys.empty()) return found;
    for (const std::string& key : keys) {
      const auto number = base::parse_number<std::int64_t>(key.substr(prefix), 1);
      if (!number || !seen.insert(*number).second) continue;
      const media::AccountId account{*number};
      found.medias += context.store.run(services.listings.counts(account, id)).medias;
      if (context.store.run(services.catalog.has_project(account, id))) found.account = account;
    }
  }
}

std::optional<Doomed> find_doomed(const Context& context, Services& services,
                                  const media::ProjectId& id) {
  const auto records =
      context.store.run(stores::read_records(context.store.redis, {stores::keys::project(id)}));
  if (records.empty()) return std::nullopt;
  text::json::Document document;
  Doomed found{.account = media::account_in_stored_project(document, records.front().text)};
  if (!found.account) return find_owner(context, services, id);
  found.medias = context.store.run(services.listings.counts(*found.account, id)).medias;
  try {
    if (const auto project = context.store.run(services.catalog.find_project(id)))
      found.name = project->name;
  } catch (const base::Unreadable&) {
    // Its name is unknown.
  }
  return found;
}

// Deletes a project that the lists of all accounts lack.
bool delete_unowned(const Context& context, Services& services, const media::ProjectId& id) {
  const std::string detail = services.who + ", project " + id.value();
  record_event(context, {.what = oauth::event_named<"project.deleted">(), .detail = detail});
  const auto removed = context.store.run(services.project_records.remove_project(
      id, std::nullopt, [](const media::Project*) { return true; }));
  return removed == media::ProjectRecords::Removed::Yes;
}

Outcome delete_project(const Arguments& arguments, Context& context) {
  Services services(context);
  const auto id = media::ProjectId::parse(arguments.operand(0));
  const auto project = id ? find_doomed(context, services, *id) : std::nullopt;
  if (!project) return Refusal{no_project(arguments.operand(0))};
  const std::string& text = id->value();
  const auto why_not_empty = [&](std::int64_t medias) {
    return Refusal{"the project " + text + " is not empty: it has " + std::to_string(medias) +
                   " media, which svcctl media list --project " + text + " lists"};
  };
  if (project->medias > 0) return why_not_empty(project->medias);
  Report report;
  report.text("project_id", text);
  if (project->account) {
    report.integer("account_id", project->account->value());
  } else {
    report.nothing("account_id");
  }
  report.text("name", project->name);
  const Ending ending{.typed = text, .to_do = "delete it", .done = "deleted"};
  std::optional<library::NotRemoved> refused;
  const Outcome outcome = end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    if (!project->account) return delete_unowned(context, services, *id);
    const library::Actor actor = services.actor(*project->account);
    const library::ProjectCondition any;
    refused = context.store.run(services.projects.remove(*id, any, actor));
    return !refused;
  });
  if (!refused || refused->refusal) return outcome;
  if (refused->medias > 0) return why_not_empty(refused->medias);
  return Refusal{"a media is being put into the project " + text + ": try again in a minute"};
}

}  // namespace

const Group& project_commands() {
  static const Operand kProject{.takes = Takes::text("PROJECT"), .help = "the project's id"};
  static const Flag kName = name_flag("the project's name");
  static const Flag kDescription = description_flag("the project's description");
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "project",
      .subjects = "Projects",
      .commands = {
          {.name = "project list",
           .summary = "List the projects of an account, with the number of their media",
           .syntax = {.operands = {{.takes = Takes::integer("ACCOUNT", 1, media::kMaxIntegerId),
                                    .help = "the account's id"}},
                      .json = kJsonLines},
           .details = {"The order is that of their creation."},
           .only_reads = always,
           .run = list_projects},
          {.name = "project create",
           .summary = "Create a project",
           .syntax = {.flags = {{.name = "--account",
                                 .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                 .help = "the account that owns it",
                                 .required = true},
                                {.name = kName.name,
                                 .takes = kName.takes,
                                 .help = kName.help,
                                 .required = true},
                                kDescription},
                      .json = kJsonObject},
           .details = {"Its id is random."},
           .run = create_project},
          {.name = "project edit",
           .summary = "Change the name or the description of a project",
           .syntax = {.operands = {kProject}, .flags = {kName, kDescription}, .json = kJsonObject},
           .details = {"A later import whose file has the project overwrites both."},
           .run = edit_project},
          {.name = "project delete",
           .summary = "Delete an empty project",
           .syntax = {.operands = {kProject}, .flags = {yes_flag()}, .json = kJsonObject},
           .details = {"A project with media is not deleted: move them with svcctl media edit, or "
                       "delete them. Neither is one into which a media is being put; if the "
                       "program that did it has died, that takes a minute. Its record need not be "
                       "readable.",
                       "Asks first; without a terminal it needs --yes. An import whose file still "
                       "has the project creates it again."},
           .run = delete_project}}};
  return kGroup;
}

}  // namespace svc::ctl
