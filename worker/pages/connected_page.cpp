#include "pages/connected_page.h"

#include "base/hex.h"
#include "oauth/redirect_uri.h"
#include "pages/people_words.h"
#include "pages/scope_words.h"

namespace svc::pages {

http::Response ConnectedPage::show(const SettingsTurn& turn) {
  if (turn.request.path == kPath) return list(turn);
  const auto grant = grant_of(turn);
  if (!grant) return nothing_here(turn, "connected application");
  SettingsPage page(parts_, turn, "Revoke access", "connected_revoke.tpl");
  page.set_form(page.body(), turn.request.path);
  page.body().set("BACK", kPath);
  describe(page.body(), *grant, turn.now);
  return page.answer();
}

http::Response ConnectedPage::take(const SettingsTurn& turn, const text::Form&) {
  if (turn.request.path == kPath) return only_by_form(turn);
  const auto grant = grant_of(turn);
  // Sent twice, or ended by the application's owner meanwhile: over, as was wished.
  if (!grant) return done(turn, std::string(kPath), "revoked");
  // Before it is so: what cannot be written down does not happen.
  parts_.audit.record({"revoked", turn.contact.id, grant->account, grant->client.text,
                       turn.request.remote_address, "in the settings"});
  parts_.grants.end(grant->id);
  return done(turn, std::string(kPath), "revoked");
}

http::Response ConnectedPage::list(const SettingsTurn& turn) {
  SettingsPage page(parts_, turn, "Connected applications", "connected.tpl");
  page.show_done();
  const auto grants = parts_.grants.grants_of(turn.contact.id);
  page.body().show(grants.empty() ? "EMPTY" : "FULL");
  for (const oauth::Grant& grant : grants) {
    Values one = page.body().show_with("GRANT");
    one.set("REVOKE", std::string(kFolder) + grant.id.text);
    describe(one, grant, turn.now);
  }
  return page.answer();
}

std::optional<oauth::Grant> ConnectedPage::grant_of(const SettingsTurn& turn) {
  const std::string_view name = turn.request.path.substr(kFolder.size());
  if (name.size() != oauth::GrantId::kLength || !base::from_hex(name)) return std::nullopt;
  auto grant = parts_.grants.find_grant({std::string(name)});
  if (!grant || grant->contact != turn.contact.id) return std::nullopt;
  return grant;
}

void ConnectedPage::describe(Values& values, const oauth::Grant& grant, std::int64_t now) {
  const auto client = parts_.applications.find(grant.client);
  const auto account = parts_.people.find_account(grant.account);
  values.set("CLIENT", client ? clipped(client->name, kMaxShownName) : "A deleted application")
      .set("ACCOUNT", account ? clipped(account->name, kMaxShownName) : "a deleted account");
  if (client) {
    values.show_with("HOSTED").set("HOST", oauth::redirect_host(client->redirect_uri));
    if (const auto developer = parts_.people.find_account(client->account))
      values.show_with("DEVELOPED").set("DEVELOPER", clipped(developer->name, kMaxShownName));
  }
  set_time(values, "SINCE", grant.created, now);
  set_time(values, "USED", grant.last_used, now);
  for (const std::string_view name : for_people(grant.scopes)) {
    const ScopeWords words = words_of(name);
    values.show_with("SCOPE").set("TITLE", words.title).set("TEXT", words.text);
  }
}

}  // namespace svc::pages
