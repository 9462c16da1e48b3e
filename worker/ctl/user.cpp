#include "ctl/user.h"

#include <array>
#include <cstdint>
#include <iostream>

#include "base/number.h"
#include "base/password_hash.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/terminal.h"
#include "login/new_password.h"
#include "media/contact.h"
#include "redis/grant_inspection.h"
#include "redis/grants.h"
#include "redis/keys.h"
#include "redis/people.h"
#include "redis/record.h"
#include "redis/replace.h"
#include "text/json.h"
#include "text/utf8.h"

namespace svc::ctl {
namespace {

using base::Result;

// Random, so that it says nothing of how many there are and is never that of somebody who was.
constexpr std::int64_t kFirstId = 1'000'000'000;
constexpr std::uint64_t kIds = 9'000'000'000;
constexpr std::int64_t kGrantsPerStep = 500;

// KEYS: the contact, its email's index. ARGV: id, record. It may run twice.
const redis::Script& add_script() {
  static const redis::Script kScript(R"(
local there = redis.call('GET', KEYS[1])
if there == ARGV[2] then return 'added' end
if there then return 'id' end
if redis.call('EXISTS', KEYS[2]) == 1 then return 'email' end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[1])
return 'added')");
  return kScript;
}

// What is wrong with the call, whoever the user is; empty when nothing is.
std::string why_not_asked(const Arguments& arguments, const Context& context) {
  for (const std::string& membership : arguments.values("--account")) {
    const std::size_t colon = membership.find(':');
    if (colon == std::string::npos ||
        !base::parse_number<std::int64_t>(membership.substr(0, colon), 1, media::kMaxIntegerId)) {
      return "--account " + membership +
             " must be an account's id, a colon and one of owner, manager, user";
    }
  }
  if (arguments.has("--password-stdin") || is_terminal(context.input)) return "";
  return "standard input is no terminal to ask for the password at; with --password-stdin its "
         "first line is the password";
}

Result<std::string, std::string> ask_password(const Arguments& arguments, const Context& context,
                                              std::string_view email) {
  const bool piped = arguments.has("--password-stdin");
  auto password = piped ? read_line(context.input) : read_secret_line(context.input, "Password: ");
  if (!password) return password;
  if (const std::string why = login::why_not_password(*password, email); !why.empty())
    return Refusal{"the password " + why};
  if (piped) return password;
  const auto again = read_secret_line(context.input, "The same again: ");
  if (!again) return again;
  if (*again != *password) return Refusal{std::string("the two passwords differ")};
  return password;
}

// What was said of the user, as a record: so it is checked where all records are.
Result<media::Contact, std::string> read_contact(const Arguments& arguments, std::int64_t id) {
  for (const char* flag : {"--name", "--email"}) {
    if (!text::is_utf8(arguments.value(flag))) return Refusal{std::string(flag) + " must be UTF-8"};
  }
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.integer("id", id)
      .string("name", arguments.value("--name"))
      .string("email", arguments.value("--email"));
  text::json::ArrayWriter memberships(writer.raw("memberships"));
  for (const std::string& membership : arguments.values("--account")) {
    const std::size_t colon = membership.find(':');
    const auto account =
        base::parse_number<std::int64_t>(membership.substr(0, colon), 1, media::kMaxIntegerId);
    text::json::ObjectWriter(memberships.next())
        .integer("account_id", account.value_or(0))
        .string("role", membership.substr(colon + 1))
        .end();
  }
  memberships.end();
  writer.end();
  text::json::Document document;
  const auto value = document.parse(out);
  if (!value) return Refusal{value.error()};
  text::JsonRecord record(*value);
  record.be_strict();
  return media::contact_from_record(record);
}

std::int64_t random_id(base::Entropy& entropy) {
  std::array<unsigned char, 8> bytes{};
  entropy.fill(bytes);
  std::uint64_t number = 0;
  for (const unsigned char byte : bytes) number = number << 8 | byte;
  return kFirstId + static_cast<std::int64_t>(number % kIds);
}

Outcome create(const Arguments& arguments, Context& context) {
  if (const std::string why = why_not_asked(arguments, context); !why.empty())
    return wrong_call(context, why);
  auto contact = read_contact(arguments, kFirstId);
  if (!contact) return Refusal{contact.error()};
  redis::People people(context.store.channel);
  for (const media::Membership& membership : contact->memberships) {
    if (!context.store.run(people.find_account(membership.account)))
      return Refusal{"there is no account " + std::to_string(membership.account.number)};
  }
  const std::string email = redis::keys::contact_email(contact->email);
  const auto taken = [&] {
    return Refusal{"another user has the email address " + contact->email};
  };
  // Before a password is asked for in vain; what decides is the script.
  const redis::Reply exists = context.store.run(context.store.channel.read({"EXISTS", email}));
  if (exists.integer() == 1) return taken();
  const auto password = ask_password(arguments, context, contact->email);
  if (!password) return Refusal{password.error()};
  contact->password_hash = base::hash_password(*password, context.entropy);
  std::string outcome;
  do {
    contact->id = {random_id(context.entropy)};
    const redis::Reply added = context.store.run(
        context.store.channel.eval(add_script(), {redis::keys::contact(contact->id), email},
                                   {std::to_string(contact->id.number), to_record(*contact)}));
    outcome = added.text().value_or("");
  } while (outcome == "id");
  if (outcome == "email") return taken();
  record_event(context,
               {.what = "contact.created", .contact = contact->id, .detail = who_is_this()});
  Report report;
  report.integer("contact_id", contact->id.number)
      .text("name", contact->name)
      .text("email", contact->email)
      .texts("accounts", arguments.values("--account"))
      .print(std::cout, arguments.json());
  return kDone;
}

// The record as it is, with another hash, if nobody writes meanwhile.
bool set_password(Context& context, const media::ContactId& id, const std::string& hash) {
  const std::string key = redis::keys::contact(id);
  while (true) {
    const redis::Reply reply = context.store.run(context.store.channel.get(key));
    const auto before = reply.text();
    if (!before) return false;
    text::json::Document document;
    auto contact = redis::read_record(document, key, *before, media::contact_from_record);
    contact.password_hash = hash;
    const std::string after = to_record(contact);
    if (context.store.run(redis::replace(context.store.channel, key, *before, after))) return true;
  }
}

Outcome passwd(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  if (const std::string why = why_not_asked(arguments, context); !why.empty())
    return wrong_call(context, why);
  const std::string& email = arguments.operand(0);
  redis::People people(context.store.channel);
  const auto contact = context.store.run(people.find_contact(email));
  if (!contact) return Refusal{"no user has the email address " + email};
  const auto password = ask_password(arguments, context, contact->email);
  if (!password) return Refusal{password.error()};
  const std::string hash = base::hash_password(*password, context.entropy);
  record_event(context,
               {.what = "password.changed", .contact = contact->id, .detail = who_is_this()});
  if (!set_password(context, contact->id, hash))
    return Refusal{"no user has the email address " + email};
  // They are over by that, login::password_tag(); what is left of them goes too.
  redis::Sessions sessions(context.store.channel, **keys, context.entropy, context.clock,
                           context.sessions);
  const std::int64_t ended = context.store.run(sessions.end_all(contact->id));
  Report report;
  report.integer("contact_id", contact->id.number)
      .text("email", contact->email)
      .integer("sessions_ended", ended)
      .print(std::cout, arguments.json());
  return kDone;
}

// The user of that email address or id. Also the id of a user who is not in the catalog any more,
// of whom grants and sessions may be left.
Result<media::Contact, std::string> find_user(Context& context, const std::string& who) {
  redis::People people(context.store.channel);
  const auto number = base::parse_number<std::int64_t>(who, 1, media::kMaxIntegerId);
  auto contact = context.store.run(number ? people.find_contact(media::ContactId{*number})
                                          : people.find_contact(who));
  if (contact) return std::move(*contact);
  if (!number) return Refusal{"no user has the email address " + who};
  media::Contact former;
  former.id = {*number};
  return former;
}

// Whether the operator at the terminal typed what was asked for.
bool confirmed(const Context& context, const std::string& who) {
  if (!is_terminal(context.input)) return false;
  std::cerr << "Type " << printable(who) << " to end all that: " << std::flush;
  const auto typed = read_line(context.input);
  return typed && *typed == who;
}

Outcome revoke(const Arguments& arguments, Context& context) {
  const auto keys = keys_of(context);
  if (!keys) return Refusal{keys.error()};
  const std::string& who = arguments.operand(0);
  const auto contact = find_user(context, who);
  if (!contact) return Refusal{contact.error()};
  const media::ContactId id = contact->id;
  redis::GrantInspection inspection(context.store.channel, **keys, context.lifetimes,
                                    context.clock);
  redis::Sessions sessions(context.store.channel, **keys, context.entropy, context.clock,
                           context.sessions);
  const auto found = context.store.run(inspection.grants_of(id));
  std::int64_t access_tokens = 0;
  std::int64_t refresh_tokens = 0;
  for (const redis::LiveGrant& grant : found) {
    access_tokens += grant.access_tokens;
    refresh_tokens += grant.refresh_tokens;
  }
  const auto grants = static_cast<std::int64_t>(found.size());
  const auto open = static_cast<std::int64_t>(context.store.run(sessions.of(id)).size());
  Report report;
  report.integer("contact_id", id.number)
      .text("email", contact->email)
      .integer("grants", grants)
      .integer("access_tokens", access_tokens)
      .integer("refresh_tokens", refresh_tokens)
      .integer("sessions", open);
  bool yes = arguments.has("--yes");
  // With --json only an operator who is asked has to see it, beside the output.
  if (!arguments.json() || (!yes && is_terminal(context.input))) {
    std::ostream& out = arguments.json() ? std::cerr : std::cout;
    out << (yes ? "ends:\n" : "would end:\n");
    report.print(out, false);
    out << std::flush;
  }
  yes = yes || confirmed(context, who);
  if (yes && grants + open > 0) {
    record_event(context, {.what = "revoked",
                           .contact = id,
                           .detail = who_is_this() + ", all " + std::to_string(grants) +
                                     " grants and " + std::to_string(open) + " sessions"});
    // Sessions first, so that nothing is authorized anew. What an interrupted run leaves is ended
    // by the next one.
    context.store.run(sessions.end_all(id));
    redis::Grants store(context.store.channel, **keys, context.lifetimes, context.clock,
                        context.entropy);
    while (context.store.run(store.end_some(id, kGrantsPerStep)) > 0) {
    }
    // Those that no list names.
    const auto unlisted = context.store.run(inspection.grants_of(id));
    for (const redis::LiveGrant& grant : unlisted) context.store.run(store.end(grant.id));
  }
  if (arguments.json()) {
    report.boolean("revoked", yes).print(std::cout, true);
  } else if (yes) {
    std::cout << "revoked\n";
  }
  if (!yes) return Refusal{std::string("nothing was revoked: --yes is missing")};
  return kDone;
}

}  // namespace

const Group& user_commands() {
  using Takes = Flag::Takes;
  static const Group kGroup{"user",
                            kUserUsage,
                            {{"create",
                              {{{"--name", Takes::OneValue, true},
                                {"--email", Takes::OneValue, true},
                                {"--account", Takes::Values, true},
                                {"--password-stdin"}},
                               {}},
                              create},
                             {"passwd", {{{"--password-stdin"}}, {"the user's email"}}, passwd},
                             {"revoke", {{{"--yes"}}, {"the user's email or id"}}, revoke}}};
  return kGroup;
}

}  // namespace svc::ctl
