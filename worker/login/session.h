// Session: a browser in which a contact has logged in.
//
// The browser stores 256 random bits in a cookie; the store has only their
// HMAC. A session ends after the idle time, after its maximum age, at logout,
// or when its contact ends it. A contact has at most 100 sessions: a further
// login ends the oldest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/contact.h"
#include "media/people.h"

namespace svc::login {

struct Session {
  std::string id;  // the HMAC, hex; not secret; names the session in the store and binds forms
  media::ContactId contact;
  std::int64_t created = 0;         // seconds since 1970
  std::int64_t last_seen = 0;       // the same; may be up to 60 s late
  std::int64_t password_given = 0;  // the same: when the contact last entered
                                    // the password in this session
  std::string address;              // the client address at the login
  std::string password;             // password_tag() of the password at the login
  std::string browser;              // browser_of() at the login; empty: begun before it was stored
};

// Identifies the contact's current password hash; not secret. A new hash of the
// same password, with new parameters, has another tag.
std::string password_tag(const media::Contact& contact);

// The browser that sent a request: with a session, or with a cookie that only
// binds its login form.
struct Visitor {
  std::optional<Session> session;
  std::string binding;     // forms are bound to this: the session's id, or the HMAC of that cookie
  std::string set_cookie;  // empty, or a Set-Cookie value that the response must have
};

// Implemented in redis/. All throw base::Unavailable if the store does not
// reply.
class Sessions {
 public:
  virtual ~Sessions() = default;
  virtual loop::Task<std::optional<Session>> find(std::string_view secret) = 0;
  // Begins a session; `password` is the contact's password_tag(), `browser` the
  // login's browser_of(). Returns the secret for its cookie.
  virtual loop::Task<std::string> begin(media::ContactId contact, std::string_view address,
                                        std::string_view password, std::string_view browser) = 0;
  virtual loop::Task<> password_was_given(const Session& session) = 0;
  virtual loop::Task<> end(const Session& session) = 0;
  // The newest session first.
  virtual loop::Task<std::vector<Session>> of(media::ContactId contact) = 0;
  virtual loop::Task<> end_others(const Session& keep) = 0;
};

// Returns the contact that is logged in. Returns nullopt if the visitor's session does not exist,
// the contact is disabled, or the password has changed since the login,
// even if the session still exists. Throws base::Unavailable.
loop::Task<std::optional<media::Contact>> contact_of(const Visitor& visitor, media::People& people);

}  // namespace svc::login
