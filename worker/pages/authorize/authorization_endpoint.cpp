#include "pages/authorize/authorization_endpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/number.h"
#include "base/public_paths.h"
#include "base/settings_paths.h"
#include "login/return_path.h"
#include "oauth/redirect_uri.h"
#include "pages/csrf.h"
#include "pages/formatting.h"
#include "pages/page_frame.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/refusal_page.h"
#include "pages/scope_descriptions.h"
#include "pages/template.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/uri.h"
#include "text/words.h"

namespace svc::pages {
namespace {

// Bytes. With `GET`, `HTTP/1.1` and the line end, nginx accepts a request line
// of 8192 (nginx/svc-limits.conf).
constexpr std::size_t kMaxPath = 8192 - std::string_view("GET  HTTP/1.1\r\n").size();

// Returns this page's path with that query. Percent-encodes other characters
// than those of a URI: browsers send some unchanged, such as a backslash, which
// the check of return paths rejects.
std::string path_with(std::string_view query) {
  std::string path(base::paths::kAuthorize.pattern);
  if (!query.empty()) path += '?';
  for (const char c : query) {
    if (c == '%' || (c != '#' && text::has_only_uri_characters(std::string_view(&c, 1)))) {
      path += c;
    } else {
      text::append_percent_encoded(path, std::string_view(&c, 1));
    }
  }
  return path;
}

// Returns the path that repeats this request after a login, which it does not ask for again.
login::ReturnPath way_back(const oauth::AuthorizationRequest& asked,
                           const oauth::Transaction& transaction) {
  return {path_with(oauth::without_login_prompt(transaction.query)),
          oauth::redirect_origin(asked.return_to.redirect_uri),
          clipped(asked.client.name, kMaxShownName)};
}

std::string form_purpose(const oauth::Transaction& transaction) {
  return "authorize " + transaction.secret;
}

// The text for the user.
std::string barrier_text(oauth::Barrier barrier, const Language& language) {
  switch (barrier) {
    case oauth::Barrier::OnlyAUser:
      return language.translate(
          "You are a user of this account. Only its owners and managers can connect "
          "applications.");
    case oauth::Barrier::OauthDisabled:
      return language.translate(
          "Applications cannot be connected to this account: OAuth is not enabled for it.");
    case oauth::Barrier::ContactDisabled:
      return language.translate("You cannot connect applications.");
  }
  return "";
}

// The text for the application's developer.
std::string_view error_description(oauth::Barrier barrier) {
  switch (barrier) {
    case oauth::Barrier::OnlyAUser: return "The user is neither owner nor manager of the account.";
    case oauth::Barrier::OauthDisabled: return "OAuth is not enabled for the account.";
    case oauth::Barrier::ContactDisabled: return "The user may not authorize applications.";
  }
  return "";
}

// Another program on the device could receive a code on loopback or by a private-use scheme, so
// the user decides each time. RFC 8252 §8.6, oauth-P3
bool asks_each_time(const oauth::AuthorizationRequest& asked) {
  return asked.client.is_public() &&
         oauth::redirect_target(asked.return_to.redirect_uri) != oauth::RedirectTarget::Server;
}

std::optional<media::AccountId> account_in(const text::Form& form) {
  const auto number = base::parse_number<std::int64_t>(form.find("account").value_or(""));
  if (!number) return std::nullopt;
  return media::AccountId{*number};
}

// The account that the contact chose, in the query of the consent page: its id,
// the time, and a MAC for this visitor and the rest of the query. So a link of
// an application cannot choose.
constexpr std::string_view kChosen = "&svc_account=";

// The query is decoded: path_with() and browsers encode some characters on the
// way.
std::string chosen_purpose(std::string_view query, std::string_view choice) {
  return "authorize account " + std::string(choice) + " " + text::form_decode(query);
}

std::string chosen_parameter(std::string_view query, media::AccountId account,
                             const login::Visitor& visitor,
                             const AuthorizationEndpoint::Parts& parts) {
  const std::string choice =
      std::to_string(account.value()) + "." + std::to_string(parts.clock.now());
  return std::string(kChosen) + choice + "." +
         login::form_token(parts.keys, visitor, chosen_purpose(query, choice));
}

struct Chosen {
  std::string_view query;  // without the parameter
  std::optional<media::AccountId> account;
};

// Takes the parameter from the end of a query. If the parameter is invalid, or older than a form
// may be, the result lacks an account.
Chosen take_chosen(std::string_view query, const login::Visitor& visitor,
                   const AuthorizationEndpoint::Parts& parts) {
  const std::size_t at = query.rfind(kChosen);
  if (at == std::string_view::npos) return {query, std::nullopt};
  const std::string_view value = query.substr(at + kChosen.size());
  if (value.find('&') != std::string_view::npos) return {query, std::nullopt};
  Chosen chosen{query.substr(0, at), std::nullopt};
  std::string_view rest = value;
  const auto account = base::take_number<std::int64_t>(rest);
  if (!account || !rest.starts_with('.')) return chosen;
  rest.remove_prefix(1);
  const auto begun = base::take_number<std::int64_t>(rest);
  if (!begun || !rest.starts_with('.')) return chosen;
  const std::string_view choice = value.substr(0, value.size() - rest.size());
  const bool valid = login::is_form_token(parts.keys, visitor, chosen_purpose(chosen.query, choice),
                                          rest.substr(1)) &&
                     parts.clock.now() < *begun + oauth::Transaction::kLifetime;
  if (valid) chosen.account = media::AccountId{*account};
  return chosen;
}

}  // namespace

// The clients of one request: the registered ones, and the one whose document it names.
class AuthorizationEndpoint::KnownClients : public oauth::Clients {
 public:
  explicit KnownClients(oauth::Clients& registered) : registered_(registered) {}

  loop::Task<std::optional<oauth::Client>> find_client(const oauth::ClientId& id) override {
    if (document && document->client.id == id) co_return document->client;
    std::optional<oauth::Client> client = co_await registered_.find_client(id);
    co_return client;
  }

  std::optional<oauth::DocumentClient> document;

 private:
  oauth::Clients& registered_;
};

// The frame of all pages of a turn: the client, the hidden fields of its forms,
// and the logged-in contact.
class AuthorizationEndpoint::Page : public PageFrame {
 public:
  Page(std::string_view title, std::string_view file, const Parts& parts, const Turn& turn)
      : PageFrame(parts.site, Shape::Narrow, turn.language.translate(title), file, turn.language) {
    unlisted();
    const std::string& redirect_uri = turn.asked.return_to.redirect_uri;
    body()
        .set("CLIENT", clipped(turn.asked.client.name, kMaxShownName))
        .set("HOST", oauth::redirect_host(redirect_uri))
        .set("TRANSACTION",
             oauth::seal(turn.transaction, turn.visitor.binding, parts.keys, parts.entropy))
        .set("TOKEN", login::form_token(parts.keys, turn.visitor, form_purpose(turn.transaction)));
    const login::ReturnPath back = way_back(turn.asked, turn.transaction);
    answers(turn.request, back.path);
    body()
        .include("SIGNED_IN", "signed_in.tpl")
        .set("CONTACT", clipped(turn.contact.name, kMaxShownName))
        .set("EMAIL", turn.contact.email)
        .set("TOKEN", login::form_token(parts.keys, turn.visitor, kLogoutPurpose))
        .set("RETURN", login::seal(back, parts.keys, parts.entropy, turn.visitor));
  }
};

AuthorizationEndpoint::AuthorizationEndpoint(const Parts& parts)
    : parts_(parts), app_host_(text::host_header(parts.site.app_url)) {}

loop::Task<http::Response> AuthorizationEndpoint::answer(const http::Request& request) {
  // Only the host of app-url has the session cookie.
  if (request.host != app_host_ && request.is_get_or_head()) {
    std::string location = parts_.site.url(base::paths::kAuthorize);
    if (!request.query.empty()) location += "?" + std::string(request.query);
    http::Response response = see_other(std::move(location), {}, Window::Application);
    response.status = 302;
    co_return response;
  }
  if (request.is_get_or_head()) co_return co_await ask(request);
  if (request.host == app_host_) co_return co_await take_answer(request);
  http::Response refused =
      refusal_page(parts_.site, request, http::kMethodNotAllowed, parts_.languages.choose(request));
  co_return std::move(refused.with("Allow", "GET, HEAD"));
}

// Nothing is fetched for a visitor without a login: any attacker could make us send requests. CIMD
// §8.
loop::Task<std::optional<http::Response>> AuthorizationEndpoint::find_document(
    const http::Request& request, const login::Visitor& visitor, std::string_view query,
    KnownClients& clients) {
  const auto named = oauth::document_request(query);
  if (!named) co_return std::nullopt;
  if (const auto why = oauth::why_not_document_url(named->client_id, parts_.document_rules))
    co_return unsafe_page(request, visitor, query, {"client_id " + *why});
  const std::string& uri = named->redirect_uri;
  if (uri.empty())
    co_return unsafe_page(request, visitor, query, {"redirect_uri is missing or repeated"});
  if (const auto why = oauth::why_not_redirect_uri(uri, oauth::ClientType::Public))
    co_return unsafe_page(request, visitor, query, {"redirect_uri " + *why});
  const std::string host = oauth::document_host(named->client_id);
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, parts_.people);
  if (!contact || (named->asks_login && request.is_get_or_head())) {
    const login::ReturnPath back{path_with(oauth::without_login_prompt(query)),
                                 oauth::redirect_origin(uri), host};
    co_return parts_.login.ask(request, visitor, back);
  }
  if (request.peer != nullptr) request.peer->takes_longer(oauth::kWaitForDocument);
  oauth::ClientDocuments::Asker asker{contact->id, std::string(request.remote_address)};
  oauth::ClientDocuments::Found found =
      co_await parts_.documents.find(named->client_id, std::move(asker));
  if (auto* const document = std::get_if<oauth::DocumentClient>(&found)) {
    clients.document = std::move(*document);
    co_return std::nullopt;
  }
  co_return no_document_page(request, visitor, query, host, found);
}

loop::Task<http::Response> AuthorizationEndpoint::ask(const http::Request& request) {
  const login::Visitor visitor = co_await parts_.visitors.of(request);
  // The return path after a login contains the query, and must fit into a
  // request line.
  const Chosen link = take_chosen(request.query, visitor, parts_);
  if (path_with(link.query).size() > kMaxPath)
    co_return unsafe_page(request, visitor, link.query, {"the link is too long"});
  KnownClients clients(parts_.clients);
  std::optional<http::Response> ended =
      co_await find_document(request, visitor, link.query, clients);
  if (ended) co_return std::move(*ended);
  base::Result<oauth::AuthorizationRequest, oauth::UnsafeRequest> asked =
      co_await oauth::read_authorization_request(link.query, clients, parts_.resource_servers,
                                                 parts_.own);
  if (!asked) co_return unsafe_page(request, visitor, link.query, asked.error());
  asked->document = std::move(clients.document);
  oauth::Transaction transaction;
  transaction.secret = oauth::random_secret(parts_.entropy);
  transaction.query = link.query;
  if (asked->prompt.login)
    co_return parts_.login.ask(request, visitor, way_back(*asked, transaction));
  base::Result<Turn, http::Response> turn =
      co_await turn_of(request, visitor, *asked, std::move(transaction));
  if (!turn) co_return turn.error();
  co_return co_await begin(*turn, link.account);
}

loop::Task<http::Response> AuthorizationEndpoint::take_answer(const http::Request& request) {
  const login::Visitor visitor = co_await parts_.visitors.of(request);
  const text::Form form = text::Form::parse(request.body);
  const auto transaction =
      oauth::open_transaction(form.find("transaction").value_or(""), visitor.binding, parts_.keys);
  const std::string purpose = transaction ? form_purpose(*transaction) : "";
  if (!transaction || is_forged(request, form, visitor, purpose, parts_.site, parts_.keys))
    co_return forged_answer_page(request, visitor, form.find("transaction").value_or(""));
  if (transaction->is_over(parts_.clock.now()))
    co_return see_other(path_with(transaction->query), visitor,
                        Window::Application);  // shows the question again

  KnownClients clients(parts_.clients);
  std::optional<http::Response> ended =
      co_await find_document(request, visitor, transaction->query, clients);
  if (ended) co_return std::move(*ended);
  base::Result<oauth::AuthorizationRequest, oauth::UnsafeRequest> asked =
      co_await oauth::read_authorization_request(transaction->query, clients,
                                                 parts_.resource_servers, parts_.own);
  if (!asked) co_return unsafe_page(request, visitor, transaction->query, asked.error());
  asked->document = std::move(clients.document);
  base::Result<Turn, http::Response> turn =
      co_await turn_of(request, visitor, *asked, *transaction);
  if (!turn) co_return turn.error();
  const std::string_view answer = form.find("answer").value_or("");
  if (answer == "deny") co_return co_await deny(*turn, "The user denied access.");
  if (asked->error) co_return send_back_error(*turn, *asked->error);

  const bool was_asked_which = transaction->account.value() == 0;
  const auto account = was_asked_which ? account_in(form) : transaction->account;
  const auto choice =
      std::find_if(turn->choices.begin(), turn->choices.end(),
                   [&](const Choice& one) { return one.account.id == account && one.is_open(); });
  if (choice == turn->choices.end()) {
    if (was_asked_which) co_return choice_page(*turn, true);
    co_return co_await begin(*turn, std::nullopt);
  }
  // The answer only counts if the user saw the current permissions of the
  // client.
  const bool allowed = !was_asked_which && answer == "allow" &&
                       transaction->permission_version == asked->client.permission_version;
  if (allowed) co_return co_await issue_code(*turn, *choice, "");
  co_return co_await ask_unless_covered(*turn, *choice);
}

loop::Task<base::Result<AuthorizationEndpoint::Turn, http::Response>>
AuthorizationEndpoint::turn_of(const http::Request& request, const login::Visitor& visitor,
                               const oauth::AuthorizationRequest& asked,
                               oauth::Transaction transaction) {
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, parts_.people);
  if (!contact) {
    co_return base::Refusal{parts_.login.ask(request, visitor, way_back(asked, transaction))};
  }
  std::vector<media::AccountId> ids;
  for (const media::Membership& membership : contact->memberships)
    ids.push_back(membership.account);
  const Language& language = parts_.languages.choose(request, transaction.query);
  Turn turn{request, visitor, asked, language, *contact, {}, std::move(transaction)};
  std::vector<media::Account> accounts = co_await parts_.people.find_accounts(ids);
  for (media::Account& account : accounts) {
    const auto membership =
        std::find_if(contact->memberships.begin(), contact->memberships.end(),
                     [&](const media::Membership& one) { return one.account == account.id; });
    const auto barrier = oauth::barrier_of({membership->role, account.oauth_enabled});
    turn.choices.push_back({std::move(account), barrier});
  }
  const std::vector<media::AccountId> closed =
      co_await parts_.second_factor.closed_to(contact->id, ids);
  for (Choice& choice : turn.choices)
    choice.lacks_factor = std::ranges::find(closed, choice.account.id) != closed.end();
  co_return turn;
}

// `chosen`: the account that the contact chose on the page before, if any.
loop::Task<http::Response> AuthorizationEndpoint::begin(Turn& turn,
                                                        std::optional<media::AccountId> chosen) {
  if (turn.asked.error) co_return send_back_error(turn, *turn.asked.error);
  const bool none = std::all_of(turn.choices.begin(), turn.choices.end(),
                                [](const Choice& choice) { return !choice.is_open(); });
  if (none) co_return barrier_page(turn);
  const auto choice = std::ranges::find_if(turn.choices, [&](const Choice& one) {
    const bool is_only = turn.choices.size() == 1 && !turn.asked.prompt.account;
    return one.is_open() && (one.account.id == chosen || is_only);
  });
  if (choice == turn.choices.end()) co_return choice_page(turn, false);
  co_return co_await ask_unless_covered(turn, *choice);
}

loop::Task<http::Response> AuthorizationEndpoint::ask_unless_covered(Turn& turn,
                                                                     const Choice& choice) {
  const auto id = oauth::GrantId::of(turn.contact.id, choice.account.id, turn.asked.client.id);
  const std::optional<oauth::Grant> grant = co_await parts_.grants.find_grant(id);
  // HEAD must not issue a code.
  if (grant &&
      oauth::covers(*grant, turn.asked.client, {turn.asked.scopes, turn.asked.resources},
                    parts_.own) &&
      turn.request.method != "HEAD" && !turn.asked.prompt.consent && !asks_each_time(turn.asked)) {
    co_return co_await issue_code(turn, choice, grant->consent);
  }
  co_return co_await ask_for_consent(turn, choice);
}

// After a form, redirects to the page: a browser that goes back to it then
// need not send the form again. A query that leaves no room for the account in
// the request line is answered with the page itself.
loop::Task<http::Response> AuthorizationEndpoint::ask_for_consent(Turn& turn,
                                                                  const Choice& choice) {
  if (turn.request.method == "POST") {
    std::string path =
        path_with(turn.transaction.query) +
        chosen_parameter(turn.transaction.query, choice.account.id, turn.visitor, parts_);
    if (path.size() <= kMaxPath)
      co_return see_other(std::move(path), turn.visitor, Window::Application);
  }
  co_return co_await consent_page(turn, choice);
}

// `consent` is that of the grant that covers the request; empty: the contact
// has just given consent.
loop::Task<http::Response> AuthorizationEndpoint::issue_code(const Turn& turn, const Choice& choice,
                                                             std::string_view consent) {
  const std::optional<std::int64_t> wait = co_await parts_.form_limit.wait(turn.contact.id);
  if (wait) co_return too_many_page(turn, *wait);
  const oauth::Client& client = turn.asked.client;
  const auto id = oauth::GrantId::of(turn.contact.id, choice.account.id, client.id);
  const oauth::Token code =
      oauth::code_of(turn.transaction, id, {turn.contact.id, choice.account.id}, parts_.keys);
  oauth::AuthorizationCode record;
  record.issued = {client.id, turn.contact.id, choice.account.id, turn.asked.scopes,
                   parts_.clock.now()};
  record.issued.resources = turn.asked.resources;
  record.redirect_uri = turn.asked.return_to.redirect_uri;
  record.code_challenge = turn.asked.code_challenge;
  record.consent = consent;
  record.refreshes = !turn.asked.document || turn.asked.document->refreshes;
  const bool consented = consent.empty();
  const oauth::CodeIssue issue =
      co_await parts_.grants.issue_code(code, record, consented, client.permission_version);
  switch (issue) {
    case oauth::CodeIssue::Issued:
      if (consented) {
        const std::string allowed = record.issued.access().to_text();
        const oauth::AuditEvent event{oauth::event_named<"authorized">(),
                                      turn.contact.id,
                                      choice.account.id,
                                      client.id.value(),
                                      turn.request.remote_address,
                                      allowed};
        co_await parts_.audit.record(event);
      }
      break;
    case oauth::CodeIssue::IssuedUnchanged:
    case oauth::CodeIssue::IssuedBefore: break;
    case oauth::CodeIssue::Spent: {
      Problem problem;
      problem.status = 409;
      problem.title = turn.language.translate("You have answered already");
      problem.text = turn.language.translate(
          "Your answer has reached the application. There is nothing left to do here.");
      problem.next = turn.language.translate("Go back to the application.");
      problem.again = path_with(turn.transaction.query);
      co_return problem_page(problem, parts_.site, turn.request, turn.visitor, turn.language);
    }
    case oauth::CodeIssue::Changed: {
      Turn again = turn;
      co_return co_await ask_for_consent(again, choice);
    }
  }
  co_return send_back(
      turn, oauth::answer_with_code(code, choice.account, turn.contact, turn.asked.return_to,
                                    client.type, parts_.issuer));
}

loop::Task<http::Response> AuthorizationEndpoint::deny(const Turn& turn,
                                                       std::string_view description) {
  const std::optional<std::int64_t> wait = co_await parts_.form_limit.wait(turn.contact.id);
  if (wait) co_return too_many_page(turn, *wait);
  std::optional<media::AccountId> account;
  if (turn.transaction.account.value() != 0) account = turn.transaction.account;
  bool may = false;
  for (const Choice& choice : turn.choices) may |= choice.is_open();
  if (!may) {
    description = turn.choices.empty() ? "The user belongs to no account."
                  : turn.choices.front().barrier
                      ? error_description(*turn.choices.front().barrier)
                      : "The account requires a second factor, which the user lacks.";
  }
  // A form may be sent several times, but is recorded once.
  const std::string secret = "denied " + turn.transaction.secret;
  const bool first = co_await parts_.grants.is_first(secret);
  if (first) {
    const oauth::AuditEvent event{
        oauth::event_named<"denied">(), turn.contact.id, account, turn.asked.client.id.value(),
        turn.request.remote_address,    description};
    co_await parts_.audit.record(event);
  }
  co_return send_back_error(turn, {"access_denied", std::string(description)});
}

// Returns why a choice is not open.
std::string AuthorizationEndpoint::why_not(const Choice& choice, const Language& language) {
  if (choice.barrier) return barrier_text(*choice.barrier, language);
  return language.translate("This account requires a second factor, and you have none.");
}

http::Response AuthorizationEndpoint::choice_page(Turn& turn, bool nothing_chosen) {
  turn.transaction.account = {};
  turn.transaction.secret = oauth::random_secret(parts_.entropy);
  turn.transaction.begun = parts_.clock.now();
  const auto selectable = std::count_if(turn.choices.begin(), turn.choices.end(),
                                        [](const Choice& one) { return one.is_open(); });
  Page page(text::translatable("Choose an account"), "authorize_choice.tpl", parts_, turn);
  Values& body = page.body();
  for (const Choice& choice : turn.choices) {
    Values one = body.show_with("ACCOUNT");
    one.set("ID", static_cast<long>(choice.account.id.value()));
    one.set("NAME", clipped(choice.account.name, kMaxShownName));
    if (!choice.is_open()) {
      one.show("BARRED");
      one.show_with("BARRIER").set("WHY", why_not(choice, turn.language));
    } else if (selectable == 1) {
      one.show("CHECKED");
    }
  }
  if (nothing_chosen) body.show("NOTHING_CHOSEN");
  return page.respond(nothing_chosen ? 400 : 200, turn.visitor,
                      oauth::redirect_origin(turn.asked.return_to.redirect_uri));
}

loop::Task<http::Response> AuthorizationEndpoint::consent_page(Turn& turn, const Choice& choice) {
  const oauth::Client& client = turn.asked.client;
  const std::optional<media::Account> developer =
      co_await parts_.people.find_account(client.account);
  turn.transaction.account = choice.account.id;
  turn.transaction.permission_version = client.permission_version;
  // A new secret per page: a code issued from an older page cannot be issued
  // again.
  turn.transaction.secret = oauth::random_secret(parts_.entropy);
  turn.transaction.begun = parts_.clock.now();
  Page page(text::translatable("Allow access"), "authorize_consent.tpl", parts_, turn);
  Values& body = page.body();
  body.set("ACCOUNT", clipped(choice.account.name, kMaxShownName))
      .set("CONTACT", clipped(turn.contact.name, kMaxShownName))
      .set("EMAIL", turn.contact.email)
      .show(client.is_public() ? "TOLD_ACCOUNT" : "TOLD_ALL");
  if (const auto& document = turn.asked.document) {
    Values of_document = body.show_with("DOCUMENT");
    of_document.set("DOCUMENT_HOST", oauth::document_host(client.id.value()));
    if (!document->logo.empty()) of_document.show_with("LOGO").set("LOGO_URI", document->logo);
  }
  if (asks_each_time(turn.asked)) {
    const std::string& uri = turn.asked.return_to.redirect_uri;
    const bool is_loopback = oauth::redirect_target(uri) == oauth::RedirectTarget::Loopback;
    body.show_with(is_loopback ? "TO_LOOPBACK" : "TO_SCHEME")
        .set("WHERE", clipped(uri, kMaxShownText));
  }
  if (developer)
    body.show_with("DEVELOPED").set("DEVELOPER", clipped(developer->name, kMaxShownName));
  if (!client.description.empty()) {
    body.show_with("DESCRIBED").set("DESCRIPTION", clipped(client.description, kMaxShownText));
  }
  set_scopes(body, turn.asked.scopes, turn.language);
  for (const std::string& resource : turn.asked.resources)
    body.show_with("RESOURCE").set("URI", resource);
  oauth::ScopeSet full;
  full.add(kFullAccess);
  if (turn.asked.scopes.covers(full)) body.show("FULL");
  body.set("CLOSED", withheld_access(turn.asked.scopes, turn.language));
  co_return page.respond(200, turn.visitor,
                         oauth::redirect_origin(turn.asked.return_to.redirect_uri));
}

http::Response AuthorizationEndpoint::barrier_page(Turn& turn) {
  turn.transaction.account = {};
  turn.transaction.secret = oauth::random_secret(parts_.entropy);
  turn.transaction.begun = parts_.clock.now();
  Page page(text::translatable("Access is not possible"), "authorize_barrier.tpl", parts_, turn);
  Values& body = page.body();
  if (turn.choices.empty()) {
    body.show("NO_ACCOUNT");
  } else {
    body.show("HAS_ACCOUNTS");
    const bool somebody_may = std::ranges::any_of(turn.choices, [](const Choice& choice) {
      return choice.barrier == oauth::Barrier::OnlyAUser;
    });
    const bool may_with_factor = std::ranges::any_of(
        turn.choices, [](const Choice& choice) { return !choice.barrier && choice.lacks_factor; });
    body.show(may_with_factor ? "SET_UP" : somebody_may ? "ASK_OWNER" : "ASK_OPERATOR");
  }
  for (const Choice& choice : turn.choices) {
    body.show_with("ACCOUNT")
        .set("NAME", clipped(choice.account.name, kMaxShownName))
        .set("WHY", why_not(choice, turn.language));
  }
  return page.respond(200, turn.visitor, oauth::redirect_origin(turn.asked.return_to.redirect_uri));
}

http::Response AuthorizationEndpoint::send_back(const Turn& turn, const oauth::Answer& answer) {
  const oauth::ReturnTo& to = turn.asked.return_to;
  if (to.mode == oauth::ResponseMode::Query)
    return see_other(oauth::location_of(answer, to), turn.visitor, Window::Application);
  // OAuth 2.0 Form Post Response Mode §2: a form that a script submits, or the
  // user if scripts are off.
  PageFrame page(parts_.site, PageFrame::Shape::Narrow,
                 turn.language.translate("Back to the application"), "authorize_form_post.tpl",
                 turn.language);
  page.unlisted().answers(turn.request, path_with(turn.transaction.query));
  Values& body = page.with_script("/assets/send-form.js").body();
  body.set("REDIRECT_URI", to.redirect_uri).set("HOST", oauth::redirect_host(to.redirect_uri));
  for (const auto& [name, value] : answer)
    body.show_with("FIELD").set("NAME", name).set("VALUE", value);
  return page.respond(200, turn.visitor, oauth::redirect_origin(to.redirect_uri));
}

http::Response AuthorizationEndpoint::send_back_error(const Turn& turn,
                                                      const oauth::AuthorizationError& error) {
  return send_back(turn, oauth::answer_with_error(error, turn.asked.return_to, parts_.issuer));
}

http::Response AuthorizationEndpoint::too_many_page(const Turn& turn,
                                                    std::int64_t retry_after) const {
  Problem problem;
  problem.status = 429;
  problem.title = turn.language.translate("Too many requests");
  problem.text = turn.language.translate(
      "Many requests were sent with your login in the last minute. This request changed nothing, "
      "and the application received no answer.");
  problem.next = turn.language.translate("Wait a minute, then go back to the application.");
  problem.again = path_with(turn.transaction.query);
  http::Response response =
      problem_page(problem, parts_.site, turn.request, turn.visitor, turn.language);
  response.with("Retry-After", std::to_string(retry_after));
  return response;
}

http::Response AuthorizationEndpoint::no_document_page(
    const http::Request& request, const login::Visitor& visitor, std::string_view query,
    const std::string& host, const oauth::ClientDocuments::Found& found) const {
  const Language& language = parts_.languages.choose(request, query);
  Problem problem;
  problem.again = path_with(query);
  std::int64_t retry_after = 0;
  if (const auto* const busy = std::get_if<oauth::ClientDocuments::TooMany>(&found)) {
    retry_after = busy->retry_after;
    problem.status = 429;
    problem.title = language.translate("Too many requests");
    problem.text = text::filled(
        language.translate(
            "The application that sent you here describes itself at {host}. That was looked up too "
            "often in the last minute. The application received no answer."),
        {{"host", host}});
    problem.next = language.translate("Wait a minute, then go back to the application.");
  } else if (const auto* const why = std::get_if<std::string>(&found)) {
    problem.status = 400;
    problem.title = language.translate("This application cannot be connected");
    problem.text = text::filled(
        language.translate(
            "The application that sent you here describes itself at {host}, and we cannot use that "
            "description. It has no access, and you are not sent back to it. You did "
            "nothing wrong."),
        {{"host", host}});
    problem.next = language.translate(
        "Go back to the application. If this happens again, tell its developer.");
    problem.detail = *why;
  } else {
    retry_after = oauth::kWaitForDocument.count();
    problem.status = 503;
    problem.title = language.translate("The application cannot be checked now");
    problem.text = text::filled(
        language.translate(
            "The application that sent you here describes itself at {host}. We could not look that "
            "up in time, so it has access to nothing, and received no answer."),
        {{"host", host}});
    problem.next = language.translate("Wait a minute, then go back to the application.");
  }
  http::Response response = problem_page(problem, parts_.site, request, visitor, language);
  if (retry_after > 0) response.with("Retry-After", std::to_string(retry_after));
  return response;
}

http::Response AuthorizationEndpoint::forged_answer_page(const http::Request& request,
                                                         const login::Visitor& visitor,
                                                         std::string_view sealed) const {
  const auto query = oauth::query_of_any_transaction(sealed, parts_.keys);
  const std::string again =
      query ? path_with(*query) : std::string(base::paths::kConnected.pattern);
  return forged_form_page(
      request, visitor, parts_.site, again,
      parts_.languages.choose(request, query ? std::string_view(*query) : request.query));
}

http::Response AuthorizationEndpoint::unsafe_page(const http::Request& request,
                                                  const login::Visitor& visitor,
                                                  std::string_view asked,
                                                  const oauth::UnsafeRequest& unsafe) const {
  const Language& language = parts_.languages.choose(request, asked);
  Problem problem;
  problem.status = 400;
  problem.title = language.translate("This link does not work");
  if (unsafe.names_no_application) {
    problem.text = language.translate(
        "The application that sent you here does not exist, or it was deleted by those who made "
        "it. It has no access, and you are not sent back to it. You did nothing wrong.");
    problem.next = language.translate("Ask the developer of the application for a new link.");
  } else {
    problem.text = language.translate(
        "The application that sent you here did not say correctly who it is, or where you should "
        "be sent afterwards. To be safe, you are not sent anywhere. You did nothing wrong.");
    problem.next = language.translate(
        "Go back to the application. If this happens again, tell its developer.");
  }
  problem.detail = unsafe.text;
  return problem_page(problem, parts_.site, request, visitor, language);
}

}  // namespace svc::pages
