// ReturnPath: where a visitor goes once logged in, sealed into the form that logs in.
//
// It is bound to the visitor for whom it was sealed, so that nobody can hand somebody else a form
// that leads where they want; and it is a path of ours in any case.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "login/session.h"

namespace svc::login {

struct ReturnPath {
  std::string path;              // with its query
  std::string redirect_origin;   // where that path may redirect a browser to; empty: nowhere else
  std::string application = {};  // the name of who sent the visitor, to be shown; empty: nobody did
};

// Begins with one slash, and a browser cannot read another host into it: no `//`, no `/\`, no
// backslash, control byte or space anywhere.
bool is_path_of_ours(std::string_view path);

// Unreserved characters only, a third longer than what is sealed. RFC 4648 §5.
std::string seal(const ReturnPath& to, const base::KeyRing& keys, base::Entropy& entropy,
                 const Visitor& visitor);
// Nothing when it was changed, sealed for another visitor, or is no path of ours.
std::optional<ReturnPath> open_return_path(std::string_view sealed, const base::KeyRing& keys,
                                           const Visitor& visitor);

}  // namespace svc::login
