#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctl/commands/app_end.h"
#include "ctl/commands/groups.h"
#include "ctl/confirm.h"
#include "ctl/if_absent.h"
#include "ctl/listing.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "ctl/tally.h"
#include "oauth/application_service.h"
#include "oauth/applications.h"
#include "oauth/authorization_link.h"
#include "stores/access/client_registry.h"
#include "stores/access/grant_inspection.h"
#include "stores/access/grants.h"
#include "stores/audit.h"
#include "stores/catalog/people.h"
#include "stores/keys.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::ctl {
namespace {

using base::Result;
using oauth::ApplicationRefusal;
using oauth::Client;
using oauth::ClientId;

Result<ClientId, std::string> read_client_id(const std::string& text) {
  if (!oauth::is_client_id(text))
    return Refusal{text + " is not a client id: 1 to 64 letters, digits, '-', '_' and '.'"};
  return ClientId{text};
}

std::vector<std::string> texts_of(const oauth::ScopeSet& scopes) {
  const auto names = scopes.names();
  return {names.begin(), names.end()};
}

void add_client(Report& report, const Client& client, const Context& context) {
  report.text("client_id", client.id.value()).integer("account_id", client.account.value());
  base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
    using Setting = decltype(Row::rule);
    const auto& value = client.*row.member;
    if constexpr (oauth::kIsText<Setting>) {
      report.text(row.name, value);
    } else if constexpr (oauth::kIsUris<Setting>) {
      report.text(row.name, value.front());
    } else if constexpr (oauth::kIsScopes<Setting>) {
      report.texts(row.name, texts_of(value));
    } else if constexpr (oauth::kIsSwitch<Setting>) {
      report.boolean(row.name, value);
    } else if (!std::is_same_v<std::decay_t<decltype(value)>, oauth::ClientType>) {
      report.text(row.name, row.rule.of(value).name);
    }
  });
  report.text("created", client.created)
      .integer("permission_version", client.permission_version)
      .text("type", oauth::name_of(client.type))
      .texts("redirect_uris", client.redirect_uris)
      .text("token_endpoint_auth_method", oauth::authentication_method(client.type))
      .texts("client_credentials", texts_of(client.client_credentials))
      .boolean("resource_server", client.resource_server)
      .texts("resources", client.resources)
      .integer("live_secrets", static_cast<std::int64_t>(client.secrets.size()));
  if (!client.is_public())
    report.text("authorization_link", oauth::authorization_link(context.app_url, client));
}

// The application service with its stores, and the operator as the actor.
class Service {
 public:
  Service(Context& context, const base::KeyRing& keys)
      : registry_(context.store.redis),
        grants_(context.state.redis, context.store.redis, keys, context.limits, context.clock,
                context.entropy),
        audit_(context.store.redis),
        service_(registry_, grants_, audit_, context.limits, keys, context.entropy, context.clock) {
  }

  oauth::ApplicationService* operator->() { return &service_; }
  const oauth::Actor& actor() const { return actor_; }

 private:
  stores::ClientRegistry registry_;
  stores::Grants grants_;
  stores::Audit audit_;
  oauth::ApplicationService service_;
  const std::string who_ = who_is_this();
  const oauth::Actor actor_{.detail = who_};
};

class GrantSearch : public oauth::GrantSearch {
 public:
  GrantSearch(Context& context, const base::KeyRing& keys)
      : inspection_(context.state.redis, keys, context.limits, context.clock) {}

  loop::Task<std::vector<oauth::GrantId>> grants_of(const ClientId& id) override {
    std::vector<oauth::GrantId> ids;
    const std::vector<stores::LiveGrant> grants = co_await inspection_.grants_of(id);
    for (const stores::LiveGrant& grant : grants) ids.push_back(grant.id);
    co_return ids;
  }

 private:
  stores::GrantInspection inspection_;
};

std::string no_application(const ClientId& id) { return "there is no application " + id.value(); }

// "--scope-format" for "scope_format".
std::string flag_of(std::string_view setting) {
  std::string flag = "--" + std::string(setting);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

// Returns the names, which commas or spaces separate.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(", ");
    if (end != 0) names.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return names;
}

Result<oauth::ApplicationSettings, std::string> read_settings(const Arguments& arguments) {
  oauth::ApplicationSettings settings;
  std::string error;
  base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
    const std::string flag = flag_of(row.name);
    if (!arguments.has(flag)) return;
    std::vector<std::string> values = arguments.values(flag);
    if (values.empty()) values.emplace_back();  // a switch
    if constexpr (oauth::kIsScopes<decltype(Row::rule)>) values = names_in(values.front());
    for (const std::string& value : values) {
      // The parser has checked the choices.
      if (!oauth::set_from(row.rule, settings.*row.member, value))
        error = std::string(row.name) + " must be a list of " + oauth::ScopeSet::list_of_names();
    }
  });
  if (!error.empty()) return Refusal{error};
  if (settings.type == oauth::ClientType::Public && arguments.has("--scope-format") &&
      settings.scope_format != oauth::ScopeFormat::String)
    return Refusal{std::string("scope_format of a public application is string")};
  oauth::settle(settings);
  return settings;
}

constexpr std::string_view kClientCredentials = "--client-credentials";
constexpr std::string_view kResourceServer = "--resource-server";
constexpr std::string_view kResource = "--resource";
constexpr std::string_view kNone = "none";

// Returns the scopes that the flag lists. The caller handles the word "none".
Result<oauth::ScopeSet, std::string> read_own_scopes(const Arguments& arguments) {
  oauth::ScopeSet scopes;
  bool are_known = true;
  for (const std::string& name : names_in(arguments.value(kClientCredentials)))
    are_known &= scopes.add(name);
  if (!are_known || scopes.empty())
    return Refusal{"client_credentials must be a list of " + oauth::ScopeSet::list_of_names()};
  return scopes;
}

Result<oauth::OperatorSettings, std::string> read_operated(const Arguments& arguments,
                                                           oauth::ClientType type) {
  oauth::OperatorSettings operated;
  if (arguments.has(kClientCredentials)) {
    const auto scopes = read_own_scopes(arguments);
    if (!scopes) return Refusal{scopes.error()};
    operated.client_credentials = *scopes;
  }
  operated.resource_server = arguments.has(kResourceServer);
  operated.resources = arguments.values(kResource);
  if (!operated.resources.empty() && !operated.resource_server)
    return Refusal{std::string("resource is only for an application with resource_server")};
  if (const auto why = oauth::why_not(operated, type)) return Refusal{*why};
  return operated;
}

// Returns a view that is valid until the program ends: a Flag has views.
std::string_view keep(std::string text) {
  static std::deque<std::string> kept;
  return kept.emplace_back(std::move(text));
}

template <class Setting>
Flag flag_for(std::string_view name, const Setting& setting) {
  Flag flag{.name = keep(flag_of(name)), .help = setting.words.flag};
  if constexpr (oauth::kIsText<Setting>) {
    flag.takes = Takes::text(setting.flag_value);
    flag.required = !setting.if_empty.empty();
    if (flag.help.empty())
      flag.help = keep("at most " + std::to_string(setting.most) + " characters");
  } else if constexpr (oauth::kIsUris<Setting>) {
    flag.takes = Takes::text(setting.flag_value);
    flag.required = true;
    flag.repeats = true;
  } else if constexpr (oauth::kIsScopes<Setting>) {
    const auto& names = oauth::ScopeSet::kNames;
    flag.takes = Takes::text(setting.flag_value, {std::begin(names), std::end(names)});
    flag.required = true;
    flag.help = keep("of " + oauth::ScopeSet::list_of_names());
  } else if constexpr (!oauth::kIsSwitch<Setting>) {
    std::vector<std::string_view> names;
    std::string all;
    for (const auto& choice : setting.choices) {
      names.push_back(choice.name);
      all += (all.empty() ? "" : "|") + std::string(choice.name);
    }
    flag.takes = Takes::choice(keep(all), names);
  }
  return flag;
}

// Returns the flags of the settings, the required ones first.
std::vector<Flag> setting_flags() {
  std::vector<Flag> flags;
  base::for_each(oauth::kApplicationSettings,
                 [&](const auto& row) { flags.push_back(flag_for(row.name, row.rule)); });
  std::stable_partition(flags.begin(), flags.end(), [](const Flag& flag) { return flag.required; });
  return flags;
}

constexpr std::string_view kResourceTaken =
    "another application has registered one of its resources";

std::string why_not_created(ApplicationRefusal why, const oauth::NewApplication& application,
                            std::int64_t most_per_account) {
  const std::string account = "account " + std::to_string(application.account.id.value());
  switch (why) {
    case ApplicationRefusal::InvalidSettings:
      return to_text(oauth::problems_of(application.settings));
    case ApplicationRefusal::OauthDisabled:
      return "OAuth is not enabled for " + account + ": svcctl account set " +
             std::to_string(application.account.id.value()) + " --oauth-enabled yes enables it";
    case ApplicationRefusal::TooManyApplications:
      return account + " has as many applications as are allowed, " +
             std::to_string(most_per_account) + ": delete one first";
    case ApplicationRefusal::ResourceTaken: return std::string(kResourceTaken);
    default: return "there is an application " + application.id.value() + " already";
  }
}

// For --if-absent: reports the application without its secret, or refuses if its settings or its
// account differ from those that were asked for.
Outcome report_present(const Client& there, const oauth::NewApplication& asked,
                       const Arguments& arguments, const Context& context) {
  std::string differs;
  if (there.account != asked.account.id) differs += " account_id";
  const Client wanted = oauth::with_settings({}, asked.settings);
  base::for_each(oauth::kApplicationSettings, [&](const auto& row) {
    if (!(there.*row.member == wanted.*row.member)) differs += " " + std::string(row.name);
  });
  if (!(there.operated() == asked.operated))
    differs += " client_credentials, resource_server or resources";
  if (!differs.empty())
    return Refusal{"the application " + there.id.value() + " exists, but differs:" + differs};
  Report report;
  add_client(report, there, context);
  report.boolean(kCreated, false);
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome create_application(const Arguments& arguments, Context& context) {
  const media::AccountId account_id{arguments.integer("--account").value_or(0)};
  const bool is_chosen = arguments.has("--client-id");
  const auto id = read_client_id(is_chosen ? arguments.value("--client-id")
                                           : oauth::new_client_id(context.entropy).value());
  if (!id) return Refusal{id.error()};
  auto settings = read_settings(arguments);
  if (!settings) return Refusal{settings.error()};
  auto operated = read_operated(arguments, settings->type);
  if (!operated) return Refusal{operated.error()};
  stores::People people(context.store.redis);
  auto account = context.store.run(people.find_account(account_id));
  if (!account) return Refusal{"there is no account " + arguments.value("--account")};

  if (arguments.has(kIfAbsent)) {
    if (!is_chosen)
      return wrong_call(context,
                        "--if-absent needs --client-id, by which it finds the application");
    stores::ClientRegistry registry(context.store.redis);
    if (const auto there = context.store.run(registry.find(*id)))
      return report_present(*there,
                            {*id, std::move(*account), std::move(*settings), *std::move(operated)},
                            arguments, context);
  }
  const oauth::NewApplication application{*id, std::move(*account), std::move(*settings),
                                          *std::move(operated)};
  Service service(context, *context.keys);
  GrantSearch search(context, *context.keys);
  const auto created = context.store.run(
      is_chosen ? service->create_with_chosen_id(application, search, service.actor())
                : service->create(application, service.actor()));
  if (!created)
    return Refusal{why_not_created(created.error(), application, service->most_per_account())};
  Report report;
  add_client(report, created->client, context);
  if (!created->client.is_public()) report.text("client_secret", created->secret);
  if (arguments.has(kIfAbsent)) report.boolean(kCreated, true);
  report.print(std::cout, arguments.json());
  return kDone;
}

class ListedApplications : public Listed {
 public:
  ListedApplications(std::optional<std::int64_t> account, const Context& context, bool json)
      : account_(account), context_(context), json_(json) {}

  // An unreadable record may belong to any account, so it is always reported.
  bool take(const stores::StoredRecord& record) override {
    auto client = text::parse_record(document_, record.text, oauth::client_from_record);
    if (!client) {
      cannot_read(record, client.error());
      return false;
    }
    client_ = std::move(*client);
    return !account_ || client_.account.value() == *account_;
  }

  void print() override {
    if (json_) {
      Report report;
      add_client(report, client_, context_);
      report.print(std::cout, true);
      return;
    }
    table_.row({client_.id.value(), std::to_string(client_.account.value()), client_.name,
                client_.redirect_uris.front()});
  }

 private:
  const std::optional<std::int64_t> account_;
  const Context& context_;
  const bool json_;
  text::json::Document document_;
  Client client_;
  Table table_{std::cout, {{"CLIENT ID", 32}, {"ACCOUNT", 7}, {"NAME", 20}, {"REDIRECT URI"}}};
};

Outcome list_applications(const Arguments& arguments, Context& context) {
  const auto page = read_page(arguments);
  if (!page) return wrong_call(context, page.error());
  const auto account = arguments.integer("--account");
  ListedApplications listed(account, context, arguments.json());
  return list_records(arguments, context, stores::keys::client({}), Ids::Text, *page, listed,
                      account ? "no application of that account" : "no application");
}

Outcome show_application(const Arguments& arguments, Context& context) {
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  stores::ClientRegistry registry(context.store.redis);
  const auto client = context.store.run(registry.find(*id));
  if (!client) return Refusal{no_application(*id)};
  Report report;
  add_client(report, *client, context);
  std::string unreadable;
  if (arguments.has("--secret")) {
    Service service(context, *context.keys);
    const auto opened = context.store.run(service->show_secrets(*client, service.actor()));
    std::vector<std::string> secrets;
    for (std::size_t i = 0; i < opened.size(); ++i) {
      if (opened[i]) {
        secrets.push_back(*opened[i]);
      } else if (unreadable.empty()) {
        unreadable = "the secret cannot be decrypted: the key " +
                     std::string(base::KeyRing::id_of(client->secrets[i].sealed)) +
                     " is not in the key file, or the record was changed";
      }
    }
    if (secrets.empty() && !unreadable.empty()) return Refusal{unreadable};
    report.texts("client_secrets", secrets);
  }
  report.print(std::cout, arguments.json());
  if (!unreadable.empty()) return Refusal{unreadable};
  return kDone;
}

std::string why_not_changed(ApplicationRefusal why, const ClientId& id) {
  switch (why) {
    case ApplicationRefusal::TwoLiveSecrets:
      return "two secrets are valid already: when the application uses the newer secret, "
             "end the older secret with svcctl app rotate-secret " +
             id.value() + " --retire-old, then rotate";
    case ApplicationRefusal::NoSecret:
      return "the application " + id.value() + " is public, so it has no secret";
    case ApplicationRefusal::OneLiveSecret:
      return "only one secret is valid, so none can be retired";
    case ApplicationRefusal::Overtaken:
      return "the secrets of " + id.value() +
             " were changed by another command or on the settings pages: run this command again";
    default: return no_application(id);
  }
}

Outcome set_application(const Arguments& arguments, Context& context) {
  if (!arguments.has(kClientCredentials) && !arguments.has(kResourceServer))
    return wrong_call(context, "app set needs --client-credentials or --resource-server");
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  oauth::ScopeSet scopes;
  if (arguments.has(kClientCredentials) && arguments.value(kClientCredentials) != kNone) {
    const auto read = read_own_scopes(arguments);
    if (!read) return Refusal{read.error() + ", or none"};
    scopes = *read;
  }
  stores::ClientRegistry registry(context.store.redis);
  const auto seen = context.store.run(registry.find(*id));
  if (!seen) return Refusal{no_application(*id)};
  const oauth::ApplicationService::Operate operate = [&](oauth::OperatorSettings settings) {
    if (arguments.has(kClientCredentials)) settings.client_credentials = scopes;
    if (arguments.has(kResourceServer))
      settings.resource_server = arguments.value(kResourceServer) == "yes";
    return settings;
  };
  if (const auto why = oauth::why_not(operate(seen->operated()), seen->type)) return Refusal{*why};
  Service service(context, *context.keys);
  const auto changed = context.store.run(service->operate(*seen, operate, service.actor()));
  if (!changed) {
    return Refusal{changed.error() == ApplicationRefusal::ResourceTaken
                       ? std::string(kResourceTaken)
                       : no_application(*id)};
  }
  Report report;
  add_client(report, *changed, context);
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome rotate_secret(const Arguments& arguments, Context& context) {
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  stores::ClientRegistry registry(context.store.redis);
  const auto seen = context.store.run(registry.find(*id));
  if (!seen) return Refusal{no_application(*id)};
  const std::string edition = oauth::secrets_edition(*seen);
  Service service(context, *context.keys);
  Report report;
  const auto add_secrets = [&](const Client& client) {
    report.text("client_id", id->value())
        .integer("live_secrets", static_cast<std::int64_t>(client.secrets.size()));
  };
  if (arguments.has("--retire-old")) {
    const auto retired =
        context.store.run(service->retire_old_secret(*seen, edition, service.actor()));
    if (!retired) return Refusal{why_not_changed(retired.error(), *id)};
    add_secrets(*retired);
  } else {
    const auto rotated = context.store.run(service->rotate_secret(*seen, edition, service.actor()));
    if (!rotated) return Refusal{why_not_changed(rotated.error(), *id)};
    add_secrets(rotated->client);
    report.text("client_secret", rotated->secret);
  }
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome delete_application(const Arguments& arguments, Context& context) {
  const auto id = read_client_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  Service service(context, *context.keys);
  const auto remains = context.store.run(service->find_remains(*id));
  if (!remains) return Refusal{no_application(*id)};

  stores::GrantInspection inspection(context.state.redis, *context.keys, context.limits,
                                     context.clock);
  Report report;
  report.text("client_id", id->value()).text("name", remains->client ? remains->client->name : "");
  add_tally(report, tally_of(inspection, context, *id));
  const Ending ending{.typed = id->value(), .to_do = "delete it", .done = "deleted"};
  return end_if_confirmed(arguments, context, report, ending, [&] {
    end_application(context, *id);
    return true;
  });
}

}  // namespace

void end_application(Context& context, const ClientId& id) {
  Service service(context, *context.keys);
  const auto remains = context.store.run(service->find_remains(id));
  if (!remains) return;
  GrantSearch search(context, *context.keys);
  context.store.run(service->remove_completely(*remains, search, service.actor()));
}

const Group& app_commands() {
  const auto id = [] {
    return std::vector<Operand>{
        {.takes = Takes::text("ID"), .help = "the application's client id"}};
  };
  const auto account = [](std::string_view help, bool required) {
    return Flag{.name = "--account",
                .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                .help = help,
                .required = required};
  };
  const auto own_scopes = [](bool or_none) {
    const auto& names = oauth::ScopeSet::kNames;
    std::vector<std::string_view> offered{std::begin(names), std::end(names)};
    if (or_none) offered.push_back(kNone);
    return Flag{.name = kClientCredentials,
                .takes = Takes::text(or_none ? "SCOPE,SCOPE|none" : "SCOPE,SCOPE", offered),
                .help =
                    "what it may do for its own account, without a user, by the grant type "
                    "client_credentials"};
  };
  static const std::vector<Flag> kCreateFlags = [&] {
    std::vector<Flag> flags = setting_flags();
    flags.insert(flags.begin(), account("account that owns the application", true));
    flags.push_back({.name = "--client-id",
                     .takes = Takes::text("ID"),
                     .help = "this client id in place of a random one"});
    flags.push_back(own_scopes(false));
    flags.push_back({.name = kResourceServer,
                     .help = "it may introspect access tokens of all applications that are for "
                             "its account or its resources"});
    flags.push_back({.name = kResource,
                     .takes = Takes::text("URI"),
                     .help = "a resource of this server that tokens may be for; up to 10 times",
                     .repeats = true});
    flags.push_back(if_absent_flag());
    return flags;
  }();
  static const Group kGroup{
      .section = Section::Access,
      .name = "app",
      .subjects = "Applications",
      .commands = {
          {.name = "app create",
           .summary = "Register an application and print its credentials",
           .syntax = {.flags = kCreateFlags, .json = kJsonObject},
           .details =
               {"Prints the secret, which is not shown again without app show --secret, and "
                "a link that asks a user for access.",
                "With --type public, for a program in a browser or on a device, neither exists. "
                "Then a redirect URI may also be http on localhost, or a scheme such as "
                "com.example.app:/callback.",
                "--client-credentials and --resource-server are for confidential applications."},
           .needs_keys = always,
           .run = create_application},
          {.name = "app set",
           .summary = "Change what an application may do without a user",
           .syntax = {.operands = id(),
                      .flags = {own_scopes(true),
                                {.name = kResourceServer,
                                 .takes = Takes::choice("yes|no", {"yes", "no"}),
                                 .help = "whether it may introspect access tokens of all "
                                         "applications that are for its account or its "
                                         "resources"}},
                      .json = kJsonObject},
           .details = {"Prints the application. Other settings are changed on the settings pages, "
                       "by an owner or manager of the account.",
                       "Tokens that it has for itself end as soon as it may not have their "
                       "scopes any more."},
           .needs_keys = always,
           .run = set_application},
          {.name = "app list",
           .summary = "List applications",
           .syntax = {.flags = {account("only those of this account", false), limit_flag(),
                                after_flag()},
                      .json = kJsonLines},
           .only_reads = always,
           .run = list_applications},
          {.name = "app show",
           .summary = "Print the settings of an application",
           .syntax = {.operands = id(),
                      .flags = {{.name = "--secret",
                                 .help = "print its secrets, too; "
                                         "recorded in the audit trail"}},
                      .json = kJsonObject},
           // A secret that is shown is recorded.
           .needs_keys = [](const Arguments& arguments) { return arguments.has("--secret"); },
           .only_reads = [](const Arguments& arguments) { return !arguments.has("--secret"); },
           .run = show_application},
          {.name = "app rotate-secret",
           .summary = "Make a second secret and print it",
           .syntax = {.operands = id(),
                      .flags = {{.name = "--retire-old",
                                 .help = "end the older of two "
                                         "secrets, and make none"}},
                      .json = kJsonObject},
           .details = {"Both secrets are valid until --retire-old "
                       "ends the older secret."},
           .needs_keys = always,
           .run = rotate_secret},
          {.name = "app delete",
           .summary = "Delete an application with all its grants "
                      "and tokens",
           .syntax = {.operands = id(), .flags = {yes_flag()}, .json = kJsonObject},
           .details = {"Prints first how many grants and tokens end with "
                       "it. Asks at a terminal; "
                       "elsewhere it needs --yes.",
                       "The application stops working immediately. If the "
                       "command is interrupted, "
                       "the web pool or the next run ends the rest."},
           .needs_keys = always,
           .run = delete_application}}};
  return kGroup;
}

}  // namespace svc::ctl
