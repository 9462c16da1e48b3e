#include "login/new_password.h"

#include <algorithm>
#include <cstddef>

#include "text/ascii.h"
#include "text/characters.h"
#include "text/unicode.h"
#include "text/utf8.h"

namespace svc::login {
namespace {

std::size_t characters_of(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count)
    text.remove_prefix(std::max<std::size_t>(1, text::utf8_length(text)));
  return count;
}

}  // namespace

std::string why_not_password(std::string_view password, std::string_view email) {
  if (password.empty()) return "must not be empty";
  if (password.size() > kMaxPasswordBytes) return "must not be longer than 1,024 bytes";
  if (!can_be_sent(password)) return "must be UTF-8 text without control characters";
  if (characters_of(canonical_password(password)) < kMinPassword)
    return "must have at least 12 characters; several words make a good one";
  if (text::equal_ignoring_case(password, email)) return "must not be the email address";
  return {};
}

bool can_be_sent(std::string_view password) {
  for (std::string_view rest = password; !rest.empty();) {
    const std::size_t length = text::utf8_length(rest);
    if (length == 0) return false;
    const char32_t character = text::code_point(rest.substr(0, length));
    if (character < 0x20 || (character >= 0x7f && character <= 0x9f)) return false;
    rest.remove_prefix(length);
  }
  return true;
}

std::string canonical_password(std::string_view password) { return text::nfc(password); }

}  // namespace svc::login
