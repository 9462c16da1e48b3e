#include "oauth/account_token_service.h"

#include <utility>

#include "oauth/application_settings.h"
#include "oauth/limits.h"
#include "text/word_list.h"

namespace svc::oauth {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::string_view kNever = "never";

}  // namespace

std::string name_of_days(std::int64_t days) {
  return days == 0 ? std::string(kNever) : std::to_string(days);
}

std::optional<std::int64_t> days_named(std::string_view name) {
  for (const std::int64_t days : kTokenDays) {
    if (name_of_days(days) == name) return days;
  }
  return std::nullopt;
}

std::int64_t AccountTokenService::most_per_account() const { return limits_.tokens_per_account; }

loop::Task<base::Result<CreatedAccountToken, AccountTokenRefusal>> AccountTokenService::create(
    const NewAccountToken& asked, const Actor& actor) {
  using enum AccountTokenRefusal;
  if (!why_not_name(asked.name, kMostTokenName).empty()) co_return base::Refusal{InvalidName};
  if (asked.scopes.empty()) co_return base::Refusal{NoScopes};
  if (barrier_of(standing_of(asked.contact, asked.account))) co_return base::Refusal{Barred};
  const std::int64_t now = clock_.now();
  AccountToken token = AccountToken::mint({asked.contact.id, asked.account.id}, entropy_);
  const AccountTokenRecord record{.id = token.id,
                                  .name = asked.name,
                                  .contact = asked.contact.id,
                                  .scopes = asked.scopes,
                                  .created = now,
                                  .expires = asked.days == 0 ? 0 : now + asked.days * kDay};
  // Before the event, so that a refusal leaves none. add() decides.
  const auto present = co_await tokens_.of(asked.account.id);
  if (std::ssize(present) >= most_per_account()) co_return base::Refusal{TooMany};
  co_await record_event(event_named<"account_token.created">(), record, actor);
  const bool is_added = co_await tokens_.add(token, record, most_per_account());
  if (!is_added) co_return base::Refusal{TooMany};
  co_return CreatedAccountToken{record, std::move(token.text)};
}

loop::Task<> AccountTokenService::end(const AccountTokenRecord& record, const Actor& actor) {
  // Only the call that ended it records that.
  const bool has_ended = co_await tokens_.end(record.id);
  if (has_ended) co_await record_event(event_named<"account_token.revoked">(), record, actor);
}

loop::Task<> AccountTokenService::record_event(EventName what, const AccountTokenRecord& record,
                                               const Actor& actor) {
  std::string detail(actor.detail);
  text::add_word(
      detail, record.scopes.to_text() + ", of contact " + std::to_string(record.contact.value()));
  const ClientId client = client_of(record.id);
  const AuditEvent event{.what = what,
                         .contact = actor.contact ? actor.contact : record.contact,
                         .account = record.account(),
                         .client = client.value(),
                         .address = actor.address,
                         .detail = detail};
  co_await audit_.record(event);
}

}  // namespace svc::oauth
