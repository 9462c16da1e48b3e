#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/number.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/user_access.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "ctl/terminal.h"
#include "oauth/account_token_service.h"
#include "redis/scan.h"
#include "stores/access/account_tokens.h"
#include "stores/access/client_registry.h"
#include "stores/access/grant_inspection.h"
#include "stores/access/grants.h"
#include "stores/audit.h"
#include "stores/catalog/people.h"
#include "stores/keys.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

using base::Result;
using oauth::AccountToken;
using oauth::AccountTokenId;
using oauth::AccountTokenRecord;
using oauth::Token;
using oauth::TokenKind;
using stores::TokenState;

std::string_view to_text(TokenState state) {
  switch (state) {
    case TokenState::Alive: return "alive";
    case TokenState::Expired: return "expired";
    case TokenState::Revoked: return "revoked, or its grant ended";
    case TokenState::Replaced: return "replaced by a newer token";
    case TokenState::Spent: return "spent";
    case TokenState::Used: return "used: a refresh has replaced it";
    case TokenState::Unknown: break;
  }
  return "not in the store: never issued, expired, or ended with its grant";
}

// A token of an OAuth grant, or of an account.
using GivenToken = std::variant<Token, AccountToken>;

Result<GivenToken, std::string> ask_token(const Context& context) {
  const auto line = read_secret_line(context.input, "Token: ");
  if (!line) return Refusal{line.error()};
  if (auto account_token = AccountToken::parse(*line)) return GivenToken(std::move(*account_token));
  auto token = Token::parse_any(*line);
  if (!token) token = Token::parse(TokenKind::Code, *line);
  // Do not print the input: it may be a mistyped token.
  if (!token) {
    return Refusal{
        std::string("not a token: a token begins with svca_ (access), svcr_ (refresh), svcc_ "
                    "(authorization code) or svcp_ (account), followed by 96 lower-case hex digits "
                    "and a few more")};
  }
  return GivenToken(std::move(*token));
}

// An application that acts for itself lacks a contact.
void add_person(Report& report, const oauth::Issued& issued) {
  const auto person = issued.person();
  if (person) {
    report.integer("contact_id", person->value());
  } else {
    report.nothing("contact_id");
  }
}

stores::InspectedToken inspect(Context& context, const base::KeyRing& keys, const Token& token) {
  stores::GrantInspection inspection(context.state.redis, keys, context.limits, context.clock);
  return context.state.run(inspection.inspect(token));
}

// The service of account tokens with its stores, and the operator as the actor.
class TokenService {
 public:
  TokenService(Context& context, const base::KeyRing& keys)
      : tokens_(context.store.redis, keys, context.clock),
        audit_(context.store.redis),
        service_(tokens_, audit_, context.limits, context.entropy, context.clock) {}

  oauth::AccountTokenService* operator->() { return &service_; }
  stores::AccountTokens& tokens() { return tokens_; }
  const oauth::Actor& actor() const { return actor_; }

 private:
  stores::AccountTokens tokens_;
  stores::Audit audit_;
  oauth::AccountTokenService service_;
  const std::string who_ = who_is_this();
  const oauth::Actor actor_{.detail = who_};
};

std::vector<std::string> names_of(const oauth::ScopeSet& scopes) {
  const auto names = scopes.names();
  return {names.begin(), names.end()};
}

void time_or_nothing(Report& report, std::string_view key, std::int64_t time) {
  if (time != 0) {
    report.time(key, time);
  } else {
    report.nothing(key);
  }
}

void add_token(Report& report, const AccountTokenRecord& record) {
  report.text("name", record.name)
      .integer("account_id", record.account().value())
      .integer("contact_id", record.contact.value())
      .texts("scopes", names_of(record.scopes))
      .time("created", record.created);
  time_or_nothing(report, "expires", record.expires);
}

constexpr std::string_view kUnknownAccountToken =
    "not in the store: never made, expired or revoked";

Outcome inspect_account_token(const Arguments& arguments, Context& context,
                              const base::KeyRing& keys, const AccountToken& token) {
  TokenService service(context, keys);
  const auto record = context.store.run(service.tokens().inspect(token));
  Report report;
  report.text("kind", AccountToken::kLabel)
      .boolean("alive", record.has_value())
      .text("state", record ? to_text(TokenState::Alive) : kUnknownAccountToken);
  if (record) {
    stores::People people(context.store.redis);
    const auto contact = context.store.run(people.find_contact(record->contact));
    const auto account = context.store.run(people.find_account(record->account()));
    report.text("id", record->id.value());
    add_token(report, *record);
    report.text("contact_email", contact ? contact->email : "")
        .text("account_name", account ? account->name : "");
    time_or_nothing(report, "last_used", record->last_used);
  }
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome end_account_token(const Arguments& arguments, TokenService& service, Context& context,
                          const AccountTokenRecord& record) {
  context.store.run(service->end(record, service.actor()));
  Report report;
  report.text("id", record.id.value());
  add_token(report, record);
  report.text("revoked", "account token").print(std::cout, arguments.json());
  return kDone;
}

Outcome revoke_by_id(const Arguments& arguments, Context& context, const base::KeyRing& keys) {
  const std::string& text = arguments.value("--id");
  const auto id = AccountTokenId::parse(text);
  if (!id) return Refusal{text + " is not an id of an account token: 30 lower-case hex digits"};
  TokenService service(context, keys);
  const auto record = context.store.run(service.tokens().find(*id));
  if (!record) return Refusal{"there is no account token " + text};
  return end_account_token(arguments, service, context, *record);
}

Result<oauth::ScopeSet, std::string> read_token_scopes(std::string text) {
  std::ranges::replace(text, ',', ' ');
  const auto scopes = oauth::ScopeSet::parse(text);
  if (!scopes || scopes->empty())
    return Refusal{"scopes must be a list of " + oauth::ScopeSet::list_of_names()};
  return *scopes;
}

std::string why_not_made(oauth::AccountTokenRefusal why, const oauth::NewAccountToken& asked,
                         std::int64_t most) {
  const std::string account = "account " + std::to_string(asked.account.id.value());
  switch (why) {
    case oauth::AccountTokenRefusal::InvalidName:
      return "name " + oauth::why_not_name(asked.name, oauth::kMostTokenName);
    case oauth::AccountTokenRefusal::NoScopes: return "scopes must not be empty";
    case oauth::AccountTokenRefusal::TooMany:
      return account + " has as many tokens as are allowed, " + std::to_string(most) +
             ": revoke one first";
    case oauth::AccountTokenRefusal::Barred: break;
  }
  if (!asked.account.oauth_enabled) {
    return "OAuth is not enabled for " + account + ": svcctl account set " +
           std::to_string(asked.account.id.value()) + " --oauth-enabled yes enables it";
  }
  if (asked.contact.disabled) return "the user " + asked.contact.email + " is disabled";
  return "the user " + asked.contact.email + " is neither owner nor manager of " + account;
}

Outcome create_token(const Arguments& arguments, Context& context) {
  const media::AccountId account_id{arguments.integer("--account").value_or(0)};
  const auto scopes = read_token_scopes(arguments.value("--scopes"));
  if (!scopes) return Refusal{scopes.error()};
  stores::People people(context.store.redis);
  const auto account = context.store.run(people.find_account(account_id));
  if (!account) return Refusal{"there is no account " + arguments.value("--account")};
  const std::string& who = arguments.value("--user");
  const auto user = find_user(context, who);
  if (!user) return Refusal{user.error()};
  if (!user->is_stored) return Refusal{"there is no user " + who};
  // The parser has checked the choice.
  const oauth::NewAccountToken asked{*account, user->contact, arguments.value("--name"), *scopes,
                                     oauth::days_named(arguments.value("--expires")).value_or(0)};
  TokenService service(context, *context.keys);
  const auto created = context.store.run(service->create(asked, service.actor()));
  if (!created) return Refusal{why_not_made(created.error(), asked, service->most_per_account())};
  if (created->record.expires == 0) {
    std::cerr << "warning: this token never expires. Revoke it when it is not needed any more: "
                 "svcctl token revoke --id "
              << created->record.id.value() << "\n";
  }
  Report report;
  report.text("id", created->record.id.value()).text("token", created->text);
  add_token(report, created->record);
  report.print(std::cout, arguments.json());
  return kDone;
}

void print_tokens(const std::vector<AccountTokenRecord>& records, bool json, Table& table) {
  for (const AccountTokenRecord& record : records) {
    if (json) {
      Report report;
      report.text("id", record.id.value());
      add_token(report, record);
      time_or_nothing(report, "last_used", record.last_used);
      report.print(std::cout, true);
      continue;
    }
    table.row({record.id.value(), std::to_string(record.account().value()),
               std::to_string(record.contact.value()),
               record.expires == 0 ? "never" : text::to_rfc3339(record.expires),
               record.last_used == 0 ? "never" : text::to_rfc3339(record.last_used), record.name});
  }
}

Outcome list_tokens(const Arguments& arguments, Context& context) {
  TokenService service(context, *context.keys);
  Table table(
      std::cout,
      {{"ID", 30}, {"ACCOUNT", 7}, {"USER", 7}, {"EXPIRES", 20}, {"LAST USED", 20}, {"NAME"}});
  std::size_t count = 0;
  const auto print = [&](media::AccountId account) {
    const auto records = context.store.run(service.tokens().of(account));
    count += records.size();
    print_tokens(records, arguments.json(), table);
  };
  if (const auto account = arguments.integer("--account")) {
    print({*account});
  } else {
    redis::Scan scan(context.store.redis, std::string(stores::keys::kAccountTokens) + "*");
    while (true) {
      const std::vector<std::string> lists = context.store.run(scan.next());
      if (lists.empty()) break;
      for (const std::string& list : lists) {
        std::string_view number =
            std::string_view(list).substr(stores::keys::kAccountTokens.size());
        if (const auto id = base::take_number<std::int64_t>(number)) print({*id});
      }
    }
  }
  if (count == 0 && !arguments.json()) std::cerr << "no account token\n";
  return kDone;
}

Outcome inspect_token(const Arguments& arguments, Context& context) {
  const auto given = ask_token(context);
  if (!given) return Refusal{given.error()};
  if (const auto* account_token = std::get_if<AccountToken>(&*given))
    return inspect_account_token(arguments, context, *context.keys, *account_token);
  const Token* const token = std::get_if<Token>(&*given);
  const stores::InspectedToken found = inspect(context, *context.keys, *token);
  Report report;
  report.text("kind", token->label())
      .boolean("alive", found.state == TokenState::Alive)
      .text("state", to_text(found.state));
  if (found.state != TokenState::Unknown) {
    stores::ClientRegistry registry(context.store.redis);
    stores::People people(context.store.redis);
    const auto client = context.store.run(registry.find(found.issued.client));
    const auto person = found.issued.person();
    std::optional<media::Contact> contact;
    if (person) contact = context.store.run(people.find_contact(*person));
    const auto account = context.store.run(people.find_account(found.issued.account));
    report.text("grant", token->grant.value())
        .text("client_id", found.issued.client.value())
        .text("client_name", client ? client->name : "");
    add_person(report, found.issued);
    report.text("contact_email", contact ? contact->email : "")
        .integer("account_id", found.issued.account.value())
        .text("account_name", account ? account->name : "")
        .texts("scopes", names_of(found.issued.scopes));
    if (!found.issued.resources.empty()) report.texts("resources", found.issued.resources);
    report.time("issued", found.issued.issued);
    time_or_nothing(report, "expires", found.issued.expires);
  }
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome revoke(const Arguments& arguments, Context& context) {
  if (arguments.has("--id") && arguments.has("--consent"))
    return wrong_call(context, "--consent is about a grant, and --id names an account token");
  if (arguments.has("--id")) return revoke_by_id(arguments, context, *context.keys);
  const auto given = ask_token(context);
  if (!given) return Refusal{given.error()};
  if (const auto* account_token = std::get_if<AccountToken>(&*given)) {
    TokenService service(context, *context.keys);
    const auto record = context.store.run(service.tokens().inspect(*account_token));
    if (!record)
      return Refusal{"nothing was revoked: the token is " + std::string(kUnknownAccountToken)};
    return end_account_token(arguments, service, context, *record);
  }
  const Token* const token = std::get_if<Token>(&*given);
  const bool consent = arguments.has("--consent");
  const stores::InspectedToken found = inspect(context, *context.keys, *token);
  // Refuse unknown tokens: their text names a grant, but is not authenticated.
  if (found.state == TokenState::Unknown)
    return Refusal{"nothing was revoked: the token is " + std::string(to_text(found.state))};
  if (!consent && token->kind == TokenKind::Code) {
    return Refusal{
        std::string("an authorization code cannot be revoked alone, but expires soon; "
                    "--consent ends its grant")};
  }
  const bool ends_tokens = found.state == TokenState::Alive || found.state == TokenState::Used;
  if (!consent && !ends_tokens) {
    return Refusal{"nothing was revoked: the token is " + std::string(to_text(found.state)) +
                   "; --consent ends its grant"};
  }
  stores::Grants grants(context.state.redis, context.store.redis, *context.keys, context.limits,
                        context.clock, context.entropy);
  const auto has_ended = [] { return Refusal{std::string("its grant has ended already")}; };
  if (consent && !context.state.run(grants.find_grant(token->grant))) return has_ended();
  record_event(context, {.what = consent ? oauth::event_named<"revoked">()
                                         : oauth::event_named<"tokens.revoked">(),
                         .contact = found.issued.person(),
                         .account = found.issued.account,
                         .client = found.issued.client.value(),
                         .detail = who_is_this()});
  if (!consent) {
    context.state.run(grants.revoke_tokens(*token));
  } else if (!context.state.run(grants.end(token->grant))) {
    return has_ended();
  }
  Report report;
  report.text("grant", token->grant.value()).text("client_id", found.issued.client.value());
  add_person(report, found.issued);
  report.integer("account_id", found.issued.account.value())
      .text("revoked", consent ? "grant" : "tokens")
      .print(std::cout, arguments.json());
  return kDone;
}

}  // namespace

const Group& token_commands() {
  constexpr std::string_view kInput =
      "The token is the first line of standard input, or asked for at a terminal. It is never an "
      "argument, because every user of the machine can see arguments.";
  constexpr const auto& kScopeNames = oauth::ScopeSet::kNames;
  static const Group kGroup{
      .section = Section::Access,
      .name = "token",
      .subjects = "Tokens",
      .commands = {
          {.name = "token create",
           .summary = "Make an account token, for scripts without an application",
           .syntax = {.flags = {{.name = "--account",
                                 .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                 .help = "the account that it is for",
                                 .required = true},
                                {.name = "--user",
                                 .takes = Takes::text("EMAIL|ID"),
                                 .help = "for whom it acts: an owner or manager of the account",
                                 .required = true},
                                {.name = "--name",
                                 .takes = Takes::text("NAME"),
                                 .help = "what it is for; at most 100 characters",
                                 .required = true},
                                {.name = "--scopes",
                                 .takes = Takes::text(
                                     "SCOPES", {std::begin(kScopeNames), std::end(kScopeNames)}),
                                 .help = "separated by commas",
                                 .required = true},
                                {.name = "--expires",
                                 .takes =
                                     Takes::choice("30|90|365|never", {"30", "90", "365", "never"}),
                                 .help = "days until it expires",
                                 .required = true}},
                      .json = kJsonObject},
           .details =
               {"The token is printed once: only its digest is stored. It ends with its user "
                "(user revoke, user delete), and does not work while the user is disabled or "
                "is neither owner nor manager of the account."},
           .needs_keys = always,
           .run = create_token},
          {.name = "token list",
           .summary = "List account tokens",
           .syntax = {.flags = {{.name = "--account",
                                 .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                 .help = "only those of this account"}},
                      .json = kJsonLines},
           .details = {"Without --account it looks through the whole store."},
           .needs_keys = always,
           .only_reads = always,
           .run = list_tokens},
          {.name = "token inspect",
           .summary = "Print client, user and account of a code or token, and whether it is valid",
           .syntax = {.json = kJsonObject},
           .details =
               {"Takes an authorization code, an access token, a refresh token or an account "
                "token.",
                kInput},
           .needs_keys = always,
           .only_reads = always,
           .run = inspect_token},
          {.name = "token revoke",
           .summary = "End the tokens of a grant or family, or an account token",
           .syntax = {.flags = {{.name = "--id",
                                 .takes = Takes::text("ID"),
                                 .help = "end the account token with this id"},
                                {.name = "--consent",
                                 .help = "end the grant itself, so that the user is asked again"}},
                      .json = kJsonObject},
           .details = {"Each exchange of a public application begins a family: the tokens that "
                       "follow from it.",
                       kInput},
           .needs_keys = always,
           .run = revoke}}};
  return kGroup;
}

}  // namespace svc::ctl
