// ReturnPath: where a user goes after the login. Sealed into the login form.
//
// It is bound to the visitor for whom it was sealed, so an attacker cannot give
// a victim a form with a destination of the attacker's choice. In any case it
// is a path of this service.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "login/session.h"

namespace svc::login {

struct ReturnPath {
  std::string path;              // including its query
  std::string redirect_origin;   // the origin to which that path may redirect;
                                 // empty: this service only
  std::string application = {};  // name of the application that sent the user,
                                 // for display; empty: none
};

// Returns true if the path begins with a slash, but not with `//`, and contains
// no backslash, control character or space. So no browser can read another host
// into it.
bool is_path_of_ours(std::string_view path);

// Returns a text of unreserved characters, a third longer than its content (RFC
// 4648 §5).
std::string seal(const ReturnPath& to, const base::KeyRing& keys, base::Entropy& entropy,
                 const Visitor& visitor);
// Returns nullopt if the text was changed, was sealed for another visitor, or
// does not contain such a path.
std::optional<ReturnPath> open_return_path(std::string_view sealed, const base::KeyRing& keys,
                                           const Visitor& visitor);
// The same, also if it was sealed for another visitor. The path is then no more
// to be trusted than a link on another site.
std::optional<ReturnPath> open_return_path_of_any(std::string_view sealed,
                                                  const base::KeyRing& keys);

}  // namespace svc::login
