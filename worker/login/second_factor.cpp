#include "login/second_factor.h"

#include <utility>

#include "base/hex.h"
#include "base/log.h"
#include "base/number.h"
#include "login/one_time_code.h"

namespace svc::login {
namespace {

constexpr std::string_view kRecoveryLabel = "recovery code";
constexpr std::string_view kStepContext = "second factor step";

// oauth-K2: so that the secret of one user cannot take the place of another's.
std::string factor_context(media::ContactId contact) {
  return "one-time secret of contact " + std::to_string(contact.value());
}

// Another context: a page of an enrolment must not become the stored secret of another one.
std::string enrolment_context(media::ContactId contact) {
  return "enrolment of contact " + std::to_string(contact.value());
}

}  // namespace

std::optional<std::string> renew_factor(const base::KeyRing& keys, media::ContactId contact,
                                        const std::string& sealed, base::Entropy& entropy) {
  const auto secret = keys.open(sealed, factor_context(contact));
  if (!secret) return std::nullopt;
  if (base::KeyRing::id_of(sealed) == keys.ids().front()) return sealed;
  return keys.seal(*secret, factor_context(contact), entropy);
}

std::vector<std::string> SecondFactor::macs_of(media::ContactId contact,
                                               std::string_view code) const {
  return keys_.macs(kRecoveryLabel, std::to_string(contact.value()) + ":" + canonical_code(code));
}

std::vector<std::string> SecondFactor::first_macs_of(media::ContactId contact,
                                                     const std::vector<std::string>& codes) const {
  std::vector<std::string> macs;
  for (const std::string& code : codes) macs.push_back(macs_of(contact, code).front());
  return macs;
}

loop::Task<std::vector<media::AccountId>> SecondFactor::closed_to(
    media::ContactId contact, const std::vector<media::AccountId>& accounts) {
  std::vector<media::AccountId> requiring = co_await factors_.requiring(accounts);
  if (requiring.empty()) co_return requiring;
  const std::optional<StoredFactor> factor = co_await factors_.find(contact);
  if (factor) requiring.clear();
  co_return requiring;
}

loop::Task<std::optional<FactorRefusal>> SecondFactor::check(media::ContactId contact,
                                                             std::string_view code,
                                                             std::string_view address) {
  const std::optional<StoredFactor> factor = co_await factors_.find(contact);
  if (!factor) co_return std::nullopt;
  const std::optional<std::int64_t> wait = co_await factors_.begin_attempt(contact);
  if (wait) co_return FactorRefusal{FactorRefusal::Why::HeldUp, *wait};
  const auto secret = keys_.open(factor->sealed, factor_context(contact));
  // Recovery codes still work.
  if (!secret) base::log::warn("second-factor.unreadable", {{"contact", contact.value()}});
  const std::string typed = canonical_code(code);
  bool is_right = false;
  std::optional<std::int64_t> step;
  if (secret) step = matching_step(*secret, typed, clock_.now());
  if (step) {
    is_right = co_await factors_.spend_step(contact, factor->sealed, *step);
  } else {
    const std::vector<std::string> macs = macs_of(contact, typed);
    is_right = co_await factors_.spend_code(contact, macs);
    if (is_right) co_await record(oauth::event_named<"recovery_code.used">(), contact, address);
  }
  if (!is_right) {
    co_await record(oauth::event_named<"login.failed">(), contact, address,
                    step ? "code used before" : "wrong code");
    co_return FactorRefusal{FactorRefusal::Why::Wrong};
  }
  co_await factors_.succeeded(contact);
  co_await record(oauth::event_named<"login">(), contact, address);
  co_return std::nullopt;
}

std::string SecondFactor::begin_enrolment(media::ContactId contact) {
  return keys_.seal(new_one_time_secret(entropy_), enrolment_context(contact), entropy_);
}

std::optional<std::string> SecondFactor::secret_of_enrolment(media::ContactId contact,
                                                             std::string_view sealed) const {
  return keys_.open(sealed, enrolment_context(contact));
}

// The user has entered the password, so the codes need no limit.
loop::Task<std::optional<std::vector<std::string>>> SecondFactor::enrol(media::ContactId contact,
                                                                        std::string_view sealed,
                                                                        std::string_view code,
                                                                        std::string_view address) {
  const auto secret = secret_of_enrolment(contact, sealed);
  if (!secret) co_return std::nullopt;
  const std::string typed = canonical_code(code);
  const auto step = matching_step(*secret, typed, clock_.now());
  if (!step) co_return std::nullopt;
  std::vector<std::string> codes = new_recovery_codes(entropy_);
  const StoredFactor factor{keys_.seal(*secret, factor_context(contact), entropy_), clock_.now(),
                            static_cast<std::int64_t>(codes.size())};
  const std::vector<std::string> macs = first_macs_of(contact, codes);
  co_await record(oauth::event_named<"second_factor.added">(), contact, address);
  co_await factors_.write(contact, factor, macs);
  co_await factors_.spend_step(contact, factor.sealed, *step);
  co_return codes;
}

loop::Task<std::optional<std::vector<std::string>>> SecondFactor::renew_recovery_codes(
    media::ContactId contact, std::string_view address) {
  std::vector<std::string> codes = new_recovery_codes(entropy_);
  const std::vector<std::string> macs = first_macs_of(contact, codes);
  co_await record(oauth::event_named<"recovery_codes.made">(), contact, address);
  const bool is_written = co_await factors_.write_codes(contact, macs);
  if (!is_written) co_return std::nullopt;
  co_return codes;
}

loop::Task<> SecondFactor::remove(media::ContactId contact, std::string_view address) {
  const std::optional<StoredFactor> factor = co_await factors_.find(contact);
  if (!factor) co_return;
  co_await record(oauth::event_named<"second_factor.removed">(), contact, address);
  co_await factors_.remove(contact);
}

std::string SecondFactor::seal_step(const Visitor& visitor, const media::Contact& contact) const {
  return keys_.seal(visitor.binding + "\n" + std::to_string(contact.id.value()) + "\n" +
                        std::to_string(clock_.now()) + "\n" + password_tag(contact),
                    kStepContext, entropy_);
}

std::optional<SecondFactor::Step> SecondFactor::open_step(const Visitor& visitor,
                                                          std::string_view sealed) const {
  const auto plain = keys_.open(sealed, kStepContext);
  const std::string bound = visitor.binding + "\n";
  if (!plain || !plain->starts_with(bound)) return std::nullopt;
  std::string_view rest = std::string_view(*plain).substr(bound.size());
  const auto contact = base::take_number<std::int64_t>(rest);
  if (!contact || !rest.starts_with('\n')) return std::nullopt;
  rest.remove_prefix(1);
  const auto since = base::take_number<std::int64_t>(rest);
  if (!since || !rest.starts_with('\n')) return std::nullopt;
  if (clock_.now() >= *since + kStepSeconds) return std::nullopt;
  return Step{{*contact}, std::string(rest.substr(1))};
}

loop::Task<> SecondFactor::record(oauth::EventName what, media::ContactId contact,
                                  std::string_view address, std::string_view detail) {
  const oauth::AuditEvent event{
      .what = what, .contact = contact, .address = address, .detail = detail};
  co_await audit_.record(event);
}

}  // namespace svc::login
