// The Cookie header. First byte: bit 0: app-url is https.
#include <string>

#include "base/key_ring.h"
#include "fakes/fixed_entropy.h"
#include "fakes/login.h"
#include "fuzz/target.h"
#include "login/visitors.h"
#include "text/ascii.h"

namespace svc::fuzz {
namespace {

const std::string kSecret(64, 'b');  // of the only session

login::Visitor visitor_of(std::string_view cookie, bool secure) {
  static const base::KeyRing keys = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  static fakes::MemorySessions sessions;
  sessions.alive[kSecret].id = "session 1";
  fakes::FixedEntropy entropy;
  login::Visitors visitors(sessions, keys, entropy, secure);
  http::Request request;
  request.cookie = cookie;
  return fakes::now(visitors.of(request));
}

void run(std::string_view input) {
  const bool secure = !input.empty() && (input.front() & 1) != 0;
  if (!input.empty()) input.remove_prefix(1);
  const login::Visitor visitor = visitor_of(input, secure);
  require(!visitor.binding.empty(), "every visitor has a binding");
  if (visitor.session) {
    require(visitor.binding == visitor.session->id && visitor.set_cookie.empty(),
            "a session is a visitor's binding");
    require(input.find("svcs_" + kSecret) != std::string_view::npos,
            "a session needs its whole secret");
    require(!secure || input.find("__Host-svc_session=") != std::string_view::npos,
            "with https only the cookie with the prefix counts");
    return;
  }
  if (visitor.set_cookie.empty()) {
    require(input.find("svc_session=svcv_") != std::string_view::npos,
            "a browser without a cookie gets one");
    return;
  }
  for (const char c : visitor.set_cookie)
    require(!text::is_control(c), "a new cookie has no control characters");
  require(visitor.set_cookie.find("; HttpOnly; SameSite=Lax") != std::string::npos,
          "a new cookie has its attributes");
  const std::string pair = visitor.set_cookie.substr(0, visitor.set_cookie.find(';'));
  const login::Visitor again = visitor_of("other=x; " + pair + "; last=y", secure);
  require(!again.session && again.set_cookie.empty() && again.binding == visitor.binding,
          "a browser that returns its cookie is the same visitor");
}

const Registered registered("cookie", run);

}  // namespace
}  // namespace svc::fuzz
