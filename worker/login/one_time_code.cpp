#include "login/one_time_code.h"

#include "base/digest.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/unicode.h"
#include "text/uri.h"

namespace svc::login {
namespace {

constexpr std::size_t kOneTimeSecretBytes = 20;
constexpr std::int64_t kStepSeconds = 30;
constexpr std::size_t kDigits = 6;
constexpr std::uint32_t kModulus = 1'000'000;
constexpr std::size_t kRecoveryLetters = 10;  // of 5 bits each
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

std::string random_bytes(std::size_t count, base::Entropy& entropy) {
  std::string bytes(count, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
  return bytes;
}

std::string encoded(std::string_view text) {
  std::string out;
  text::append_percent_encoded(out, text);
  return out;
}

}  // namespace

std::string new_one_time_secret(base::Entropy& entropy) {
  return random_bytes(kOneTimeSecretBytes, entropy);
}

std::string base32(std::string_view bytes) {
  std::string out;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : bytes) {
    buffer = (buffer << 8U) | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += kAlphabet[(buffer >> static_cast<unsigned>(bits)) & 31U];
    }
  }
  if (bits > 0) out += kAlphabet[(buffer << static_cast<unsigned>(5 - bits)) & 31U];
  return out;
}

std::string one_time_uri(std::string_view secret, std::string_view issuer,
                         std::string_view account) {
  return "otpauth://totp/" + encoded(issuer) + ":" + encoded(account) +
         "?secret=" + base32(secret) + "&issuer=" + encoded(issuer) +
         "&algorithm=SHA1&digits=6&period=30";
}

std::int64_t one_time_step(std::int64_t time) { return time / kStepSeconds; }

// RFC 4226 §5.3.
std::string one_time_code(std::string_view secret, std::int64_t step) {
  std::string counter(8, '\0');
  auto rest = static_cast<std::uint64_t>(step);
  for (std::size_t i = counter.size(); i-- > 0; rest >>= 8U)
    counter[i] = static_cast<char>(rest & 255U);
  const std::string mac = base::hmac_sha1(secret, counter);
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(mac[at]));
  };
  const std::size_t at = byte(mac.size() - 1) & 15U;
  const std::uint32_t number =
      ((byte(at) & 127U) << 24U) | (byte(at + 1) << 16U) | (byte(at + 2) << 8U) | byte(at + 3);
  std::string digits = std::to_string(number % kModulus);
  return std::string(kDigits - digits.size(), '0') + digits;
}

std::optional<std::int64_t> matching_step(std::string_view secret, std::string_view code,
                                          std::int64_t time) {
  const std::int64_t now = one_time_step(time);
  std::optional<std::int64_t> found;
  for (const std::int64_t step : {now, now - 1, now + 1}) {
    if (base::equal_in_constant_time(one_time_code(secret, step), code) && !found) found = step;
  }
  return found;
}

std::vector<std::string> new_recovery_codes(base::Entropy& entropy) {
  std::vector<std::string> codes;
  while (codes.size() < kRecoveryCodes) {
    std::string code;
    for (const char c : random_bytes(kRecoveryLetters, entropy)) {
      code += text::to_lower(kAlphabet[static_cast<unsigned char>(c) & 31U]);
      if (code.size() == kRecoveryLetters / 2) code += '-';
    }
    codes.push_back(std::move(code));
  }
  return codes;
}

std::string canonical_code(std::string_view typed) {
  return text::to_lower(text::without_blanks_and_dashes(text::with_plain_characters(typed)));
}

}  // namespace svc::login
