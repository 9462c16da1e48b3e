// Session: one browser in which a contact has logged in.
//
// The browser holds 256 random bits in a cookie; the store knows only their HMAC. A session ends
// when it was idle too long, when it gets too old, at logout, and when its contact says so.
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
  std::string id;  // the HMAC, hex: no secret, names the session in the store and binds forms
  media::ContactId contact;
  std::int64_t created = 0;         // seconds since 1970
  std::int64_t last_seen = 0;       // the same, a minute exact
  std::int64_t password_given = 0;  // the same: when the contact last gave the password in it
  std::string address;              // from where it was begun
  std::string password;             // password_tag() of the password that it was begun with
};

// Tells one password of a contact from the next; no secret. The same for the same stored hash only,
// so new parameters of it are a new password too.
std::string password_tag(const media::Contact& contact);

// The browser behind a request: with a session, or with a cookie that only binds its login form.
struct Visitor {
  std::optional<Session> session;
  std::string binding;     // what forms are bound to: the session's id, or the HMAC of that cookie
  std::string set_cookie;  // empty, or a Set-Cookie value that the answer has to carry
};

// Implemented in redis/. All throw base::Unavailable when the store cannot say.
class Sessions {
 public:
  virtual ~Sessions() = default;
  virtual loop::Task<std::optional<Session>> find(std::string_view secret) = 0;
  // A new session; gives the secret for its cookie.
  virtual loop::Task<std::string> begin(media::ContactId contact, std::string_view address,
                                        std::string_view password) = 0;
  virtual loop::Task<> password_was_given(const Session& session) = 0;
  virtual loop::Task<> end(const Session& session) = 0;
  // The newest first.
  virtual loop::Task<std::vector<Session>> of(media::ContactId contact) = 0;
  virtual loop::Task<> end_others(const Session& keep) = 0;
};

// Returns the contact of the visitor's session. Returns nothing if the contact is disabled or their
// password has changed since, even if the session was not ended. Throws base::Unavailable.
loop::Task<std::optional<media::Contact>> contact_of(const Visitor& visitor, media::People& people);

}  // namespace svc::login
