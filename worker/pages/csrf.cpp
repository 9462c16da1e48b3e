#include "pages/csrf.h"

#include "login/visitors.h"
#include "oauth/redirect_uri.h"
#include "pages/problem_page.h"
#include "text/ascii.h"

namespace svc::pages {

bool is_allowed_origin(std::string_view origin, std::string_view app_url) {
  if (origin.empty() || origin == "null") return true;
  // RFC 6454 §6.2
  return text::equal_ignoring_case(origin, oauth::redirect_origin(app_url));
}

bool is_forged(const http::Request& request, const text::Form& form, const login::Visitor& visitor,
               std::string_view purpose, const embed::Site& site, const base::KeyRing& keys) {
  return is_forged(request, form.find("csrf").value_or(""), visitor, purpose, site, keys);
}

bool is_forged(const http::Request& request, std::string_view token, const login::Visitor& visitor,
               std::string_view purpose, const embed::Site& site, const base::KeyRing& keys) {
  return !is_allowed_origin(request.origin, site.app_url) ||
         !login::is_form_token(keys, visitor, purpose, token);
}

http::Response forged_form_page(const http::Request& request, const login::Visitor& visitor,
                                const embed::Site& site, std::string_view again,
                                const Language& language) {
  Problem problem;
  problem.status = 403;
  problem.title = language.translate("This page is too old");
  problem.text = language.translate(
      "The form came from a page that was not opened in this browser, or that is too old. Nothing "
      "was changed.");
  problem.next = language.translate(
      "Open the page again, and repeat what you did. If that does not help, allow cookies for this "
      "site in your browser.");
  problem.link = problem.again = again;
  problem.link_name = language.translate("Open the page again");
  return problem_page(problem, site, request, visitor, language);
}

}  // namespace svc::pages
