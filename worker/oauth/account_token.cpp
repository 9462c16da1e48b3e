#include "oauth/account_token.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/hex.h"
#include "base/number.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kNumberDigits = 14;  // of media::kMaxIntegerId
constexpr std::size_t kNameDigits = AccountTokenId::kLength - kNumberDigits;
constexpr std::size_t kSecretOfAccountToken = 64;

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string in_digits(std::int64_t number) {
  std::array<char, 16> digits{};
  char* const begin = digits.data();
  const auto written =
      std::to_chars(begin, begin + digits.size(), static_cast<std::uint64_t>(number), 16);
  const std::string text(begin, written.ptr);
  return std::string(kNumberDigits - text.size(), '0') + text;
}

// Returns 0 for a number that no account and contact has.
std::int64_t number_in(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  const auto number = base::take_number<std::uint64_t>(digits, 16).value_or(0);
  return number > static_cast<std::uint64_t>(media::kMaxIntegerId)
             ? 0
             : static_cast<std::int64_t>(number);
}

std::string random_digits(std::size_t count, base::Entropy& entropy) {
  std::string bytes(count / 2, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
  return base::to_hex(bytes);
}

}  // namespace

std::optional<AccountTokenId> AccountTokenId::parse(std::string_view text) {
  if (text.size() != kLength || !is_lower_hex(text)) return std::nullopt;
  AccountTokenId id{{std::string(text)}};
  if (id.account().value() == 0) return std::nullopt;
  return id;
}

media::AccountId AccountTokenId::account() const {
  return {number_in(std::string_view(value()).substr(0, kNumberDigits))};
}

std::string_view AccountTokenId::name() const {
  return std::string_view(value()).substr(kNumberDigits);
}

AccountToken AccountToken::mint(const Holder& holder, base::Entropy& entropy) {
  const AccountTokenId id{
      {in_digits(holder.account.value()) + random_digits(kNameDigits, entropy)}};
  std::string text(kPrefix);
  text += id.value();
  text += in_digits(holder.contact.value());
  text += random_digits(kSecretOfAccountToken, entropy);
  return {id, holder, std::move(text)};
}

std::optional<AccountToken> AccountToken::parse(std::string_view text) {
  if (!text.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = text.substr(kPrefix.size());
  if (digits.size() != AccountTokenId::kLength + kNumberDigits + kSecretOfAccountToken ||
      !is_lower_hex(digits)) {
    return std::nullopt;
  }
  const auto id = AccountTokenId::parse(digits.substr(0, AccountTokenId::kLength));
  const media::ContactId contact{number_in(digits.substr(AccountTokenId::kLength, kNumberDigits))};
  if (!id || contact.value() == 0) return std::nullopt;
  return AccountToken{*id, {contact, id->account()}, std::string(text)};
}

ClientId client_of(const AccountTokenId& id) { return {"token:" + id.value()}; }

}  // namespace svc::oauth
