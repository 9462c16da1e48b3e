#include "pages/settings/connected_page.h"

#include <algorithm>
#include <utility>

#include "base/hex.h"
#include "base/number.h"
#include "base/paths.h"
#include "loop/all.h"
#include "oauth/consent.h"
#include "oauth/document_client.h"
#include "oauth/redirect_uri.h"
#include "pages/formatting.h"
#include "pages/scope_descriptions.h"

namespace svc::pages {
namespace {

constexpr std::int64_t kMostPages = 1'000'000;

// Returns the requested page number, from 1; 1 if it is missing or invalid.
std::int64_t page_in(std::string_view query) {
  const text::Form form = text::Form::parse(query);
  return base::parse_number<std::int64_t>(form.find("page").value_or("1"), 1, kMostPages)
      .value_or(1);
}

std::string page_path(const std::string& list, std::int64_t page) {
  return page == 1 ? list : list + "?page=" + std::to_string(page);
}

template <class Id>
void add_once(std::vector<Id>& ids, const Id& id) {
  if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
}

template <class Thing, class Id>
const Thing* find_in(const std::vector<Thing>& things, const Id& id) {
  const auto found = std::ranges::find(things, id, &Thing::id);
  return found == things.end() ? nullptr : &*found;
}

std::string_view why_not_in_effect(oauth::Barrier barrier, bool mine) {
  switch (barrier) {
    case oauth::Barrier::OnlyAUser:
      return mine ? "you are not an owner or manager of the account at the moment"
                  : "this user is not an owner or manager of the account at the moment";
    case oauth::Barrier::OauthDisabled: return "OAuth is not enabled for the account at the moment";
    case oauth::Barrier::ContactDisabled:
      return mine ? "you are disabled at the moment" : "this user is disabled at the moment";
  }
  return "";
}

}  // namespace

loop::Task<base::Result<ConnectedPage::Place, http::Response>> ConnectedPage::place_of(
    const SettingsContext& context) {
  const std::string own(base::paths::kConnected.pattern);
  const std::string_view rest = context.request.rest();
  if (context.request.part("account").empty()) co_return Place{context.contact.id, own, {}, rest};
  auto found = co_await account_of(context);
  if (!found) co_return base::Refusal{found.error()};
  const media::Role role = found->role;
  Place place{found->account.id,
              base::paths::kAccountConnected.with(context.request.part("account")),
              std::move(found->account),
              {}};
  if (role != media::Role::Owner) {
    SettingsPage page(parts_, context, "Connected applications", "connected_barred.tpl");
    page.body().set("ACCOUNT", clipped(place.account->name, kMaxShownName));
    co_return base::Refusal{page.answer(403)};
  }
  if (!rest.empty()) {
    place.grant = rest.substr(1);
    if (place.grant.empty()) co_return base::Refusal{nothing_here(context, "page")};
  }
  co_return place;
}

loop::Task<http::Response> ConnectedPage::show(const SettingsContext& context) {
  const base::Result<Place, http::Response> place = co_await place_of(context);
  if (!place) co_return place.error();
  if (context.request.path == place->list) co_return co_await list(context, *place);
  const std::optional<oauth::Grant> grant = co_await grant_of(*place);
  if (!grant) co_return nothing_here(context, "connected application");
  SettingsPage page(parts_, context, "Revoke access", "connected_revoke.tpl");
  page.set_form(page.body(), context.request.path);
  page.body().set("BACK", place->list);
  const std::vector<oauth::Grant> one{*grant};
  const Named named = co_await named_in(one);
  describe(page.body(), *place, *grant, named, context.now);
  co_return page.answer();
}

loop::Task<http::Response> ConnectedPage::take(const SettingsContext& context, const text::Form&) {
  const base::Result<Place, http::Response> place = co_await place_of(context);
  if (!place) co_return place.error();
  if (context.request.path == place->list) co_return only_by_form(context);
  const std::optional<oauth::Grant> grant = co_await grant_of(*place);
  // The form was sent twice, or the grant ended in the meantime: the goal is
  // reached.
  if (!grant) co_return done(context, place->list, "revoked");
  const std::string detail =
      place->account
          ? "of contact " + std::to_string(grant->contact.value()) + ", by an owner of the account"
          : "in the settings";
  // Record after revoking: of several simultaneous requests, only the request
  // that ended the grant records an event.
  const bool ended = co_await parts_.grants.end(grant->id);
  if (ended) {
    const oauth::AuditEvent event{oauth::event_named<"revoked">(),
                                  context.contact.id,
                                  grant->account,
                                  grant->client.value(),
                                  context.request.remote_address,
                                  detail};
    co_await parts_.audit.record(event);
  }
  co_return done(context, place->list, "revoked");
}

loop::Task<http::Response> ConnectedPage::list(const SettingsContext& context, const Place& place) {
  SettingsPage page(parts_, context, "Connected applications", "connected.tpl");
  page.show_done();
  Values& body = page.body();
  const std::int64_t number = page_in(context.request.query);
  const oauth::GrantPage shown =
      co_await parts_.grants.grants_of(place.of, (number - 1) * kGrantsPerPage, kGrantsPerPage);
  const std::int64_t last =
      std::max<std::int64_t>(1, (shown.total + kGrantsPerPage - 1) / kGrantsPerPage);
  if (place.account) {
    const std::string name = clipped(place.account->name, kMaxShownName);
    body.show_with("OF_ACCOUNT").set("ACCOUNT", name);
    if (shown.total == 0) body.show_with("EMPTY_ACCOUNT");
    if (shown.total > 0) {
      body.show_with("FULL_ACCOUNT")
          .set("CONNECTIONS", counted(shown.total, "connection", "connections"));
    }
  } else {
    body.show("MINE");
    body.show(shown.total == 0 ? "EMPTY" : "FULL");
  }
  if (!shown.grants.empty()) body.show("LIST");
  const Named named = co_await named_in(shown.grants);
  for (const oauth::Grant& grant : shown.grants) {
    Values one = body.show_with("GRANT");
    one.set("REVOKE", place.list + "/" + grant.id.value());
    describe(one, place, grant, named, context.now);
  }
  if (!shown.grants.empty()) body.show("LIST_END");
  if (last > 1 || number > 1) {
    Values pages = body.show_with("PAGES");
    pages.set("NUMBER", with_separators(number)).set("LAST", with_separators(last));
    if (number > 1)
      pages.show_with("NEWER").set("PATH", page_path(place.list, std::min(number - 1, last)));
    if (number < last) pages.show_with("OLDER").set("PATH", page_path(place.list, number + 1));
  }
  co_return page.answer();
}

loop::Task<std::optional<oauth::Grant>> ConnectedPage::grant_of(const Place& place) {
  if (place.grant.size() != oauth::GrantId::kLength || !base::from_hex(place.grant))
    co_return std::nullopt;
  const oauth::GrantId id{std::string(place.grant)};
  std::optional<oauth::Grant> grant = co_await parts_.grants.find_grant(id);
  const bool in_list = grant && (place.account ? grant->account == place.account->id
                                               : oauth::GrantList(grant->contact) == place.of);
  if (!in_list) co_return std::nullopt;
  co_return grant;
}

// Two round trips for any number of grants: clients first, then all accounts,
// including those of the clients, and contacts.
loop::Task<ConnectedPage::Named> ConnectedPage::named_in(const std::vector<oauth::Grant>& grants) {
  std::vector<oauth::ClientId> clients;
  std::vector<media::AccountId> accounts;
  std::vector<media::ContactId> contacts;
  for (const oauth::Grant& grant : grants) {
    add_once(clients, grant.client);
    add_once(accounts, grant.account);
    add_once(contacts, grant.contact);
  }
  Named named;
  named.clients = co_await parts_.applications.find_all(clients);
  for (const oauth::Client& client : named.clients) add_once(accounts, client.account);
  auto both =
      loop::all(parts_.people.find_accounts(accounts), parts_.people.find_contacts(contacts));
  auto found = co_await both;
  auto& [found_accounts, found_contacts] = found;
  named.accounts = std::move(found_accounts);
  named.contacts = std::move(found_contacts);
  co_return named;
}

void ConnectedPage::describe(Values& values, const Place& place, const oauth::Grant& grant,
                             const Named& named, std::int64_t now) {
  const oauth::Client* client = find_in(named.clients, grant.client);
  const media::Account* account = find_in(named.accounts, grant.account);
  const media::Contact* contact = find_in(named.contacts, grant.contact);
  // A client with a document has no record, and its document is not fetched for this.
  const bool has_document = oauth::is_document_url(grant.client.value());
  values
      .set("CLIENT", client         ? clipped(client->name, kMaxShownName)
                     : has_document ? clipped(grant.client.value(), kMaxShownText)
                                    : "A deleted application")
      .set("ACCOUNT", account ? clipped(account->name, kMaxShownName) : "a deleted account");
  if (client) {
    values.show_with("HOSTED").set("HOST", oauth::redirect_host(client->redirect_uris.front()));
    if (const media::Account* developer = find_in(named.accounts, client->account))
      values.show_with("DEVELOPED").set("DEVELOPER", clipped(developer->name, kMaxShownName));
  }
  if (place.account) {
    Values person = values.show_with("PERSON");
    person.set("PERSON", contact ? clipped(contact->name, kMaxShownName) : "A deleted user")
        .set("PERSON_EMAIL", contact ? contact->email : "");
  } else {
    values.show("OWN");
  }
  // The same rule applies to every use of the grant's tokens.
  oauth::Standing standing{std::nullopt, account != nullptr && account->oauth_enabled};
  if (contact && account) standing = oauth::standing_of(*contact, *account);
  if (const auto barrier = oauth::barrier_of(standing))
    values.show_with("BARRED").set("WHY", why_not_in_effect(*barrier, !place.account));
  set_time(values, "SINCE", grant.created, now);
  set_time(values, "USED", grant.last_used, now);
  set_scopes(values, grant.scopes);
}

}  // namespace svc::pages
