// Grants, and the codes and tokens that belong to them. All of one grant lies in one slot, and
// every change is one script, or one command.
//
//   oauth:grant:{G}  generation = 7f…  refresh = the mac of the one refresh token
//        ▲ same consent          ▲ same generation
//   oauth:code:{G}:m          oauth:access:{G} in each entry, oauth:refresh:{G}:m
//
// So a grant that is deleted ends everything at once, and a new generation ends all tokens.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "oauth/stores.h"
#include "redis/connection.h"

namespace svc::redis {

class Grants : public oauth::Grants {
 public:
  Grants(Connection& connection, const base::KeyRing& keys, const oauth::Lifetimes& lifetimes,
         const base::WallClock& clock, base::Entropy& entropy);

  void expect_code(const oauth::Token& code) override;
  std::optional<oauth::AuthorizationCode> find_code(const oauth::Token& code) override;
  oauth::Redemption redeem(const oauth::Token& code, const oauth::AuthorizationCode& record,
                           std::string_view request_id, oauth::Token& access,
                           const oauth::Token& refresh) override;

  void start_redeem(const oauth::Token& code, std::string_view request_id,
                    const oauth::Token& access, const oauth::Token& refresh) override;
  void start_refresh(const oauth::Token& refresh, const oauth::Issued& record,
                     const oauth::ScopeSet& scopes, const oauth::Token& access) override;

  void expect_token(const oauth::Token& token) override;
  std::optional<oauth::Issued> find_token(const oauth::Token& token) override;
  bool refresh(const oauth::Token& refresh, const oauth::Issued& record,
               const oauth::ScopeSet& scopes, oauth::Token& access) override;
  void revoke_tokens(const oauth::Token& token) override;

  bool end(const oauth::GrantId& grant) override;
  std::optional<oauth::Grant> find_grant(const oauth::GrantId& id) override;
  oauth::CodeIssue issue_code(const oauth::Token& code, const oauth::AuthorizationCode& record,
                              bool consented, std::int64_t permission_version) override;
  bool is_first(std::string_view secret) override;
  std::int64_t count_grants(const oauth::GrantList& list) override;
  oauth::GrantPage grants_of(const oauth::GrantList& list, std::int64_t first,
                             std::int64_t most) override;
  std::int64_t end_some(const oauth::GrantList& list, std::int64_t most) override;

 private:
  // One run of a script, or one command: known by the access token that it keeps.
  struct Step {
    std::string access;
    const Script* script;  // nullptr: a command, all of whose words are arguments
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
    std::optional<Connection::Started> started;
  };

  void expect_kept(const oauth::Token& token);
  // Nothing when the code or token is not there.
  std::optional<Step> redeem_step(const oauth::Token& code, std::string_view request_id,
                                  const oauth::Token& access, const oauth::Token& refresh);
  // Plain: by a command, where one is enough. Renewing: by the script, in any case.
  enum class Refresh { Plain, Renewing };
  std::optional<Step> refresh_step(Refresh how, const oauth::Token& refresh,
                                   const oauth::Issued& record, const oauth::ScopeSet& scopes,
                                   const oauth::Token& access);
  void start(Step step);
  std::optional<Step> take(const oauth::Token& access);
  Reply finish(const Step& step);

  // The macs under which that token may be kept, the newest key's first.
  std::vector<std::string> macs_of(const oauth::Token& token) const;
  std::string random_name();
  // Runs the script once for each of these, all in one round trip, or two where Redis did not know
  // it. Returns the replies in the same order.
  struct Run {
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
  };
  std::vector<Reply> run_all(const Script& script, const std::vector<Run>& runs);
  void send_find(const oauth::GrantId& id);
  std::optional<oauth::Grant> receive_found(const oauth::GrantId& id);
  bool is_ending(const oauth::ClientId& client);
  bool note_use(const oauth::Token& access, const oauth::Issued& issued);
  void list(const oauth::GrantId& grant, const oauth::Issued& issued, std::int64_t now);

  Connection& connection_;
  const base::KeyRing& keys_;
  const oauth::Lifetimes lifetimes_;
  const std::int64_t keep_grant_;  // seconds after its last use; a refresh token lives as long
  const base::WallClock& clock_;
  base::Entropy& entropy_;
  std::vector<Step> steps_;  // begun and not finished
};

}  // namespace svc::redis
