#include "login/visitors.h"

#include <cstddef>
#include <optional>

#include "base/digest.h"
#include "base/hex.h"
#include "login/browser.h"
#include "text/ascii.h"

namespace svc::login {
namespace {

constexpr std::size_t kRandomBytes = 32;
constexpr std::string_view kVisitorPrefix = "svcv_";
constexpr std::string_view kSessionPrefix = "svcs_";
constexpr std::string_view kVisitorLabel = "visitor";
constexpr std::string_view kFormLabel = "form token";

std::string_view cookie_name(bool secure) { return secure ? "__Host-svc_session" : "svc_session"; }

// RFC 6265 §4.2.1: name=value pairs, separated by `; `. Returns the first of
// that name, which has the longest path, §5.4. A name that begins with __Host-
// is unique.
std::string_view find_cookie(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = header.find(';');
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
  }
  return {};
}

// The prefix distinguishes the two kinds.
bool has_form(std::string_view value, std::string_view prefix) {
  if (value.size() != prefix.size() + 2 * kRandomBytes || !value.starts_with(prefix)) return false;
  for (const char c : value.substr(prefix.size())) {
    if (!text::is_digit(c) && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

std::string set_cookie(std::string_view value, bool secure) {
  std::string out(cookie_name(secure));
  out += '=';
  out += value;
  out += "; Path=/; HttpOnly; SameSite=Lax";
  if (secure) out += "; Secure";
  return out;
}

std::string form_message(const Visitor& visitor, std::string_view purpose) {
  return visitor.binding + ":" + std::string(purpose);
}

}  // namespace

Visitors::Visitors(Sessions& sessions, const base::KeyRing& keys, base::Entropy& entropy,
                   bool secure)
    : sessions_(sessions), keys_(keys), entropy_(entropy), secure_(secure) {}

loop::Task<Visitor> Visitors::of(const http::Request& request) {
  Visitor visitor;
  std::string value(find_cookie(request.cookie, cookie_name(secure_)));
  if (has_form(value, kSessionPrefix)) {
    const std::string_view secret = std::string_view(value).substr(kSessionPrefix.size());
    visitor.session = co_await sessions_.find(secret);
    if (visitor.session) {
      visitor.binding = visitor.session->id;
      co_return visitor;
    }
  }
  if (!has_form(value, kVisitorPrefix)) {
    std::string random(kRandomBytes, '\0');
    entropy_.fill({reinterpret_cast<unsigned char*>(random.data()), random.size()});
    value = std::string(kVisitorPrefix) + base::to_hex(random);
    visitor.set_cookie = set_cookie(value, secure_);
  }
  visitor.binding = keys_.mac(kVisitorLabel, value);
  co_return visitor;
}

loop::Task<std::string> Visitors::log_in(const Visitor& visitor, const media::Contact& contact,
                                         const http::Request& request) {
  if (visitor.session) co_await sessions_.end(*visitor.session);
  const std::string password = password_tag(contact);
  const std::string browser = browser_of(request.user_agent);
  const std::string secret =
      co_await sessions_.begin(contact.id, request.remote_address, password, browser);
  co_return set_cookie(std::string(kSessionPrefix) + secret, secure_);
}

loop::Task<> Visitors::take_back(std::string set_cookie) {
  const std::string_view value = find_cookie(set_cookie, cookie_name(secure_));
  if (!has_form(value, kSessionPrefix)) co_return;
  const std::optional<Session> begun = co_await sessions_.find(value.substr(kSessionPrefix.size()));
  if (begun) co_await sessions_.end(*begun);
}

loop::Task<std::string> Visitors::log_out(const Visitor& visitor) {
  if (visitor.session) co_await sessions_.end(*visitor.session);
  co_return set_cookie("", secure_) + "; Max-Age=0";
}

std::string form_token(const base::KeyRing& keys, const Visitor& visitor,
                       std::string_view purpose) {
  return keys.mac(kFormLabel, form_message(visitor, purpose));
}

bool is_form_token(const base::KeyRing& keys, const Visitor& visitor, std::string_view purpose,
                   std::string_view token) {
  return keys.mac_matches(kFormLabel, form_message(visitor, purpose), token);
}

}  // namespace svc::login
