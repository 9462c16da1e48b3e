#include "stores/access/standings.h"

#include <algorithm>
#include <utility>

#include "media/account.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "text/json_record.h"

namespace svc::stores {
namespace {

constexpr std::size_t kMostKnownStandings = 2048;  // about 0.5 KB each

}  // namespace

template <class Take>
Standings::Known& Standings::read(const std::string& key, std::string_view text, Take take) {
  const auto found = known_.find(key);
  if (found != known_.end() && found->second.record == text) return found->second;
  const auto value = document_.parse(text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  Known known;
  take(record, known);
  known.record = text;
  if (known_.size() >= kMostKnownStandings) known_.clear();
  return known_.insert_or_assign(key, std::move(known)).first->second;
}

loop::Task<oauth::Standing> Standings::find_standing(const oauth::Holder& holder) {
  oauth::Standing standing;
  const std::string contact = keys::contact(holder.contact);
  const std::string account = keys::account(holder.account);
  redis::Store::Call get_contact = store_.get(contact);
  redis::Store::Call get_account = store_.get(account);
  const redis::Reply of_contact = co_await get_contact;
  if (const auto text = of_contact.text()) {
    const Known& known = read(contact, *text, [&](text::JsonRecord& record, Known& fresh) {
      media::Contact read = must_read(contact, media::contact_from_record(record));
      fresh.memberships = std::move(read.memberships);
      fresh.disabled = read.disabled;
    });
    const auto membership =
        std::ranges::find(known.memberships, holder.account, &media::Membership::account);
    if (membership != known.memberships.end()) standing.role = membership->role;
    standing.disabled = known.disabled;
  }
  const redis::Reply of_account = co_await get_account;
  take_account(account, of_account, standing);
  co_return standing;
}

loop::Task<oauth::Standing> Standings::find_own_standing(const oauth::ClientId& client,
                                                         media::AccountId account,
                                                         const oauth::ScopeSet& scopes) {
  oauth::Standing standing;
  const std::string client_key = keys::client(client);
  const std::string account_key = keys::account(account);
  redis::Store::Call get_client = store_.get(client_key);
  redis::Store::Call get_account = store_.get(account_key);
  const redis::Reply of_client = co_await get_client;
  if (const auto text = of_client.text()) {
    const Known& known = read(client_key, *text, [&](text::JsonRecord& record, Known& fresh) {
      const oauth::Client read = must_read(client_key, oauth::client_from_record(record));
      fresh.owner = read.account;
      fresh.own_scopes = read.client_credentials;
    });
    standing.acts_for_itself = known.owner == account && known.own_scopes.covers(scopes);
  }
  const redis::Reply of_account = co_await get_account;
  take_account(account_key, of_account, standing);
  co_return standing;
}

void Standings::take_account(const std::string& key, const redis::Reply& account,
                             oauth::Standing& standing) {
  const auto text = account.text();
  if (!text) return;
  const Known& known = read(key, *text, [&](text::JsonRecord& record, Known& fresh) {
    const media::Account stored = must_read(key, media::account_from_record(record));
    fresh.oauth_enabled = stored.oauth_enabled;
    fresh.restricts_sites = !stored.site_rule().is_everywhere();
  });
  standing.oauth_enabled = known.oauth_enabled;
  standing.restricts_sites = known.restricts_sites;
}

}  // namespace svc::stores
