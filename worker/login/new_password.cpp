#include "login/new_password.h"

#include <algorithm>
#include <cstddef>

#include "text/ascii.h"
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
  if (characters_of(password) < kMinPassword)
    return "must have at least 12 characters; several words make a good one";
  if (text::equal_ignoring_case(password, email)) return "must not be the email address";
  return {};
}

}  // namespace svc::login
