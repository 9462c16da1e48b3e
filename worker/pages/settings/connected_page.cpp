// ConnectedPage: which applications have access to what, and how to revoke it.
// oauth.md, "Settings", oauth-B3.
//
//   /settings/connected                         Settings: their own grants
//   /settings/connected/<grant>                 confirms, then revokes it
//   /settings/accounts/<id>/connected           owners: the account's grants
//   /settings/accounts/<id>/connected/<grant>   confirms, then revokes it
//
// A list is paginated (?page=2). Each page costs a bounded number of round
// trips.
#include <algorithm>

#include "base/hex.h"
#include "base/number.h"
#include "base/settings_paths.h"
#include "loop/all.h"
#include "oauth/document_client.h"
#include "oauth/redirect_uri.h"
#include "pages/scope_descriptions.h"
#include "pages/settings/settings.h"

namespace svc::pages {
namespace {

constexpr std::string_view kUnreadable = "A connection that cannot be read";
constexpr std::int64_t kGrantsPerPage = 50;
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

// The list, and the grant in it, that a path names and that this contact may see.
struct OfGrants : SettingsContext {
  oauth::GrantList grants;
  std::string list{};                       // path of the list
  std::optional<media::Account> account{};  // nullopt: the contact's own list
  std::string_view grant{};                 // empty: the whole list
};

// The records that the grants of a page refer to.
struct Parties {
  std::vector<oauth::Client> clients;
  std::vector<media::Account> accounts;  // including the clients' accounts
  std::vector<media::Contact> contacts;
};

class ConnectedPage : public PagesOf<Settings, OfGrants> {
  using PagesOf::PagesOf;

  loop::Task<base::Result<OfGrants, Refused>> find(const SettingsContext& context) override {
    OfGrants of{context, context.contact.id, std::string(base::paths::kConnected.pattern)};
    const std::string_view path = context.request.path;
    if (!path.starts_with(of.list)) {
      const auto in = co_await account_of(context);
      if (!in) co_return base::Refusal{in.error()};
      if (in->role != media::Role::Owner) {
        SettingsPage page(parts_, context, "Connected applications", "connected_barred.tpl");
        page.body().set("ACCOUNT", in->account_name());
        co_return instead(page.answer(403));
      }
      of.grants = in->account.id;
      of.list = base::paths::kAccountConnected.with(in->number);
      of.account = in->account;
    }
    if (path.size() == of.list.size() + 1) co_return instead(nothing_here(context, "page"));
    of.grant = of.after(of.list);
    co_return of;
  }

  loop::Task<http::Response> page(const OfGrants& of) override {
    if (of.grant.empty()) return of.sent ? at_once(only_by_form(of)) : show_all(of);
    return of.sent ? revoke(of) : ask_revoke(of);
  }

  loop::Task<http::Response> ask_revoke(const OfGrants& of) {
    const std::optional<oauth::Grant> grant = co_await grant_of(of);
    if (!grant) co_return nothing_here(of, "connected application");
    SettingsPage page(parts_, of, Entered(), "Revoke access", "connected_revoke.tpl");
    page.body().set("BACK", of.list);
    const std::vector<oauth::Grant> one{*grant};
    const Parties parties = co_await parties_of(one);
    describe(page.body(), of, *grant, parties);
    co_return page.answer();
  }

  loop::Task<http::Response> revoke(const OfGrants& of) {
    const std::optional<oauth::Grant> grant = co_await grant_of(of);
    // The form was sent twice, or the grant ended in the meantime: the goal is
    // reached.
    if (!grant) co_return done(of, of.list, "revoked");
    const std::string detail = of.account ? "of contact " + std::to_string(grant->contact.value()) +
                                                ", by an owner of the account"
                                          : "in the settings";
    // Record after revoking: of several simultaneous requests, only the request
    // that ended the grant records an event.
    const bool ended = co_await parts_.grants.end(grant->id);
    if (ended) {
      const oauth::AuditEvent event{
          oauth::event_named<"revoked">(), of.contact.id, grant->account, grant->client.value(),
          of.request.remote_address,       detail};
      co_await parts_.audit.record(event);
    }
    co_return done(of, of.list, "revoked");
  }

  loop::Task<http::Response> show_all(const OfGrants& of) {
    SettingsPage page(parts_, of, "Connected applications", "connected.tpl");
    page.show_done();
    Values& body = page.body();
    const std::int64_t number = page_in(of.request.query);
    const oauth::GrantPage shown =
        co_await parts_.grants.grants_of(of.grants, (number - 1) * kGrantsPerPage, kGrantsPerPage);
    const std::int64_t last =
        std::max<std::int64_t>(1, (shown.total + kGrantsPerPage - 1) / kGrantsPerPage);
    if (of.account) {
      const std::string name = clipped(of.account->name, kMaxShownName);
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
    const Parties parties = co_await parties_of(shown.grants);
    for (const oauth::Grant& grant : shown.grants) {
      Values one = body.show_with("GRANT");
      one.set("REVOKE", of.list + "/" + grant.id.value());
      describe(one, of, grant, parties);
    }
    if (!shown.grants.empty()) body.show("LIST_END");
    if (last > 1 || number > 1) {
      Values pages = body.show_with("PAGES");
      pages.set("NUMBER", with_separators(number)).set("LAST", with_separators(last));
      if (number > 1)
        pages.show_with("NEWER").set("PATH", page_path(of.list, std::min(number - 1, last)));
      if (number < last) pages.show_with("OLDER").set("PATH", page_path(of.list, number + 1));
    }
    co_return page.answer();
  }

  loop::Task<std::optional<oauth::Grant>> grant_of(const OfGrants& of) {
    if (of.grant.size() != oauth::GrantId::kLength || !base::from_hex(of.grant))
      co_return std::nullopt;
    const oauth::GrantId id{std::string(of.grant)};
    co_return co_await parts_.grants.find_in(of.grants, id);
  }

  // Two round trips for any number of grants: clients first, then all accounts,
  // including those of the clients, and contacts.
  loop::Task<Parties> parties_of(const std::vector<oauth::Grant>& grants) {
    std::vector<oauth::ClientId> clients;
    std::vector<media::AccountId> accounts;
    std::vector<media::ContactId> contacts;
    for (const oauth::Grant& grant : grants) {
      add_once(clients, grant.client);
      add_once(accounts, grant.account);
      add_once(contacts, grant.contact);
    }
    Parties parties;
    parties.clients = co_await parts_.applications.find_all(clients);
    for (const oauth::Client& client : parties.clients) add_once(accounts, client.account);
    auto both =
        loop::all(parts_.people.find_accounts(accounts), parts_.people.find_contacts(contacts));
    auto found = co_await both;
    auto& [found_accounts, found_contacts] = found;
    parties.accounts = std::move(found_accounts);
    parties.contacts = std::move(found_contacts);
    co_return parties;
  }

  static void describe(Values& values, const OfGrants& of, const oauth::Grant& grant,
                       const Parties& parties) {
    const oauth::Client* client = find_in(parties.clients, grant.client);
    const media::Account* account = find_in(parties.accounts, grant.account);
    const media::Contact* contact = find_in(parties.contacts, grant.contact);
    // A client with a document lacks a record, and its document is not fetched for this.
    const bool has_document = oauth::is_document_url(grant.client.value());
    if (grant.is_unreadable) {
      values.set("CLIENT", kUnreadable).show("UNREADABLE");
      return;
    }
    values.show("READABLE")
        .set("CLIENT", client         ? clipped(client->name, kMaxShownName)
                       : has_document ? clipped(grant.client.value(), kMaxShownText)
                                      : "A deleted application")
        .set("ACCOUNT", account ? clipped(account->name, kMaxShownName) : "a deleted account");
    if (client) {
      values.show_with("HOSTED").set("HOST", oauth::redirect_host(client->redirect_uris.front()));
      if (const media::Account* developer = find_in(parties.accounts, client->account))
        values.show_with("DEVELOPED").set("DEVELOPER", clipped(developer->name, kMaxShownName));
    }
    if (of.account) {
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
      values.show_with("BARRED").set("WHY", why_not_in_effect(*barrier, !of.account));
    set_time(values, "SINCE", grant.created, of.now);
    set_time(values, "USED", grant.last_used, of.now);
    set_scopes(values, grant.scopes);
  }
};

}  // namespace

OwnedPage connected_page(const SettingsParts& parts) {
  return std::make_unique<ConnectedPage>(parts);
}

}  // namespace svc::pages
