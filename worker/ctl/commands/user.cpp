#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/password_hash.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/user_access.h"
#include "ctl/commands/user_list.h"
#include "ctl/confirm.h"
#include "ctl/if_absent.h"
#include "ctl/listing.h"
#include "ctl/report.h"
#include "ctl/terminal.h"
#include "login/new_password.h"
#include "media/contact.h"
#include "media/email.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/password_hashes.h"
#include "stores/catalog/people.h"
#include "stores/keys.h"
#include "stores/record_scan.h"
#include "text/json.h"
#include "text/utf8.h"

namespace svc::ctl {
namespace {

using base::Result;

// New ids are random: they do not reveal the number of users, and are unlikely
// to repeat the id of a deleted user.
constexpr std::int64_t kFirstId = 1'000'000'000;
constexpr std::uint64_t kIds = 9'000'000'000;

// Returns why the call is wrong, regardless of the user; empty if it is
// correct.
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
  return "standard input is not a terminal, so the password cannot be asked for; use "
         "--password-stdin to read the password from its first line";
}

Result<std::string, std::string> ask_password(const Arguments& arguments, const Context& context,
                                              std::string_view email) {
  const bool piped = arguments.has("--password-stdin");
  auto password = piped ? read_line(context.input) : read_secret_line(context.input, "Password: ");
  if (!password) return password;
  if (const std::string why = login::why_not_password(*password, email); !why.empty())
    return Refusal{"the password " + why};
  if (piped) return password;
  const auto again = read_secret_line(context.input, "Repeat the password: ");
  if (!again) return again;
  if (*again != *password) return Refusal{std::string("the two passwords differ")};
  return password;
}

// Builds a record from the arguments and parses it strictly, so that the rules
// for imported records apply.
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
  auto contact = media::contact_from_record(record);
  if (contact) contact->email = media::canonical_email(contact->email);
  return contact;
}

std::int64_t random_id(base::Entropy& entropy) {
  std::array<unsigned char, 8> bytes{};
  entropy.fill(bytes);
  std::uint64_t number = 0;
  for (const unsigned char byte : bytes) number = number << 8 | byte;
  return kFirstId + static_cast<std::int64_t>(number % kIds);
}

void report_created(const media::Contact& contact, bool created, const Arguments& arguments) {
  Report report;
  report.integer("contact_id", contact.id.value())
      .text("name", contact.name)
      .text("email", contact.email)
      .texts("accounts", arguments.values("--account"));
  if (arguments.has(kIfAbsent)) report.boolean(kCreated, created);
  report.print(std::cout, arguments.json());
}

// Returns how the stored user differs from the requested user; empty if they are equal. The
// password is the user's own.
std::string why_differs(const media::Contact& there, const media::Contact& asked) {
  if (there.name != asked.name) return "has the name " + there.name;
  const auto sorted = [](const media::Contact& contact) {
    std::vector<std::string> accounts = accounts_of(contact.memberships);
    std::ranges::sort(accounts);
    return accounts;
  };
  if (sorted(there) == sorted(asked)) return "";
  std::string accounts;
  for (const std::string& account : sorted(there)) accounts += " " + account;
  return "has other memberships:" + accounts;
}

Outcome create_user(const Arguments& arguments, Context& context) {
  if (const std::string why = why_not_asked(arguments, context); !why.empty())
    return wrong_call(context, why);
  auto contact = read_contact(arguments, kFirstId);
  if (!contact) return Refusal{contact.error()};
  stores::People people(context.store.redis);
  for (const media::Membership& membership : contact->memberships) {
    if (!context.store.run(people.find_account(membership.account)))
      return Refusal{"there is no account " + std::to_string(membership.account.value())};
  }
  const auto taken = [&] {
    return Refusal{"another user already has the email address " + contact->email};
  };
  // Check before asking for the password. The function checks again, atomically.
  for (const std::string& spelling : media::spellings_of_email(contact->email)) {
    const redis::Reply exists = context.store.run(
        context.store.redis.read({"EXISTS", stores::keys::contact_email(spelling)}));
    if (exists.integer() != 1) continue;
    if (!arguments.has(kIfAbsent)) return taken();
    const auto there = context.store.run(people.find_contact(spelling));
    if (!there) return taken();
    if (const std::string why = why_differs(*there, *contact); !why.empty())
      return Refusal{"the user " + there->email + " exists, but " + why};
    report_created(*there, false, arguments);
    return kDone;
  }
  const auto password = ask_password(arguments, context, contact->email);
  if (!password) return Refusal{password.error()};
  const std::string hash = base::hash_password(login::canonical_password(*password),
                                               context.entropy, context.password_cost);
  using Written = stores::CatalogRegistry::Written;
  stores::CatalogRegistry registry(context.store.redis);
  Written written = Written::Changed;
  while (written == Written::Changed) {  // that id is taken
    contact->id = {random_id(context.entropy)};
    written = context.store.run(registry.write_contact(*contact, "", "", hash));
  }
  if (written == Written::EmailTaken) return taken();
  record_event(context, {.what = oauth::event_named<"contact.created">(),
                         .contact = contact->id,
                         .detail = who_is_this()});
  report_created(*contact, true, arguments);
  return kDone;
}

Outcome change_password(const Arguments& arguments, Context& context) {
  if (const std::string why = why_not_asked(arguments, context); !why.empty())
    return wrong_call(context, why);
  const std::string& email = arguments.operand(0);
  stores::People people(context.store.redis);
  const auto contact = context.store.run(people.find_contact(email));
  if (!contact) return Refusal{"no user has the email address " + email};
  const auto password = ask_password(arguments, context, contact->email);
  if (!password) return Refusal{password.error()};
  const std::string hash = base::hash_password(login::canonical_password(*password),
                                               context.entropy, context.password_cost);
  record_event(context, {.what = oauth::event_named<"password.changed">(),
                         .contact = contact->id,
                         .detail = who_is_this()});
  context.store.run(stores::move_password_hash(context.store.redis, contact->id));
  context.store.run(stores::store_password_hash(context.store.redis, contact->id, hash));
  // The new hash has already invalidated the sessions, whose
  // login::password_tag() differs. Delete their records too.
  stores::Sessions sessions(context.state.redis, *context.keys, context.entropy, context.clock,
                            context.sessions);
  const std::int64_t ended = context.state.run(sessions.end_all(contact->id));
  Report report;
  report.integer("contact_id", contact->id.value())
      .text("email", contact->email)
      .integer("sessions_ended", ended)
      .print(std::cout, arguments.json());
  return kDone;
}

Outcome move_hashes(const Arguments& arguments, Context& context) {
  std::int64_t moved = 0;
  stores::RecordScan scan(context.store.redis, stores::keys::kContactRecords,
                          redis::Scan::Repeats::Possible);
  while (const auto records = context.store.run(scan.next())) {
    for (const stores::StoredRecord& record : *records) {
      const auto id = base::parse_number<std::int64_t>(
          std::string_view(record.key)
              .substr(std::string_view(stores::keys::kContactRecords).size()));
      if (!id || !stores::has_password_hash(record.text)) continue;
      moved += context.store.run(stores::move_password_hash(context.store.redis, {*id})) ? 1 : 0;
    }
  }
  Report().integer("moved", moved).print(std::cout, arguments.json());
  return kDone;
}

}  // namespace

const Group& user_commands() {
  static const Operand kUser{.takes = Takes::text("EMAIL|ID"),
                             .help = "the user's email address or id"};
  static const Flag kPasswordStdin{.name = "--password-stdin",
                                   .help = "read the password from standard input"};
  static const Group kGroup{
      .section = Section::Access,
      .name = "user",
      .subjects = "Users",
      .commands = {
          {.name = "user list",
           .summary = "List users",
           .syntax = {.flags = {{.name = "--account",
                                 .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                 .help = "only the members of this account"},
                                limit_flag(),
                                after_flag()},
                      .json = kJsonLines},
           .details = {"Without --limit the order is that of the store. The state is enabled, "
                       "disabled or no password."},
           .only_reads = always,
           .run = list_users},
          {.name = "user show",
           .summary = "Show a user: memberships, grants, sessions, last login",
           .syntax = {.operands = {kUser}, .json = kJsonObject},
           .details = {"The last login is that within the last 30 days."},
           .needs_keys = always,
           .only_reads = always,
           .run = show_user},
          {.name = "user export",
           .summary = "Print all that is stored about a user, as JSON",
           .syntax = {.operands = {kUser}},
           .details = {"One object: the user with the accounts and roles, sessions, grants of "
                       "applications, account tokens, the second factor with the names of its "
                       "passkeys, and the audit trail's events about the user. No passwords, "
                       "keys and tokens."},
           .needs_keys = always,
           .only_reads = always,
           .run = export_user},
          {.name = "user create",
           .summary = "Create a user",
           .syntax = {.flags = {{.name = "--name",
                                 .takes = Takes::text("NAME"),
                                 .help = "the user's name",
                                 .required = true},
                                {.name = "--email",
                                 .takes = Takes::text("EMAIL"),
                                 .help = "the address that the user logs in with",
                                 .required = true},
                                {.name = "--account",
                                 .takes = Takes::text("ID:ROLE"),
                                 .help = "an account and the role there: owner, manager or user",
                                 .required = true,
                                 .repeats = true},
                                kPasswordStdin,
                                if_absent_flag()},
                      .json = kJsonObject},
           .details = {"With --if-absent an existing user with the address is not an error, and "
                       "keeps the password; another name or other memberships are refused.",
                       "The password is asked for at the terminal. With --password-stdin it is the "
                       "first line of standard input. It is never an argument, because every user "
                       "of the machine can read those. It has at least 12 characters."},
           .run = create_user},
          {.name = "user passwd",
           .summary = "Set a user's password and end the sessions",
           .syntax = {.operands = {{.takes = Takes::text("EMAIL"),
                                    .help = "the user's email address"}},
                      .flags = {kPasswordStdin},
                      .json = kJsonObject},
           .details = {"Reads the password as user create does."},
           .needs_keys = always,
           .run = change_password},
          {.name = "user revoke",
           .summary = "End a user's grants, account tokens and sessions",
           .syntax = {.operands = {kUser}, .flags = {yes_flag()}, .json = kJsonObject},
           .details = {"Ends all grants of the user, with their tokens and remembered consent, all "
                       "account tokens and all sessions. Prints their number first, and asks; "
                       "without a terminal it "
                       "needs --yes.",
                       "The user can log in and authorize applications again, unless an import "
                       "removes the memberships, or user passwd or user disable follows."},
           .needs_keys = always,
           .run = revoke_user},
          {.name = "user disable",
           .summary = "Refuse a user's logins, sessions and tokens",
           .syntax = {.operands = {kUser}, .flags = {yes_flag()}, .json = kJsonObject},
           .details =
               {"Ends the user's sessions and refuses logins, as for a wrong password. "
                "Grants, codes and all tokens are kept, but every worker refuses them from now "
                "on. user enable makes them work again; user revoke ends them.",
                "Prints first what stops, and asks; without a terminal it needs --yes. An "
                "import does not enable the user."},
           .needs_keys = always,
           .run = disable_user},
          {.name = "user enable",
           .summary = "Let a disabled user log in again",
           .syntax = {.operands = {kUser}, .json = kJsonObject},
           .details = {"Grants and tokens that did not expire or end in the meantime work again. "
                       "Sessions do not: the user logs in again."},
           .needs_keys = always,
           .run = enable_user},
          {.name = "user reset-factors",
           .summary = "Remove a user's second factor",
           .syntax = {.operands = {kUser}, .json = kJsonObject},
           .details = {"For a user who has lost the authenticator and the recovery codes. The "
                       "password alone is then enough to log in: make sure first who asks. No mail "
                       "is sent. Passkeys are removed, too. Sessions and tokens stay."},
           .run = reset_factors},
          {.name = "user move-hashes",
           .summary = "Move password hashes of an earlier version to where they belong",
           .syntax = {.json = kJsonObject},
           .details =
               {"Earlier versions stored the hash in the user's record, which the grant pool "
                "reads. An upgrade of the package runs this; run it after an old backup was "
                "restored. It may run twice, and while users log in."},
           .run = move_hashes},
          {.name = "user delete",
           .summary = "Delete a user with all grants and sessions",
           .syntax = {.operands = {kUser}, .flags = {yes_flag()}, .json = kJsonObject},
           .details = {"Disables the user, then ends all grants with their tokens and remembered "
                       "consent, all account tokens, all sessions, the addresses of past logins, "
                       "the memberships and "
                       "the email address; the record is deleted last. The applications of the "
                       "accounts stay. If svcctl is interrupted, the same command with the user's "
                       "id does the rest.",
                       "Prints first what ends, and asks; without a terminal it needs --yes. An "
                       "import whose file still has the user creates the user again, without the "
                       "former grants."},
           .needs_keys = always,
           .run = delete_user}}};
  return kGroup;
}

}  // namespace svc::ctl
