// The Cookie header. First byte: bit 0: app-url is https.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_ring.h"
#include "fakes/fixed_entropy.h"
#include "fakes/tasks.h"
#include "fuzz/target.h"
#include "login/visitors.h"
#include "text/ascii.h"

namespace svc::fuzz {
namespace {

const std::string kSecret(64, 'b');  // the secret of the only session

// Has one session, and is only searched.
class OneSession : public login::Sessions {
 public:
  loop::Task<std::optional<login::Session>> find(std::string_view secret) override {
    login::Session session;
    session.id = "session 1";
    co_return secret == kSecret ? std::optional(session) : std::nullopt;
  }
  loop::Task<std::string> begin(media::ContactId, std::string_view, std::string_view,
                                std::string_view) override {
    co_return "";
  }
  loop::Task<> password_was_given(const login::Session&) override { co_return; }
  loop::Task<> end(const login::Session&) override { co_return; }
  loop::Task<std::vector<login::Session>> of(media::ContactId) override {
    co_return std::vector<login::Session>{};
  }
  loop::Task<> end_others(const login::Session&) override { co_return; }
};

login::Visitor visitor_of(std::string_view cookie, bool secure) {
  static const base::KeyRing keys = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  static OneSession sessions;
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
