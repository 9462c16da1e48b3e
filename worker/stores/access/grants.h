// Grants, and their codes and tokens. All keys of a grant are in one slot, and
// every change is one script or one command.
//
//  oauth:grant:{G}  generation = 7f…  refresh = mac of the only refresh token
//       ▲ same consent          ▲ same generation
//  oauth:code:{G}:m         oauth:access:{G} in each entry, oauth:refresh:{G}:m
//
// So deleting a grant ends its codes and tokens, and a new generation ends all
// its tokens. Those of a public application are in families: the grant has a field for each
// (stores/access/stored_family.h), and oauth:access:{G}:<family> has its access tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "oauth/limits.h"
#include "oauth/stores.h"
#include "redis/store.h"

namespace svc::stores {

namespace functions {
struct ReopenCode;
}

class Grants : public oauth::Grants {
 public:
  // `loop` runs what redeem() could not finish. nullptr, for svcctl, which redeems
  // nothing: that is not tried again.
  // It only reads `catalog`, which has the applications.
  Grants(redis::Store& state, redis::Store& catalog, const base::KeyRing& keys,
         const oauth::Limits& limits, const base::WallClock& clock, base::Entropy& entropy,
         loop::Loop* loop = nullptr);

  loop::Task<std::optional<oauth::AuthorizationCode>> find_code(const oauth::Token& code) override;
  loop::Task<oauth::Redemption> redeem(const oauth::Token& code,
                                       const oauth::AuthorizationCode& record,
                                       std::string_view request_id, oauth::Token& access,
                                       const oauth::Token& refresh) override;

  loop::Task<std::optional<oauth::Issued>> find_token(const oauth::Token& token) override;
  loop::Task<oauth::Rotation> rotate(const oauth::Token& refresh, const oauth::Issued& record,
                                     const oauth::Access& asked, oauth::Token& access) override;
  loop::Task<bool> refresh(const oauth::Token& refresh, const oauth::Issued& record,
                           const oauth::Access& asked, oauth::Token& access) override;
  loop::Task<> issue_own(oauth::Token& access, const oauth::Issued& issued) override;
  loop::Task<> revoke_tokens(const oauth::Token& token) override;

  loop::Task<> confirm(const oauth::Token& token) override;
  loop::Task<bool> end(const oauth::GrantId& grant) override;
  loop::Task<std::optional<oauth::Grant>> find_grant(const oauth::GrantId& id) override;
  loop::Task<oauth::CodeIssue> issue_code(const oauth::Token& code,
                                          const oauth::AuthorizationCode& record, bool consented,
                                          std::int64_t permission_version) override;
  loop::Task<bool> is_first(std::string_view secret) override;
  loop::Task<std::optional<oauth::Grant>> find_in(const oauth::GrantList& list,
                                                  const oauth::GrantId& id) override;
  loop::Task<std::int64_t> count_grants(const oauth::GrantList& list) override;
  loop::Task<oauth::GrantPage> grants_of(const oauth::GrantList& list, std::int64_t first,
                                         std::int64_t most) override;
  loop::Task<std::int64_t> end_some(const oauth::GrantList& list, std::int64_t most) override;

  // Whether no code waits to be opened again, after an exchange that failed.
  bool is_done() const { return !later_ || later_->is_empty(); }

 private:
  // Returns the macs under which the token may be stored, the newest key's
  // first.
  std::vector<std::string> macs_of(const oauth::Token& token) const;
  std::string random_name();
  loop::Task<bool> reopen(functions::ReopenCode run);
  loop::Task<> reopen_later(functions::ReopenCode run, std::int64_t until);
  bool is_allowed(const oauth::ClientId& client) const;
  loop::Task<std::optional<oauth::Issued>> find_refresh_token(const oauth::Token& token);
  loop::Task<std::optional<oauth::Issued>> find_family_token(const oauth::Token& token);
  loop::Task<> end_family(const oauth::Token& token);
  // Deletes an access token of an application that acts for itself.
  loop::Task<> end_own(const oauth::Token& token);
  loop::Task<std::optional<oauth::Issued>> find_access_token(const oauth::Token& token);
  loop::Task<std::uint64_t> add_access_token(const oauth::GrantId& grant, const std::string& lines);
  // As find_in(), without a look into the list for one that cannot be read.
  loop::Task<std::optional<oauth::Grant>> find_listed(oauth::GrantList list, oauth::GrantId id);
  // Whether there is an application with that id, or it is a client with a document.
  loop::Task<bool> is_registered(const oauth::ClientId& client);
  bool is_use_noted(const oauth::GrantId& grant) const;
  loop::Task<bool> note_use(const oauth::GrantId& grant, const oauth::Issued& issued,
                            std::int64_t before);
  void list(const oauth::GrantId& grant, const oauth::Issued& issued, std::int64_t now);

  redis::Store& store_;
  redis::Store& catalog_;
  const base::KeyRing& keys_;
  const oauth::Limits limits_;
  const std::int64_t keep_grant_;  // s after its last use; longer than any refresh token is idle
  const base::WallClock& clock_;
  base::Entropy& entropy_;
  std::unordered_map<std::string, std::int64_t> noted_;  // the last use, by grant
  loop::Loop* const loop_;
  std::size_t reopening_ = 0;         // tasks in later_
  std::optional<loop::Scope> later_;  // last: its tasks refer to the others
};

}  // namespace svc::stores
