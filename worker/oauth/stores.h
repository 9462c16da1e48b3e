// stores: what the decisions of this folder need kept. Implemented in redis/.
//
// All of them throw base::Unavailable when the store cannot say. What is given to them by reference
// outlives the task.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "loop/task.h"
#include "media/id.h"
#include "oauth/audit_event.h"
#include "oauth/client.h"
#include "oauth/consent.h"
#include "oauth/grant.h"
#include "oauth/scope_set.h"
#include "oauth/token.h"

namespace svc::oauth {

// How long things live, in seconds; 0 for refresh_idle: for ever.
struct Lifetimes {
  std::int64_t code = 60;
  std::int64_t access = 21'600;
  std::int64_t refresh_idle = 60 * 86'400;
  std::int64_t live_access_tokens = 100;  // of one grant, a number
};

class Clients {
 public:
  virtual ~Clients() = default;
  virtual loop::Task<std::optional<Client>> find_client(const ClientId& id) = 0;
};

// How often somebody at an address (base::address_group) gave a wrong secret of a client within the
// last minute.
class SecretGuesses {
 public:
  virtual ~SecretGuesses() = default;
  virtual loop::Task<std::int64_t> guesses(const ClientId& id, std::string_view address) = 0;
  // Returns how often it was, this one included.
  virtual loop::Task<std::int64_t> count_guess(const ClientId& id, std::string_view address) = 0;
};

// What contacts are to accounts now: read each time, since a token is worth what its contact is
// worth at that moment. oauth.md B3
class Standings {
 public:
  virtual ~Standings() = default;
  virtual loop::Task<Standing> find_standing(const Holder& holder) = 0;
};

// How the store keeps a code or refresh token that it has found, so that it does not look again to
// redeem or refresh it. Only the store reads this.
struct KeptAs {
  std::string mac;                // under which it is kept
  std::string generation;         // of its grant
  std::int64_t access_until = 0;  // up to when the grant's access tokens are kept
};

// What a token stands for, as it is kept: who may use it, for whom, to do what.
struct Issued {
  ClientId client;
  media::ContactId contact;
  media::AccountId account;
  ScopeSet scopes;
  std::int64_t issued = 0;   // seconds since 1970
  std::int64_t expires = 0;  // the same; 0: never
  KeptAs kept{};

  Holder holder() const { return {contact, account}; }
};

// What an authorization code was issued for. RFC 6749 §4.1.3, RFC 7636 §4.4.
struct AuthorizationCode {
  Issued issued;
  std::string redirect_uri;    // as asked for, its extra parameters included
  std::string code_challenge;  // S256; empty: none
  std::string consent;         // of the Grant
  bool spent = false;
};

// Redeemed: the tokens are kept, the code is spent. AlreadyUsed: the code was spent by another
// request, and now everything that came from it is revoked, the grant with its consent as well.
// Gone: the code or its grant ended in the meantime.
enum class Redemption { Redeemed, AlreadyUsed, Gone };

// Issued: the code can be handed out. IssuedUnchanged: the same, and what the contact has just
// allowed was allowed before, so the grant is as it was. IssuedBefore: the same, to the same
// question, and it is not spent yet. Spent: it was issued before and is spent. Changed: the grant
// is not what the caller saw any more; ask again.
enum class CodeIssue { Issued, IssuedUnchanged, IssuedBefore, Spent, Changed };

// The grants of one contact, client or account.
using GrantList = std::variant<media::ContactId, ClientId, media::AccountId>;

struct GrantPage {
  std::int64_t total = 0;  // of the whole list; the store counts it, so it may be a few too many
  std::vector<Grant> grants;
};

class Grants {
 public:
  virtual ~Grants() = default;

  // A code that is spent is found as well, for ten minutes, so that a second use is recognised.
  virtual loop::Task<std::optional<AuthorizationCode>> find_code(const Token& code) = 0;

  // One atomic step. `request_id` names the request, so that the same one sent again by nginx is
  // no second use: it replaces the tokens that nobody received. `access` is given its place.
  // `record` is what find_code() returned.
  virtual loop::Task<Redemption> redeem(const Token& code, const AuthorizationCode& record,
                                        std::string_view request_id, Token& access,
                                        const Token& refresh) = 0;

  // A refresh or access token that is alive: not expired, not replaced, not revoked. An access
  // token's grant was used by that; its application is looked for when it was not for a minute.
  // None is alive of an application that is ending.
  virtual loop::Task<std::optional<Issued>> find_token(const Token& token) = 0;

  // Keeps a new access token of that refresh token, in one atomic step, and gives it its place;
  // false when the refresh token is not alive any more. `record` is what find_token() returned.
  virtual loop::Task<bool> refresh(const Token& refresh, const Issued& record,
                                   const ScopeSet& scopes, Token& access) = 0;

  // Revokes all tokens of the grant of that token, while it is alive; consent stays. RFC 7009 §2.1.
  virtual loop::Task<> revoke_tokens(const Token& token) = 0;

  // Ends the grant, its consent and everything issued from it. False when there was none.
  virtual loop::Task<bool> end(const GrantId& grant) = 0;

  virtual loop::Task<std::optional<Grant>> find_grant(const GrantId& id) = 0;

  // Keeps an authorization code. With `consented`, the contact has just allowed
  // record.issued.scopes at the client's `permission_version`, and the grant is made or widened;
  // without it, the grant must still be the one of record.consent.
  virtual loop::Task<CodeIssue> issue_code(const Token& code, const AuthorizationCode& record,
                                           bool consented, std::int64_t permission_version) = 0;

  // True the first time within ten minutes that somebody asks about that secret.
  virtual loop::Task<bool> is_first(std::string_view secret) = 0;

  // Lists of grants may lag: what they name is looked up before it counts, and is taken out if it
  // is not there. However long a list is, each of these costs a bounded number of round trips.
  virtual loop::Task<std::int64_t> count_grants(const GrantList& list) = 0;
  // The last used first, of the places from `first` on, `most` at most.
  virtual loop::Task<GrantPage> grants_of(const GrantList& list, std::int64_t first,
                                          std::int64_t most) = 0;
  // Ends up to `most` grants of the list, as end() does, and takes them out of it. Returns how many
  // it took out; 0 if the list is empty.
  virtual loop::Task<std::int64_t> end_some(const GrantList& list, std::int64_t most) = 0;
};

// Finds every grant of an application, also those that no list names, by reading the whole store.
// Only svcctl has one.
class GrantSearch {
 public:
  virtual ~GrantSearch() = default;
  virtual loop::Task<std::vector<GrantId>> grants_of(const ClientId& id) = 0;
};

// Why an application was not registered or changed. Problems of settings: problems_of().
// TwoLiveSecrets and OneLiveSecret: another secret was requested, or the end of the older one.
// Overtaken: another writer changed it after the caller read it.
enum class ApplicationRefusal {
  InvalidSettings,
  OauthDisabled,
  TooManyApplications,
  IdTaken,
  NotFound,
  Overtaken,
  TwoLiveSecrets,
  OneLiveSecret
};

// The records of applications, for the code that manages them.
class Applications {
 public:
  virtual ~Applications() = default;

  // Returns the current record, not a cached one.
  virtual loop::Task<std::optional<Client>> find(const ClientId& id) = 0;
  // Returns those that exist and can be read, in one round trip.
  virtual loop::Task<std::vector<Client>> find_all(const std::vector<ClientId>& ids) = 0;
  // Returns those of one account that can be read, in no order.
  virtual loop::Task<std::vector<Client>> of(media::AccountId account) = 0;
  // Returns true if there is a record, readable or not.
  virtual loop::Task<bool> is_stored(const ClientId& id) = 0;
  // Returns false if there is an application with that id.
  virtual loop::Task<bool> add(const Client& client) = 0;

  // Stores what `change` returns for the current record, and calls it again if another writer
  // interferes. Refuses with NotFound, or with the refusal of `change`.
  using Change = std::function<base::Result<Client, ApplicationRefusal>(Client)>;
  virtual loop::Task<base::Result<Client, ApplicationRefusal>> change(const ClientId& id,
                                                                      const Change& change) = 0;

  // Notes first that the application is ending, then deletes the record: from the note on, its
  // client and its access tokens are refused. Returns false if there was no record.
  virtual loop::Task<bool> remove(const ClientId& id, std::int64_t now) = 0;

  // Those that are ending. Makes sure that their records are deleted, also if their removal was
  // interrupted. Leaves the record of an application that was restored since.
  struct Ending {
    ClientId id;
    std::int64_t since;     // seconds since 1970
    bool restored = false;  // only the grants of the former application end
  };
  virtual loop::Task<std::vector<Ending>> ending() = 0;
  virtual loop::Task<bool> is_ending(const ClientId& id) = 0;
  // The application has no grants any more.
  virtual loop::Task<> has_ended(const ClientId& id) = 0;
};

// Who did what, for `svcctl audit`.
class Audit {
 public:
  virtual ~Audit() = default;
  virtual loop::Task<> record(const AuditEvent& event) = 0;
};

}  // namespace svc::oauth
