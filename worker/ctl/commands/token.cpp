#include "ctl/commands/token.h"

#include <iostream>

#include "ctl/report.h"
#include "ctl/terminal.h"
#include "stores/client_registry.h"
#include "stores/grant_inspection.h"
#include "stores/grants.h"
#include "stores/people.h"

namespace svc::ctl {
namespace {

using base::Result;
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

Result<Token, std::string> ask_token(const Context& context) {
  const auto line = read_secret_line(context.input, "Token: ");
  if (!line) return Refusal{line.error()};
  auto token = Token::parse_any(*line);
  if (!token) token = Token::parse(TokenKind::Code, *line);
  // Do not print the input: it may be a mistyped token.
  if (!token) {
    return Refusal{
        std::string("not a token: a token begins with svca_ (access), svcr_ (refresh) or svcc_ "
                    "(authorization code), followed by 96 lower-case hex digits and a few more")};
  }
  return std::move(*token);
}

// An application that acts for itself has no contact.
void add_person(Report& report, const oauth::Issued& issued) {
  const auto person = issued.person();
  if (person) {
    report.integer("contact_id", person->value());
  } else {
    report.nothing("contact_id");
  }
}

stores::InspectedToken inspect(Context& context, const base::KeyRing& keys, const Token& token) {
  stores::GrantInspection inspection(context.store.redis, keys, context.limits, context.clock);
  return context.store.run(inspection.inspect(token));
}

Outcome inspect_token(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const auto token = ask_token(context);
  if (!token) return Refusal{token.error()};
  const stores::InspectedToken found = inspect(context, **keys, *token);
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
    std::vector<std::string> scopes;
    for (const std::string_view scope : found.issued.scopes.names()) scopes.emplace_back(scope);
    report.text("grant", token->grant.value())
        .text("client_id", found.issued.client.value())
        .text("client_name", client ? client->name : "");
    add_person(report, found.issued);
    report.text("contact_email", contact ? contact->email : "")
        .integer("account_id", found.issued.account.value())
        .text("account_name", account ? account->name : "")
        .texts("scopes", scopes)
        .texts("resources", found.issued.resources)
        .time("issued", found.issued.issued);
    if (found.issued.expires != 0) {
      report.time("expires", found.issued.expires);
    } else {
      report.nothing("expires");
    }
  }
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome revoke(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const auto token = ask_token(context);
  if (!token) return Refusal{token.error()};
  const bool consent = arguments.has("--consent");
  const stores::InspectedToken found = inspect(context, **keys, *token);
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
  stores::Grants grants(context.store.redis, **keys, context.limits, context.clock,
                        context.entropy);
  const auto has_ended = [] { return Refusal{std::string("its grant has ended already")}; };
  if (consent && !context.store.run(grants.find_grant(token->grant))) return has_ended();
  record_event(context,
               {.what = consent ? oauth::EventName("revoked") : oauth::EventName("tokens.revoked"),
                .contact = found.issued.person(),
                .account = found.issued.account,
                .client = found.issued.client.value(),
                .detail = who_is_this()});
  if (!consent) {
    context.store.run(grants.revoke_tokens(*token));
  } else if (!context.store.run(grants.end(token->grant))) {
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
  static const Group kGroup{
      .section = Section::Access,
      .name = "token",
      .subjects = "Tokens",
      .commands = {
          {.name = "token inspect",
           .summary = "Print client, user and account of a code or token, and whether it is valid",
           .syntax = {.json = kJsonObject},
           .details = {"Takes an authorization code, an access token or a refresh token.", kInput},
           .only_reads = always,
           .run = inspect_token},
          {.name = "token revoke",
           .summary = "End all tokens of the grant, or of the family, that a token belongs to",
           .syntax = {.flags = {{.name = "--consent",
                                 .help = "end the grant itself, so that the user is asked again"}},
                      .json = kJsonObject},
           .details = {"Each exchange of a public application begins a family: the tokens that "
                       "follow from it.",
                       kInput},
           .run = revoke}}};
  return kGroup;
}

}  // namespace svc::ctl
