#include "fakes/memory_oauth.h"

namespace svc::fakes {

void MemoryClients::add(oauth::Client client) { clients_[client.id.value()] = std::move(client); }

oauth::Client& MemoryClients::at(const std::string& id) { return clients_.at(id); }

loop::Task<std::optional<oauth::Client>> MemoryClients::find_client(const oauth::ClientId& id) {
  ++asked;
  if (away) throw base::Unavailable("the clients are away");
  const auto found = clients_.find(id.value());
  if (found == clients_.end()) co_return std::nullopt;
  co_return found->second;
}

void MemoryApplications::put(oauth::Client client) {
  clients[client.id.value()] = std::move(client);
}

loop::Task<std::optional<oauth::Client>> MemoryApplications::find(const oauth::ClientId& id) {
  const auto found = clients.find(id.value());
  if (found == clients.end()) co_return std::nullopt;
  co_return found->second;
}

loop::Task<std::vector<oauth::Client>> MemoryApplications::find_all(
    const std::vector<oauth::ClientId>& ids) {
  std::vector<oauth::Client> found;
  for (const oauth::ClientId& id : ids) {
    if (clients.contains(id.value())) found.push_back(clients.at(id.value()));
  }
  co_return found;
}

loop::Task<std::vector<oauth::Client>> MemoryApplications::of(media::AccountId account) {
  std::vector<oauth::Client> found;
  for (const auto& [id, client] : clients) {
    if (client.account == account) found.push_back(client);
  }
  co_return found;
}

loop::Task<bool> MemoryApplications::is_stored(const oauth::ClientId& id) {
  co_return clients.contains(id.value()) || std::ranges::count(unreadable, id.value()) > 0;
}

loop::Task<std::optional<oauth::ApplicationRefusal>> MemoryApplications::add(
    const oauth::Client& client, std::int64_t most) {
  another_writer();
  const auto is_of_account = [&](const auto& one) { return one.second.account == client.account; };
  if (std::ranges::count_if(clients, is_of_account) >= most)
    co_return oauth::ApplicationRefusal::TooManyApplications;
  if (clients.emplace(client.id.value(), client).second) co_return std::nullopt;
  co_return oauth::ApplicationRefusal::IdTaken;
}

loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>> MemoryApplications::change(
    const oauth::ClientId& id, const Change& change) {
  another_writer();
  const auto found = clients.find(id.value());
  if (found == clients.end()) co_return base::Refusal{oauth::ApplicationRefusal::NotFound};
  auto changed = change(found->second);
  if (changed) found->second = *changed;
  co_return changed;
}

loop::Task<bool> MemoryApplications::remove(const oauth::ClientId& id, std::int64_t now) {
  another_writer();
  if (clients.erase(id.value()) + std::erase(unreadable, id.value()) == 0) co_return false;
  list.push_back({.id = id, .since = now});
  co_return true;
}

loop::Task<std::vector<oauth::Applications::Ending>> MemoryApplications::ending() {
  co_return list;
}

loop::Task<bool> MemoryApplications::is_ending(const oauth::ClientId& id) {
  co_return std::ranges::find(list, id, &Ending::id) != list.end();
}

loop::Task<> MemoryApplications::has_ended(const oauth::ClientId& id) {
  std::erase_if(list, [&](const Ending& one) { return one.id == id; });
  co_return;
}

void MemoryApplications::another_writer() {
  if (meanwhile) std::exchange(meanwhile, nullptr)();
}

loop::Task<std::optional<oauth::AuthorizationCode>> MemoryGrants::find_code(
    const oauth::Token& code) {
  const auto found = codes.find(code.text);
  if (found == codes.end()) co_return std::nullopt;
  co_return found->second;
}

loop::Task<std::optional<oauth::Grant>> MemoryGrants::find_grant(const oauth::GrantId& id) {
  if (away) throw base::Unavailable("the grants are away");
  const auto found = grants.find(id.value());
  if (found == grants.end()) co_return std::nullopt;
  co_return found->second;
}

loop::Task<oauth::CodeIssue> MemoryGrants::issue_code(const oauth::Token& code,
                                                      const oauth::AuthorizationCode& record,
                                                      bool consented,
                                                      std::int64_t permission_version) {
  if (away) throw base::Unavailable("the grants are away");
  for (const std::string& text : spent) {
    if (text == code.text) co_return oauth::CodeIssue::Spent;
  }
  if (codes.contains(code.text)) co_return oauth::CodeIssue::IssuedBefore;
  if (!consented && change_under_way) {
    change_under_way = false;
    co_return oauth::CodeIssue::Changed;
  }
  if (consented) {
    const oauth::Issued& issued = record.issued;
    const auto before = grants.find(code.grant.value());
    if (before != grants.end() && before->second.scopes.covers(issued.scopes) &&
        before->second.permission_version == permission_version) {
      codes[code.text] = record;
      co_return oauth::CodeIssue::IssuedUnchanged;
    }
    const std::string consent = "consent-" + std::to_string(++consents_);
    grants[code.grant.value()] = {code.grant,    issued.contact, issued.account,
                                  issued.client, issued.scopes,  permission_version,
                                  consent,       issued.issued,  issued.issued};
  } else if (!grants.contains(code.grant.value()) ||
             grants[code.grant.value()].consent != record.consent) {
    co_return oauth::CodeIssue::Changed;
  }
  codes[code.text] = record;
  co_return oauth::CodeIssue::Issued;
}

loop::Task<oauth::Redemption> MemoryGrants::redeem(const oauth::Token&,
                                                   const oauth::AuthorizationCode&,
                                                   std::string_view, oauth::Token&,
                                                   const oauth::Token&) {
  co_return oauth::Redemption::Gone;
}

loop::Task<std::optional<oauth::Issued>> MemoryGrants::find_token(const oauth::Token&) {
  co_return std::nullopt;
}

loop::Task<bool> MemoryGrants::refresh(const oauth::Token&, const oauth::Issued&,
                                       const oauth::ScopeSet&, oauth::Token&) {
  co_return false;
}

loop::Task<> MemoryGrants::revoke_tokens(const oauth::Token&) { co_return; }

loop::Task<> MemoryGrants::confirm(const oauth::Token& token) {
  confirmed.push_back(token.text);
  co_return;
}

loop::Task<bool> MemoryGrants::end(const oauth::GrantId& grant) {
  co_return grants.erase(grant.value()) > 0;
}

loop::Task<bool> MemoryGrants::is_first(std::string_view) { co_return true; }

loop::Task<std::int64_t> MemoryGrants::count_grants(const oauth::GrantList& list) {
  co_return static_cast<std::int64_t>(those(list).size());
}

loop::Task<oauth::GrantPage> MemoryGrants::grants_of(const oauth::GrantList& list,
                                                     std::int64_t first, std::int64_t most) {
  const auto all = those(list);
  const auto size = static_cast<std::int64_t>(all.size());
  oauth::GrantPage page{size, {}};
  for (std::int64_t i = first; i < std::min(size, first + most); ++i)
    page.grants.push_back(all[static_cast<std::size_t>(i)]);
  co_return page;
}

loop::Task<std::int64_t> MemoryGrants::end_some(const oauth::GrantList& list, std::int64_t most) {
  const oauth::GrantPage some = co_await grants_of(list, 0, most);
  for (const oauth::Grant& grant : some.grants) grants.erase(grant.id.value());
  co_return static_cast<std::int64_t>(some.grants.size());
}

std::vector<oauth::Grant> MemoryGrants::those(const oauth::GrantList& list) const {
  std::vector<oauth::Grant> found;
  for (const auto& [id, grant] : grants) {
    const bool wanted = std::holds_alternative<media::ContactId>(list)
                            ? grant.contact == std::get<media::ContactId>(list)
                        : std::holds_alternative<oauth::ClientId>(list)
                            ? grant.client == std::get<oauth::ClientId>(list)
                            : grant.account == std::get<media::AccountId>(list);
    if (wanted) found.push_back(grant);
  }
  return found;
}

}  // namespace svc::fakes
