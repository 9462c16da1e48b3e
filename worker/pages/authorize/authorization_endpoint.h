// AuthorizationEndpoint: the authorization endpoint, `/oauth/authorize`. RFC 6749 §3.1, §4.1.
//
//   safe to redirect back?  ─no▶ page    logged in?     ─no▶ login, and back
//   valid request?          ─no▶ error   which account? ─several▶ choice
//   allowed before?        ─yes▶ code    consent        ─▶ code or access_denied
//
// Every arrow to the right ends a request. Choice and consent are answered by
// POSTs with a sealed Transaction; the original request is then parsed and
// checked again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "login/form_limit.h"
#include "login/second_factor.h"
#include "login/session.h"
#include "login/visitors.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/contact.h"
#include "media/people.h"
#include "oauth/authorization_request.h"
#include "oauth/authorization_response.h"
#include "oauth/consent.h"
#include "oauth/document_client.h"
#include "oauth/stores.h"
#include "oauth/transaction.h"
#include "pages/languages.h"
#include "pages/login_prompt.h"

namespace svc::pages {

class AuthorizationEndpoint : public http::Endpoint {
 public:
  // The dependencies of the page, which must outlive it.
  struct Parts {
    const embed::Site& site;
    const std::string& issuer;
    login::Visitors& visitors;
    LoginPrompt& login;
    media::People& people;
    oauth::Clients& clients;
    oauth::ResourceServers& resource_servers;
    const oauth::OwnResources& own;
    oauth::ClientDocuments& documents;
    const oauth::DocumentRules& document_rules;
    oauth::Grants& grants;
    oauth::Audit& audit;
    login::FormLimit& form_limit;
    login::SecondFactor& second_factor;
    const base::KeyRing& keys;
    base::Entropy& entropy;
    const base::WallClock& clock;
    const Languages& languages;
  };
  explicit AuthorizationEndpoint(const Parts& parts);

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  struct Choice {
    media::Account account;
    std::optional<oauth::Barrier> barrier;
    bool lacks_factor = false;  // the account requires a second factor, and the contact has none
    bool is_open() const { return !barrier && !lacks_factor; }
  };
  // The state of a request once its contact is known.
  struct Turn {
    const http::Request& request;
    const login::Visitor& visitor;
    const oauth::AuthorizationRequest& asked;
    const Language& language;
    media::Contact contact;
    std::vector<Choice> choices;
    oauth::Transaction transaction;
  };

  class KnownClients;
  // Finds the client of a request whose client_id is the URL of a document, and adds it to
  // `clients`. Returns a response if the request ends here: its visitor is not logged in, or the
  // client does not exist.
  loop::Task<std::optional<http::Response>> find_document(const http::Request& request,
                                                          const login::Visitor& visitor,
                                                          std::string_view query,
                                                          KnownClients& clients);

  loop::Task<http::Response> ask(const http::Request& request);
  loop::Task<http::Response> take_answer(const http::Request& request);

  // Returns the turn of the logged-in contact, or the login page.
  loop::Task<base::Result<Turn, http::Response>> turn_of(const http::Request& request,
                                                         const login::Visitor& visitor,
                                                         const oauth::AuthorizationRequest& asked,
                                                         oauth::Transaction transaction);

  loop::Task<http::Response> begin(Turn& turn, std::optional<media::AccountId> chosen);
  loop::Task<http::Response> ask_unless_covered(Turn& turn, const Choice& choice);
  loop::Task<http::Response> ask_for_consent(Turn& turn, const Choice& choice);
  loop::Task<http::Response> issue_code(const Turn& turn, const Choice& choice,
                                        std::string_view consent);
  loop::Task<http::Response> deny(const Turn& turn, std::string_view description);

  static std::string why_not(const Choice& choice, const Language& language);
  http::Response choice_page(Turn& turn, bool nothing_chosen);
  loop::Task<http::Response> consent_page(Turn& turn, const Choice& choice);
  http::Response barrier_page(Turn& turn);
  http::Response send_back(const Turn& turn, const oauth::Answer& answer);
  http::Response send_back_error(const Turn& turn, const oauth::AuthorizationError& error);
  http::Response too_many_page(const Turn& turn, std::int64_t retry_after) const;
  http::Response no_document_page(const http::Request& request, const login::Visitor& visitor,
                                  std::string_view query, const std::string& host,
                                  const oauth::ClientDocuments::Found& found) const;
  http::Response forged_answer_page(const http::Request& request, const login::Visitor& visitor,
                                    std::string_view sealed) const;
  http::Response unsafe_page(const http::Request& request, const login::Visitor& visitor,
                             std::string_view asked, const oauth::UnsafeRequest& unsafe) const;

  class Page;

  const Parts parts_;
  const std::string app_host_;
};

}  // namespace svc::pages
