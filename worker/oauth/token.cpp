#include "oauth/token.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/hex.h"
#include "base/number.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kSecretDigits = 64;
constexpr std::size_t kPlaceDigits = 15;  // maximum
constexpr std::size_t kFamilyDigits = 16;
constexpr std::size_t kHolderDigits = 14;  // maximum, of media::kMaxIntegerId
constexpr char kSeparator = '_';
constexpr std::string_view kNoContact = "_0";  // an application acts for itself

struct Spelling {
  std::string_view prefix;
  std::string_view label;
};
constexpr std::array<Spelling, 3> kSpellings{
    {{"svcc_", "authorization code"}, {"svca_", "access token"}, {"svcr_", "refresh token"}}};

const Spelling& spelling_of(TokenKind kind) { return kSpellings[static_cast<std::size_t>(kind)]; }

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 16> digits{};
  out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number, 16).ptr);
}

struct Taken {
  std::uint64_t number;
  std::string_view rest;
};

// Returns the number at the beginning, in the form that append_number() writes,
// and the rest of the text. Returns nullopt if the number is missing, is 0 or has more than `most`
// digits.
std::optional<Taken> take_number(std::string_view text, std::size_t most) {
  const std::size_t length = std::min(text.find(kSeparator), text.size());
  std::string_view digits = text.substr(0, length);
  if (digits.empty() || digits.size() > most || digits.front() == '0' || !is_hex(digits))
    return std::nullopt;
  return Taken{base::take_number<std::uint64_t>(digits, 16).value_or(0), text.substr(length)};
}

}  // namespace

Token Token::mint(TokenKind kind, const GrantId& grant, base::Entropy& entropy,
                  const std::optional<Holder>& holder) {
  std::string secret(kSecretDigits / 2, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(secret.data()), secret.size()});
  return of(kind, grant, base::to_hex(secret), holder);
}

Token Token::of(TokenKind kind, const GrantId& grant, std::string_view secret,
                const std::optional<Holder>& holder) {
  Token token{kind, grant, std::string(spelling_of(kind).prefix), 0, holder};
  token.text += grant.value();
  token.text += secret;
  if (holder) {
    append_number(token.text += kSeparator, static_cast<std::uint64_t>(holder->contact.value()));
    append_number(token.text += kSeparator, static_cast<std::uint64_t>(holder->account.value()));
  }
  return token;
}

std::optional<Token> Token::parse(TokenKind kind, std::string_view text) {
  const std::string_view prefix = spelling_of(kind).prefix;
  const std::size_t length = prefix.size() + GrantId::kLength + kSecretDigits;
  if (!text.starts_with(prefix) || text.size() < length ||
      !is_hex(text.substr(prefix.size(), length - prefix.size()))) {
    return std::nullopt;
  }
  std::string_view rest = text.substr(length);
  Token token{kind, {std::string(text.substr(prefix.size(), GrantId::kLength))}, {}, 0, {}};
  if (rest.starts_with(kSeparator)) {
    Holder holder;
    for (std::int64_t* number : {&holder.contact.raw, &holder.account.raw}) {
      if (!rest.starts_with(kSeparator)) return std::nullopt;
      if (number == &holder.contact.raw && rest.starts_with(kNoContact)) {
        rest.remove_prefix(kNoContact.size());
        continue;
      }
      const auto taken = take_number(rest.substr(1), kHolderDigits);
      if (!taken) return std::nullopt;
      *number = static_cast<std::int64_t>(taken->number);
      rest = taken->rest;
    }
    token.holder = holder;
  }
  token.text = text.substr(0, text.size() - rest.size());
  if (rest.empty()) return token;
  if (kind == TokenKind::Code || (kind == TokenKind::Refresh && !token.holder)) return std::nullopt;
  if (token.holder) {
    if (!rest.starts_with(kSeparator)) return std::nullopt;
    rest.remove_prefix(1);
  }
  const auto place = take_number(rest, kPlaceDigits);
  if (!place) return std::nullopt;
  token.place = place->number;
  rest = place->rest;
  if (rest.empty()) return token;
  if (kind != TokenKind::Access || !token.holder || !rest.starts_with(kSeparator))
    return std::nullopt;
  rest.remove_prefix(1);
  if (rest.size() != kFamilyDigits || !is_hex(rest)) return std::nullopt;
  token.family = rest;
  return token;
}

std::string_view Token::secret() const {
  return std::string_view(text).substr(spelling_of(kind).prefix.size() + GrantId::kLength,
                                       kSecretDigits);
}

std::string Token::to_text() const {
  std::string out = text;
  if (place == 0) return out;
  if (holder) out += kSeparator;
  append_number(out, place);
  if (!family.empty()) (out += kSeparator) += family;
  return out;
}

std::optional<Token> Token::parse_any(std::string_view text) {
  auto token = parse(TokenKind::Access, text);
  return token ? token : parse(TokenKind::Refresh, text);
}

std::string_view Token::label() const { return spelling_of(kind).label; }

}  // namespace svc::oauth
