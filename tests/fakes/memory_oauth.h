// MemoryClients, MemoryApplications, MemoryGrants: the stores of authorization,
// filled by the test.
//
// MemoryGrants stores grants and codes, which authorization uses. It stores no
// tokens: see MemoryTokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/unavailable.h"
#include "fakes/tasks.h"
#include "oauth/stores.h"

namespace svc::fakes {

class MemoryClients : public oauth::Clients {
 public:
  void add(oauth::Client client) { clients_[client.id.text] = std::move(client); }
  oauth::Client& at(const std::string& id) { return clients_.at(id); }

  bool away = false;
  int asked = 0;

  loop::Task<std::optional<oauth::Client>> find_client(const oauth::ClientId& id) override {
    ++asked;
    if (away) throw base::Unavailable("the clients are away");
    const auto found = clients_.find(id.text);
    if (found == clients_.end()) co_return std::nullopt;
    co_return found->second;
  }

 private:
  std::map<std::string, oauth::Client> clients_;
};

class MemoryApplications : public oauth::Applications {
 public:
  std::map<std::string, oauth::Client> clients;  // by id
  std::vector<std::string> unreadable;           // ids of records that cannot be read
  std::vector<Ending> list;                      // applications that are ending
  // Runs once, before the next add(), change() or remove(), like another
  // writer.
  std::function<void()> meanwhile;

  void put(oauth::Client client) { clients[client.id.text] = std::move(client); }

  loop::Task<std::optional<oauth::Client>> find(const oauth::ClientId& id) override {
    const auto found = clients.find(id.text);
    if (found == clients.end()) co_return std::nullopt;
    co_return found->second;
  }
  loop::Task<std::vector<oauth::Client>> find_all(
      const std::vector<oauth::ClientId>& ids) override {
    std::vector<oauth::Client> found;
    for (const oauth::ClientId& id : ids) {
      if (clients.contains(id.text)) found.push_back(clients.at(id.text));
    }
    co_return found;
  }
  loop::Task<std::vector<oauth::Client>> of(media::AccountId account) override {
    std::vector<oauth::Client> found;
    for (const auto& [id, client] : clients) {
      if (client.account == account) found.push_back(client);
    }
    co_return found;
  }
  loop::Task<bool> is_stored(const oauth::ClientId& id) override {
    co_return clients.contains(id.text) || std::ranges::count(unreadable, id.text) > 0;
  }
  loop::Task<bool> add(const oauth::Client& client) override {
    another_writer();
    co_return clients.emplace(client.id.text, client).second;
  }
  loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>> change(
      const oauth::ClientId& id, const Change& change) override {
    another_writer();
    const auto found = clients.find(id.text);
    if (found == clients.end()) co_return base::Refusal{oauth::ApplicationRefusal::NotFound};
    auto changed = change(found->second);
    if (changed) found->second = *changed;
    co_return changed;
  }
  loop::Task<bool> remove(const oauth::ClientId& id, std::int64_t now) override {
    another_writer();
    if (clients.erase(id.text) + std::erase(unreadable, id.text) == 0) co_return false;
    list.push_back({.id = id, .since = now});
    co_return true;
  }
  loop::Task<std::vector<Ending>> ending() override { co_return list; }
  loop::Task<bool> is_ending(const oauth::ClientId& id) override {
    co_return std::ranges::find(list, id, &Ending::id) != list.end();
  }
  loop::Task<> has_ended(const oauth::ClientId& id) override {
    std::erase_if(list, [&](const Ending& one) { return one.id == id; });
    co_return;
  }

 private:
  void another_writer() {
    if (meanwhile) std::exchange(meanwhile, nullptr)();
  }
};

class MemoryGrants : public oauth::Grants {
 public:
  std::map<std::string, oauth::Grant> grants;             // by id
  std::map<std::string, oauth::AuthorizationCode> codes;  // by text
  std::vector<std::string> spent;                         // texts of codes
  std::vector<std::string> confirmed;                     // texts of tokens
  bool away = false;
  bool change_under_way = false;  // the next issue_code() without consent returns Changed

  loop::Task<std::optional<oauth::AuthorizationCode>> find_code(const oauth::Token& code) override {
    const auto found = codes.find(code.text);
    if (found == codes.end()) co_return std::nullopt;
    co_return found->second;
  }
  loop::Task<std::optional<oauth::Grant>> find_grant(const oauth::GrantId& id) override {
    if (away) throw base::Unavailable("the grants are away");
    const auto found = grants.find(id.text);
    if (found == grants.end()) co_return std::nullopt;
    co_return found->second;
  }
  loop::Task<oauth::CodeIssue> issue_code(const oauth::Token& code,
                                          const oauth::AuthorizationCode& record, bool consented,
                                          std::int64_t permission_version) override {
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
      const auto before = grants.find(code.grant.text);
      if (before != grants.end() && before->second.scopes.covers(issued.scopes) &&
          before->second.permission_version == permission_version) {
        codes[code.text] = record;
        co_return oauth::CodeIssue::IssuedUnchanged;
      }
      const std::string consent = "consent-" + std::to_string(++consents_);
      grants[code.grant.text] = {code.grant,    issued.contact, issued.account,
                                 issued.client, issued.scopes,  permission_version,
                                 consent,       issued.issued,  issued.issued};
    } else if (!grants.contains(code.grant.text) ||
               grants[code.grant.text].consent != record.consent) {
      co_return oauth::CodeIssue::Changed;
    }
    codes[code.text] = record;
    co_return oauth::CodeIssue::Issued;
  }

  loop::Task<oauth::Redemption> redeem(const oauth::Token&, const oauth::AuthorizationCode&,
                                       std::string_view, oauth::Token&,
                                       const oauth::Token&) override {
    co_return oauth::Redemption::Gone;
  }
  loop::Task<std::optional<oauth::Issued>> find_token(const oauth::Token&) override {
    co_return std::nullopt;
  }
  loop::Task<bool> refresh(const oauth::Token&, const oauth::Issued&, const oauth::ScopeSet&,
                           oauth::Token&) override {
    co_return false;
  }
  loop::Task<> revoke_tokens(const oauth::Token&) override { co_return; }
  loop::Task<> confirm(const oauth::Token& token) override {
    confirmed.push_back(token.text);
    co_return;
  }
  loop::Task<bool> end(const oauth::GrantId& grant) override {
    co_return grants.erase(grant.text) > 0;
  }
  loop::Task<bool> is_first(std::string_view) override { co_return true; }
  loop::Task<std::int64_t> count_grants(const oauth::GrantList& list) override {
    co_return static_cast<std::int64_t>(those(list).size());
  }
  loop::Task<oauth::GrantPage> grants_of(const oauth::GrantList& list, std::int64_t first,
                                         std::int64_t most) override {
    const auto all = those(list);
    const auto size = static_cast<std::int64_t>(all.size());
    oauth::GrantPage page{size, {}};
    for (std::int64_t i = first; i < std::min(size, first + most); ++i)
      page.grants.push_back(all[static_cast<std::size_t>(i)]);
    co_return page;
  }
  loop::Task<std::int64_t> end_some(const oauth::GrantList& list, std::int64_t most) override {
    const oauth::GrantPage some = co_await grants_of(list, 0, most);
    for (const oauth::Grant& grant : some.grants) grants.erase(grant.id.text);
    co_return static_cast<std::int64_t>(some.grants.size());
  }

 private:
  std::vector<oauth::Grant> those(const oauth::GrantList& list) const {
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

  int consents_ = 0;
};

}  // namespace svc::fakes
