#include "login/return_path.h"

#include <cstddef>
#include <utility>

#include "base/base64.h"
#include "base/hex.h"
#include "text/ascii.h"

namespace svc::login {
namespace {

constexpr std::string_view kContext = "return path";

struct Sealed {
  std::string binding;
  ReturnPath to;
};

std::optional<Sealed> open(std::string_view sealed, const base::KeyRing& keys) {
  const std::size_t mark = sealed.find('~');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto box = base::base64url_decode(sealed.substr(mark + 1));
  if (!box) return std::nullopt;
  const auto plain =
      keys.open(std::string(sealed.substr(0, mark)) + ":" + base::to_hex(*box), kContext);
  if (!plain) return std::nullopt;
  const std::size_t binding = plain->find('\n');
  if (binding == std::string::npos) return std::nullopt;
  const std::size_t origin = plain->find('\n', binding + 1);
  if (origin == std::string::npos) return std::nullopt;
  const std::size_t name = plain->find('\n', origin + 1);
  if (name == std::string::npos) return std::nullopt;
  Sealed found{plain->substr(0, binding),
               {plain->substr(name + 1), plain->substr(binding + 1, origin - binding - 1),
                plain->substr(origin + 1, name - origin - 1)}};
  // It was valid when it was sealed. Check it again where the browser is
  // redirected.
  if (!is_path_of_ours(found.to.path)) return std::nullopt;
  return found;
}

}  // namespace

bool is_path_of_ours(std::string_view path) {
  if (!path.starts_with('/') || path.starts_with("//")) return false;
  for (const char c : path) {
    if (text::is_control(c) || c == '\\' || c == ' ') return false;
  }
  return true;
}

// A request line has at most 8 KiB, the body of a form 16 KiB. In hexadecimal,
// as KeyRing writes it, the longest path would not fit into the form together
// with a password.
std::string seal(const ReturnPath& to, const base::KeyRing& keys, base::Entropy& entropy,
                 const Visitor& visitor) {
  std::string name = to.application;  // for display on one line
  for (char& c : name) {
    if (text::is_control(c)) c = ' ';
  }
  const std::string sealed =
      keys.seal(visitor.binding + "\n" + to.redirect_origin + "\n" + name + "\n" + to.path,
                kContext, entropy);
  const std::size_t colon = sealed.find(':');
  return sealed.substr(0, colon) + "~" +
         base::base64url_encode(base::from_hex(sealed.substr(colon + 1)).value());
}

std::optional<ReturnPath> open_return_path(std::string_view sealed, const base::KeyRing& keys,
                                           const Visitor& visitor) {
  auto found = open(sealed, keys);
  if (!found || found->binding != visitor.binding) return std::nullopt;
  return std::move(found->to);
}

std::optional<ReturnPath> open_return_path_of_any(std::string_view sealed,
                                                  const base::KeyRing& keys) {
  auto found = open(sealed, keys);
  if (!found) return std::nullopt;
  return std::move(found->to);
}

}  // namespace svc::login
