#include "ctl/commands/user_access.h"

#include <cstdint>
#include <iostream>
#include <optional>
#include <utility>

#include "base/number.h"
#include "base/unreadable.h"
#include "ctl/confirm.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "ctl/tally.h"
#include "stores/access/account_tokens.h"
#include "stores/access/factors.h"
#include "stores/access/grant_inspection.h"
#include "stores/access/grants.h"
#include "stores/access/login_attempts.h"
#include "stores/access/sessions.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/people.h"

namespace svc::ctl {
namespace {

constexpr std::int64_t kGrantsPerStep = 500;

// All stores with data of one user.
class Access {
 public:
  Access(Context& context, const base::KeyRing& keys, media::ContactId id)
      : context_(context),
        id_(id),
        inspection_(context.state.redis, keys, context.limits, context.clock),
        sessions_(context.state.redis, keys, context.entropy, context.clock, context.sessions),
        grants_(context.state.redis, context.store.redis, keys, context.limits, context.clock,
                context.entropy),
        account_tokens_(context.store.redis, keys, context.clock),
        attempts_(context.state.redis, keys, context.clock),
        registry_(context.store.redis) {}

  std::int64_t count_sessions() {
    return static_cast<std::int64_t>(context_.state.run(sessions_.of(id_)).size());
  }
  std::int64_t count_account_tokens() {
    return static_cast<std::int64_t>(context_.store.run(account_tokens_.of(id_)).size());
  }
  void end_account_tokens() { context_.store.run(account_tokens_.end_all(id_)); }
  Tally tally() { return tally_of(inspection_, context_, id_); }

  void end_sessions() { context_.state.run(sessions_.end_all(id_)); }

  // Ends the grants in the user's list of grants.
  void end_listed_grants(std::int64_t expected) {
    ProgressBar bar("ending", static_cast<std::uint64_t>(expected));
    std::uint64_t ended = 0;
    while (const std::int64_t some = context_.state.run(grants_.end_some(id_, kGrantsPerStep))) {
      ended += static_cast<std::uint64_t>(some);
      bar.update(ended, ended);
    }
  }
  // The list may be incomplete.
  void end_all_grants() {
    const Tally found = tally();
    end_listed_grants(found.count());
    for (const stores::LiveGrant& grant : found.grants) context_.state.run(grants_.end(grant.id));
  }

  // Returns whether the user was disabled before; nullopt if there is no such user.
  std::optional<bool> set_disabled(bool disabled) {
    const auto changed = context_.store.run(registry_.change_contact(
        id_, [disabled](media::Contact& contact) { contact.disabled = disabled; }));
    if (!changed) return std::nullopt;
    return changed->before.disabled;
  }

  void forget_addresses(const std::string& email) {
    context_.state.run(attempts_.forget_addresses(email));
  }
  void end_record() { context_.store.run(registry_.end_contact(id_)); }

 private:
  Context& context_;
  const media::ContactId id_;
  stores::GrantInspection inspection_;
  stores::Sessions sessions_;
  stores::Grants grants_;
  stores::AccountTokens account_tokens_;
  stores::LoginAttempts attempts_;
  stores::CatalogRegistry registry_;
};

std::string what_ends(std::int64_t grants, std::int64_t tokens, std::int64_t sessions) {
  return "all " + std::to_string(grants) + " grants, " + std::to_string(tokens) +
         " account tokens and " + std::to_string(sessions) + " sessions";
}

Report report_of(const media::Contact& contact) {
  Report report;
  report.integer("contact_id", contact.id.value()).text("email", contact.email);
  return report;
}

std::string no_user(media::ContactId id) {
  return "there is no user " + std::to_string(id.value());
}

}  // namespace

base::Result<FoundUser, std::string> find_user(const Context& context, const std::string& who,
                                               Unreadable unreadable) {
  stores::People people(context.store.redis);
  const auto number = base::parse_number<std::int64_t>(who, 1, media::kMaxIntegerId);
  FoundUser only_id;
  only_id.contact.id = {number.value_or(0)};
  try {
    auto contact = context.store.run(number ? people.find_contact(media::ContactId{*number})
                                            : people.find_contact(who));
    if (contact) return FoundUser{std::move(*contact), true};
  } catch (const base::Unreadable&) {
    if (!number || unreadable == Unreadable::Throws) throw;
    only_id.is_stored = true;
    only_id.is_readable = false;
  }
  if (!number) return Refusal{"no user has the email address " + who};
  return only_id;
}

Outcome revoke_user(const Arguments& arguments, Context& context) {
  const std::string& who = arguments.operand(0);
  const auto user = find_user(context, who, Unreadable::IdOnly);
  if (!user) return Refusal{user.error()};
  const media::ContactId id = user->contact.id;
  Access access(context, *context.keys, id);
  const Tally tally = access.tally();
  const std::int64_t sessions = access.count_sessions();
  const std::int64_t tokens = access.count_account_tokens();
  Report report = report_of(user->contact);
  add_tally(report, tally);
  report.integer("account_tokens", tokens).integer("sessions", sessions);
  const Ending ending{.typed = who,
                      .to_do = "end all that",
                      .done = "revoked",
                      .ends = "ends",
                      .would_end = "would end"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    if (tally.count() + tokens + sessions == 0) return true;
    record_event(context,
                 {.what = oauth::event_named<"revoked">(),
                  .contact = id,
                  .detail = who_is_this() + ", " + what_ends(tally.count(), tokens, sessions)});
    // End the sessions first: without one, the user cannot authorize again. If
    // interrupted, a second run ends the rest.
    access.end_sessions();
    access.end_account_tokens();
    access.end_all_grants();
    return true;
  });
}

Outcome disable_user(const Arguments& arguments, Context& context) {
  const std::string& who = arguments.operand(0);
  const auto user = find_user(context, who);
  if (!user) return Refusal{user.error()};
  if (!user->is_stored) return Refusal{no_user(user->contact.id)};
  const media::ContactId id = user->contact.id;
  Access access(context, *context.keys, id);
  const Tally tally = access.tally();
  const std::int64_t sessions = access.count_sessions();
  const std::int64_t tokens = access.count_account_tokens();
  Report report = report_of(user->contact);
  report.integer("sessions", sessions);
  add_tally(report, tally);
  report.integer("account_tokens", tokens);
  const Ending ending{
      .typed = who,
      .to_do = "disable the user",
      .done = "disabled",
      .ends = "sessions end; grants and tokens do not work until the user is enabled again",
      .would_end =
          "sessions would end; grants and tokens would not work until the user is enabled "
          "again"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    const std::string detail = who_is_this() + ", " + std::to_string(sessions) +
                               " sessions ended, " + std::to_string(tally.count()) +
                               " grants and " + std::to_string(tokens) +
                               " account tokens do not work";
    const oauth::AuditEvent disabled{
        .what = oauth::event_named<"contact.disabled">(), .contact = id, .detail = detail};
    const bool changes = !user->contact.disabled || sessions > 0;
    if (changes) record_event(context, disabled);
    // The record first: from here on the workers refuse every session and token.
    const auto was_disabled = access.set_disabled(true);
    if (!was_disabled) return false;
    // Another command enabled the user during the prompt.
    if (!*was_disabled && !changes) record_event(context, disabled);
    access.end_sessions();
    return true;
  });
}

Outcome enable_user(const Arguments& arguments, Context& context) {
  const auto user = find_user(context, arguments.operand(0));
  if (!user) return Refusal{user.error()};
  if (!user->is_stored) return Refusal{no_user(user->contact.id)};
  const media::ContactId id = user->contact.id;
  Access access(context, *context.keys, id);
  const Tally tally = access.tally();
  const std::string detail = who_is_this();
  const oauth::AuditEvent enabled{
      .what = oauth::event_named<"contact.enabled">(), .contact = id, .detail = detail};
  if (user->contact.disabled) {
    record_event(context, enabled);
    // A login that was under way when the user was disabled may have begun a session.
    access.end_sessions();
  }
  const auto was_disabled = access.set_disabled(false);
  if (!was_disabled) return Refusal{no_user(id)};
  // Another command disabled the user after the record was read.
  if (*was_disabled && !user->contact.disabled) record_event(context, enabled);
  Report report = report_of(user->contact);
  add_tally(report, tally);
  if (!arguments.json()) std::cout << "enabled; these work again:\n";
  if (arguments.json()) report.boolean("enabled", true);
  report.print(std::cout, arguments.json());
  return kDone;
}

Outcome reset_factors(const Arguments& arguments, Context& context) {
  const auto user = find_user(context, arguments.operand(0));
  if (!user) return Refusal{user.error()};
  if (!user->is_stored) return Refusal{no_user(user->contact.id)};
  const media::ContactId id = user->contact.id;
  stores::Factors factors(context.store.redis);
  const bool has_any = context.store.run(factors.find(id)).has_value();
  if (has_any) {
    const std::string detail = who_is_this();
    record_event(
        context,
        {.what = oauth::event_named<"second_factor.reset">(), .contact = id, .detail = detail});
    context.store.run(factors.remove(id));
  }
  Report report = report_of(user->contact);
  report.boolean("reset", has_any).print(std::cout, arguments.json());
  return kDone;
}

Outcome delete_user(const Arguments& arguments, Context& context) {
  const std::string& who = arguments.operand(0);
  const auto user = find_user(context, who, Unreadable::IdOnly);
  if (!user) return Refusal{user.error()};
  const media::Contact& contact = user->contact;
  Access access(context, *context.keys, contact.id);
  const Tally tally = access.tally();
  const std::int64_t sessions = access.count_sessions();
  const std::int64_t tokens = access.count_account_tokens();
  if (!user->is_stored && tally.count() + tokens + sessions == 0)
    return Refusal{no_user(contact.id)};
  std::vector<std::string> accounts;
  for (const media::Membership& membership : contact.memberships)
    accounts.push_back(std::to_string(membership.account.value()));
  Report report = report_of(contact);
  report.text("name", contact.name).texts("accounts", accounts);
  add_tally(report, tally);
  report.integer("account_tokens", tokens).integer("sessions", sessions);
  const Ending ending{.typed = who, .to_do = "delete the user", .done = "deleted"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    const std::string detail = who_is_this() + ", " + what_ends(tally.count(), tokens, sessions);
    end_user(context, *user, detail, GrantsOf::Everywhere);
    return true;
  });
}

void end_user(Context& context, const FoundUser& user, const std::string& detail, GrantsOf of) {
  const media::Contact& contact = user.contact;
  Access access(context, *context.keys, contact.id);
  record_event(
      context,
      {.what = oauth::event_named<"contact.deleted">(), .contact = contact.id, .detail = detail});
  // Disable first: from here on the workers refuse every session and token.
  // Delete the record last: until then, an interrupted run can be repeated by
  // email address. They refuse a user whose record cannot be read, too.
  if (user.is_readable) access.set_disabled(true);
  access.end_sessions();
  access.end_account_tokens();
  if (of == GrantsOf::Everywhere) {
    access.end_all_grants();
  } else {
    access.end_listed_grants(0);
  }
  if (user.is_stored && user.is_readable) access.forget_addresses(contact.email);
  access.end_record();
  // Repeat, because a request in progress when the user was disabled may have
  // added sessions or grants. Workers refuse them, but would accept them if
  // this user were imported again.
  access.end_sessions();
  access.end_account_tokens();
  access.end_listed_grants(0);
}

}  // namespace svc::ctl
