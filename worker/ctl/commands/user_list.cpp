#include "ctl/commands/user_list.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctl/commands/user_access.h"
#include "ctl/listing.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "media/contact.h"
#include "stores/access/account_tokens.h"
#include "stores/access/factors.h"
#include "stores/access/grants.h"
#include "stores/access/login_attempts.h"
#include "stores/access/passkeys.h"
#include "stores/access/sessions.h"
#include "stores/audit_trail.h"
#include "stores/keys.h"
#include "text/json.h"
#include "text/json_record.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

constexpr std::int64_t kMostGrants = 1000;

void add_contact(Report& report, const media::Contact& contact) {
  // Names every member, so that the compiler rejects a new member until it is shown.
  const auto& [id, name, email, password_hash, memberships, disabled] = contact;
  report.integer("contact_id", id.value())
      .text("name", name)
      .text("email", email)
      .texts("accounts", accounts_of(memberships))
      .boolean("disabled", disabled)
      .boolean("has_password", !password_hash.empty());
}

std::string state_of(const media::Contact& contact) {
  if (contact.disabled) return "disabled";
  return contact.password_hash.empty() ? "no password" : "enabled";
}

class ListedUsers : public Listed {
 public:
  ListedUsers(const Store& store, std::optional<media::AccountId> account, bool json)
      : store_(store), account_(account), json_(json) {}

  bool take(const stores::StoredRecord& record) override {
    auto read = text::parse_record(document_, record.text, media::contact_from_record,
                                   text::json::Origin::Outside);
    if (!read) {
      cannot_read(record, read.error());
      return false;
    }
    contact_ = std::move(*read);
    return !account_ ||
           std::ranges::find(contact_.memberships, *account_, &media::Membership::account) !=
               contact_.memberships.end();
  }

  void print() override {
    const std::string key = stores::keys::password(contact_.id);
    const redis::Reply hash = store_.run(store_.redis.get(key));
    if (hash.text()) contact_.password_hash = std::string(*hash.text());
    if (json_) {
      Report report;
      add_contact(report, contact_);
      report.print(std::cout, true);
      return;
    }
    table_.row({std::to_string(contact_.id.value()), state_of(contact_), contact_.email,
                text::joined(accounts_of(contact_.memberships), ","), contact_.name});
  }

 private:
  const Store& store_;
  const std::optional<media::AccountId> account_;
  const bool json_;
  text::json::Document document_;
  media::Contact contact_;
  Table table_{std::cout, {{"ID", 10}, {"STATE", 11}, {"EMAIL", 24}, {"ACCOUNTS", 12}, {"NAME"}}};
};

}  // namespace

std::vector<std::string> accounts_of(const std::vector<media::Membership>& memberships) {
  std::vector<std::string> accounts;
  for (const auto& [account, role] : memberships)
    accounts.push_back(std::to_string(account.value()) + ":" + std::string(to_text(role)));
  return accounts;
}

Outcome list_users(const Arguments& arguments, Context& context) {
  std::optional<media::AccountId> account;
  if (const auto number = arguments.integer("--account")) account = {*number};
  const auto page = read_page(arguments);
  if (!page) return wrong_call(context, page.error());
  ListedUsers listed(context.store, account, arguments.json());
  return list_records(arguments, context, stores::keys::kContactRecords, Ids::Numbers, *page,
                      listed, "no user");
}

// Returns the stored user. Refuses a user of whom only grants or sessions remain.
base::Result<media::Contact, std::string> stored_user(const Context& context,
                                                      const std::string& who) {
  auto user = find_user(context, who);
  if (!user) return Refusal{user.error()};
  if (!user->is_stored)
    return Refusal{"there is no user " + std::to_string(user->contact.id.value())};
  return std::move(user->contact);
}

Outcome show_user(const Arguments& arguments, Context& context) {
  const auto user = stored_user(context, arguments.operand(0));
  if (!user) return Refusal{user.error()};
  const media::Contact& contact = *user;
  stores::Grants grants(context.state.redis, context.store.redis, *context.keys, context.limits,
                        context.clock, context.entropy);
  const auto page = context.state.run(grants.grants_of(contact.id, 0, kMostGrants));
  std::vector<std::string> applications;
  for (const oauth::Grant& grant : page.grants) {
    if (std::ranges::find(applications, grant.client.value()) == applications.end())
      applications.push_back(grant.client.value());
  }
  stores::Sessions sessions(context.state.redis, *context.keys, context.entropy, context.clock,
                            context.sessions);
  const auto open = context.state.run(sessions.of(contact.id));
  stores::LoginAttempts attempts(context.state.redis, *context.keys, context.clock);
  std::optional<std::int64_t> last_login = context.state.run(attempts.last_login(contact.email));
  for (const login::Session& session : open)
    last_login = std::max(last_login.value_or(0), session.created);
  stores::Factors factors(context.store.redis);
  const auto factor = context.store.run(factors.find(contact.id));
  Report report;
  add_contact(report, contact);
  report.boolean("second_factor", factor.has_value())
      .integer("passkeys", factor ? factor->passkeys : 0)
      .integer("grants", page.total)
      .texts("applications", applications)
      .integer("sessions", static_cast<std::int64_t>(open.size()));
  if (last_login) {
    report.time("last_login", *last_login);
  } else {
    report.nothing("last_login");
  }
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome export_user(const Arguments& arguments, Context& context) {
  const auto user = stored_user(context, arguments.operand(0));
  if (!user) return Refusal{user.error()};
  const media::Contact& contact = *user;
  const auto json = [](const Report& report) {
    std::ostringstream out;
    report.print(out, true);
    std::string text = out.str();
    text.pop_back();  // the end of the line
    return text;
  };
  Report about;
  add_contact(about, contact);
  std::string sessions;
  stores::Sessions store(context.state.redis, *context.keys, context.entropy, context.clock,
                         context.sessions);
  for (const login::Session& session : context.state.run(store.of(contact.id))) {
    Report report;
    report.time("created", session.created)
        .time("last_seen", session.last_seen)
        .text("address", session.address);
    text::add_word(sessions, json(report), ",");
  }
  std::string granted;
  stores::Grants grants(context.state.redis, context.store.redis, *context.keys, context.limits,
                        context.clock, context.entropy);
  std::int64_t total = 0;
  std::int64_t seen = 0;
  do {
    const auto page = context.state.run(grants.grants_of(contact.id, seen, kMostGrants));
    if (page.grants.empty()) break;
    total = page.total;
    seen += kMostGrants;
    for (const oauth::Grant& grant : page.grants) {
      const auto names = grant.scopes.names();
      Report report;
      report.text("client_id", grant.client.value())
          .integer("account_id", grant.account.value())
          .texts("scopes", {names.begin(), names.end()})
          .time("created", grant.created)
          .time("last_used", grant.last_used);
      text::add_word(granted, json(report), ",");
    }
  } while (seen < total);
  std::string tokens;
  stores::AccountTokens account_tokens(context.store.redis, *context.keys, context.clock);
  for (const oauth::AccountTokenRecord& record : context.store.run(account_tokens.of(contact.id))) {
    const auto names = record.scopes.names();
    Report report;
    report.text("id", record.id.value())
        .text("name", record.name)
        .integer("account_id", record.account().value())
        .texts("scopes", {names.begin(), names.end()})
        .time("created", record.created);
    text::add_word(tokens, json(report), ",");
  }
  std::string factor = "null";
  if (const auto stored =
          context.store.run(stores::Factors(context.store.redis).find(contact.id))) {
    std::string passkeys;
    stores::Passkeys of_user(context.store.redis);
    for (const login::Passkey& passkey : context.store.run(of_user.of(contact.id))) {
      Report report;
      report.text("name", passkey.name).time("created", passkey.created);
      if (passkey.used == 0) {
        report.nothing("last_used");
      } else {
        report.time("last_used", passkey.used);
      }
      text::add_word(passkeys, json(report), ",");
    }
    Report report;
    report.time("created", stored->created).integer("recovery_codes", stored->recovery_left);
    factor = json(report);
    factor.back() = ',';
    factor += "\"passkeys\":[" + passkeys + "]}";
  }
  std::string events;
  stores::AuditTrail trail(context.store.redis);
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
    if (entry.field("contact") == std::to_string(contact.id.value())) {
      Report report;
      report.time("time", entry.time);
      for (const auto& [name, value] : entry.fields) report.text(name, value);
      text::add_word(events, json(report), ",");
    }
    co_return true;
  };
  context.store.run(trail.from(0, see));
  std::cout << "{\"user\":" << json(about) << ",\"sessions\":[" << sessions << "],\"grants\":["
            << granted << "],\"account_tokens\":[" << tokens << "],\"second_factor\":" << factor
            << ",\"audit\":[" << events << "]}\n";
  return kDone;
}

}  // namespace svc::ctl
