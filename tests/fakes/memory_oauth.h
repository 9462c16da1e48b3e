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
  void add(oauth::Client client);
  oauth::Client& at(const std::string& id);

  bool away = false;
  int asked = 0;

  loop::Task<std::optional<oauth::Client>> find_client(const oauth::ClientId& id) override;

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

  void put(oauth::Client client);

  loop::Task<std::optional<oauth::Client>> find(const oauth::ClientId& id) override;
  loop::Task<std::vector<oauth::Client>> find_all(const std::vector<oauth::ClientId>& ids) override;
  loop::Task<std::vector<oauth::Client>> of(media::AccountId account) override;
  loop::Task<bool> is_stored(const oauth::ClientId& id) override;
  loop::Task<std::optional<oauth::ApplicationRefusal>> add(const oauth::Client& client,
                                                           std::int64_t most) override;
  loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>> change(
      const oauth::ClientId& id, const Change& change) override;
  loop::Task<bool> remove(const oauth::ClientId& id, std::int64_t now) override;
  loop::Task<std::vector<Ending>> ending() override;
  loop::Task<bool> is_ending(const oauth::ClientId& id) override;
  loop::Task<> has_ended(const oauth::ClientId& id) override;

 private:
  void another_writer();
};

class MemoryGrants : public oauth::Grants {
 public:
  std::map<std::string, oauth::Grant> grants;             // by id
  std::map<std::string, oauth::AuthorizationCode> codes;  // by text
  std::vector<std::string> spent;                         // texts of codes
  std::vector<std::string> confirmed;                     // texts of tokens
  bool away = false;
  bool change_under_way = false;  // the next issue_code() without consent returns Changed

  loop::Task<std::optional<oauth::AuthorizationCode>> find_code(const oauth::Token& code) override;
  loop::Task<std::optional<oauth::Grant>> find_grant(const oauth::GrantId& id) override;
  loop::Task<oauth::CodeIssue> issue_code(const oauth::Token& code,
                                          const oauth::AuthorizationCode& record, bool consented,
                                          std::int64_t permission_version) override;

  loop::Task<oauth::Redemption> redeem(const oauth::Token&, const oauth::AuthorizationCode&,
                                       std::string_view, oauth::Token&,
                                       const oauth::Token&) override;
  loop::Task<std::optional<oauth::Issued>> find_token(const oauth::Token&) override;
  loop::Task<bool> refresh(const oauth::Token&, const oauth::Issued&, const oauth::ScopeSet&,
                           oauth::Token&) override;
  loop::Task<> revoke_tokens(const oauth::Token&) override;
  loop::Task<> confirm(const oauth::Token& token) override;
  loop::Task<bool> end(const oauth::GrantId& grant) override;
  loop::Task<bool> is_first(std::string_view) override;
  loop::Task<std::int64_t> count_grants(const oauth::GrantList& list) override;
  loop::Task<oauth::GrantPage> grants_of(const oauth::GrantList& list, std::int64_t first,
                                         std::int64_t most) override;
  loop::Task<std::int64_t> end_some(const oauth::GrantList& list, std::int64_t most) override;

 private:
  std::vector<oauth::Grant> those(const oauth::GrantList& list) const;

  int consents_ = 0;
};

}  // namespace svc::fakes
