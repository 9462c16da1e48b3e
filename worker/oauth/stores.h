// stores: the interfaces to stored data that this folder needs. Implemented in
// redis/.
//
// All functions throw base::Unavailable if the store does not reply. Arguments
// that are references outlive the task.
#pragma once

#include <chrono>
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
#include "oauth/document_client.h"
#include "oauth/grant.h"
#include "oauth/resource.h"
#include "oauth/scope_set.h"
#include "oauth/token.h"

namespace svc::oauth {

struct Limits;  // oauth/limits.h

class Clients {
 public:
  virtual ~Clients() = default;
  virtual loop::Task<std::optional<Client>> find_client(const ClientId& id) = 0;
};

// All public applications, for what pages of other origins and metadata depend on. oauth-P7
class PublicApplications {
 public:
  virtual ~PublicApplications() = default;
  // Returns true if there is a public application.
  virtual loop::Task<bool> exist() = 0;
  // Returns true if is_origin_of() for a redirect URI of one.
  virtual loop::Task<bool> have_origin(std::string_view origin) = 0;
};

// The applications that operators marked as resource servers. oauth-R3
class ResourceServers {
 public:
  virtual ~ResourceServers() = default;
  // Returns a resource as its server registered it; nullopt if none did.
  virtual loop::Task<std::optional<std::string>> find_resource(std::string resource) = 0;
};

// The documents of clients without a record (oauth/document_client.h).
class ClientDocuments {
 public:
  virtual ~ClientDocuments() = default;

  struct TooMany {
    std::int64_t retry_after;  // seconds
  };
  struct NoAnswer {};  // within kWaitForDocument
  // A refusal is a text for developers. The document was fetched after the call, is fresh, or was
  // fetched some seconds before, if it is fetched often.
  using Found = std::variant<DocumentClient, std::string, TooMany, NoAnswer>;

  // Who asks for a document: the user, and the address of the browser.
  struct Asker {
    media::ContactId contact;
    std::string address;
  };

  // `url` has passed why_not_document_url().
  virtual loop::Task<Found> find(std::string url, Asker asker) = 0;
};

// Longer than a fetch may take.
inline constexpr std::chrono::seconds kWaitForDocument{6};

// Begins with the first wrong secret.
inline constexpr std::chrono::seconds kGuessWindow{60};

// A public client may repeat a refresh for that long, RFC 9700 §4.14.2: it may have lost the
// response. Seconds.
inline constexpr std::int64_t kRepeatsRefresh = 60;

// Counts wrong secrets per client and address group (base::address_group)
// within kGuessWindow.
class SecretGuesses {
 public:
  virtual ~SecretGuesses() = default;
  virtual loop::Task<std::int64_t> guesses(const ClientId& id, std::string_view address) = 0;
  // Returns the count, which includes this guess.
  virtual loop::Task<std::int64_t> count_guess(const ClientId& id, std::string_view address) = 0;
};

// The present relation of contacts to accounts. Read at every use, because a
// token may do no more than its contact may at that moment. oauth-B3
class Standings {
 public:
  virtual ~Standings() = default;
  virtual loop::Task<Standing> find_standing(const Holder& holder) = 0;
  // The standing of an application that acts for itself, with these scopes, for its account.
  // oauth-C1
  virtual loop::Task<Standing> find_own_standing(const ClientId& client, media::AccountId account,
                                                 const ScopeSet& scopes) = 0;
};

// How the store has stored a code or refresh token that it found, so that
// redeem() and refresh() need not read it again. Only for the store.
struct StorageState {
  std::string mac;                // under which it is stored
  std::string generation;         // its grant's
  std::int64_t access_until = 0;  // when the grant's access tokens are deleted
  // A family's record, if no other of its grant was used since; otherwise empty.
  std::string family{};
};

// The subject of a token: client, contact (0 if the client acts for itself), account and scopes.
struct Issued {
  ClientId client;
  media::ContactId contact;
  media::AccountId account;
  ScopeSet scopes;
  std::int64_t issued = 0;   // seconds since 1970
  std::int64_t expires = 0;  // the same; 0: never
  // Of a refresh token that the family's key has proved.
  std::optional<TokenFamily> family{};
  // It was presented before.
  bool used = false;
  Resources resources{};
  StorageState storage{};
  bool restricts_sites = false;  // of an access token that was checked: as Standing

  Holder holder() const { return {contact, account}; }
  GrantId grant() const { return GrantId::of(contact, account, client); }
  Access access() const { return {scopes, resources}; }
  // Returns nullopt if the application acts for itself.
  std::optional<media::ContactId> person() const {
    return holder().has_contact() ? std::optional(contact) : std::nullopt;
  }
};

// The record of an authorization code. RFC 6749 §4.1.3, RFC 7636 §4.4.
struct AuthorizationCode {
  Issued issued;
  // As requested, including its extra parameters. Read from a store: as
  // is_stored_redirect() compares it.
  std::string redirect_uri;
  std::string code_challenge;  // S256; empty: none
  std::string consent;         // the Grant's
  bool spent = false;
  bool refreshes = true;  // false: its client takes no refresh token
  // Those of the access token, if its client asks for fewer than it was granted. Not stored.
  std::optional<Resources> narrowed{};
};

// Redeemed: the tokens are stored, the code is spent. AlreadyUsed: another
// request had spent the code; now the grant, its consent and its tokens are
// revoked. Gone: the code or its grant ended in the meantime.
enum class Redemption { Redeemed, AlreadyUsed, Gone };

// Issued: the code may be sent, and the grant was created or changed if the
// contact consented. IssuedUnchanged: the contact had allowed the same before.
// IssuedBefore: the same code was issued before and is not spent. Spent: the
// code was issued before and is spent. Changed: the grant has changed since the
// caller read it; ask the contact again.
enum class CodeIssue { Issued, IssuedUnchanged, IssuedBefore, Spent, Changed };

// Rotated: the successors are stored. Again: the same request came before, and these are its
// tokens. Reused: the family and all its tokens are ended now. Gone: the family had ended.
struct Rotation {
  enum class Outcome { Rotated, Again, Reused, Gone };
  Outcome outcome;
  std::int64_t issued = 0;  // the access token; seconds since 1970
};

// The grants of one contact, client or account.
using GrantList = std::variant<media::ContactId, ClientId, media::AccountId>;

struct GrantPage {
  std::int64_t total = 0;  // in the whole list; may include grants that have ended
  std::vector<Grant> grants;
};

class Grants {
 public:
  virtual ~Grants() = default;

  // Returns nullopt if the code is unknown or has ended. Also returns a spent
  // code, for ten minutes, so that a second use is recognised.
  virtual loop::Task<std::optional<AuthorizationCode>> find_code(const Token& code) = 0;

  // Redeems the code in one atomic step. `record` is the result of find_code().
  // `request_id` identifies the request: if nginx sends it again, that is not a
  // second use, and replaces the tokens that the client did not receive. Sets
  // the place of `access`. Tokens of a family begin it; if the grant has as many families as it may
  // have, the least recently used ends.
  virtual loop::Task<Redemption> redeem(const Token& code, const AuthorizationCode& record,
                                        std::string_view request_id, Token& access,
                                        const Token& refresh) = 0;

  // Returns a refresh or access token that has not expired, been replaced or
  // been revoked, otherwise nullopt. Returns each refresh token of a live family, used or not. For
  // an access token, also returns nullopt if its application is ending, and notes that its grant
  // was used.
  virtual loop::Task<std::optional<Issued>> find_token(const Token& token) = 0;

  // Presents a refresh token of a family in one atomic step. `record` is the result of
  // find_token(). `asked`: what the access token opens. Stores `access`, the successor, and sets
  // its place.
  virtual loop::Task<Rotation> rotate(const Token& refresh, const Issued& record,
                                      const Access& asked, Token& access) = 0;

  // Stores a new access token for that refresh token and sets its place.
  // `record` is the result of find_token(). Returns false if the refresh token
  // has ended.
  virtual loop::Task<bool> refresh(const Token& refresh, const Issued& record, const Access& asked,
                                   Token& access) = 0;

  // Stores an access token that its application has for itself, and sets its place.
  virtual loop::Task<> issue_own(Token& access, const Issued& issued) = 0;

  // Revokes all tokens of the grant of that token, or of its family if it is of one, unless the
  // token has ended; the consent stays. Of an application that acts for itself, only this token.
  // RFC 7009 §2.1.
  virtual loop::Task<> revoke_tokens(const Token& token) = 0;

  // Waits until as many replicas as redis-wait-replicas have what happened to
  // the grant of that token. For a revocation that is repeated because the first attempt was not
  // confirmed.
  virtual loop::Task<> confirm(const Token& token) = 0;

  // Ends the grant, its consent and everything issued from it. Returns false if
  // there was no such grant.
  virtual loop::Task<bool> end(const GrantId& grant) = 0;

  // Throws base::Unreadable if its record has another type.
  virtual loop::Task<std::optional<Grant>> find_grant(const GrantId& id) = 0;
  // Returns the grant if it is of that contact, client or account; one that cannot be read, if the
  // list has it.
  virtual loop::Task<std::optional<Grant>> find_in(const GrantList& list, const GrantId& id) = 0;

  // Stores an authorization code. With `consented`, the contact has just
  // allowed record.issued.scopes at the client's `permission_version`: creates
  // or updates the grant. Without it, the grant must still have record.consent.
  virtual loop::Task<CodeIssue> issue_code(const Token& code, const AuthorizationCode& record,
                                           bool consented, std::int64_t permission_version) = 0;

  // Returns true for the first call with that secret within ten minutes.
  virtual loop::Task<bool> is_first(std::string_view secret) = 0;

  // Lists of grants may be outdated: their grants are looked up, and those that
  // have ended are removed from the list. The number of round trips does not
  // depend on the length of the list.
  virtual loop::Task<std::int64_t> count_grants(const GrantList& list) = 0;
  // Returns up to `most` grants from index `first` on, the last used first. One that cannot be read
  // is among them.
  virtual loop::Task<GrantPage> grants_of(const GrantList& list, std::int64_t first,
                                          std::int64_t most) = 0;
  // Ends up to `most` grants of the list, as end() does, and removes them from
  // the list. Returns the number removed; 0 if the list is empty.
  virtual loop::Task<std::int64_t> end_some(const GrantList& list, std::int64_t most) = 0;
};

// Finds every grant of an application, including those that no list contains,
// by reading the whole store. Only svcctl uses it.
class GrantSearch {
 public:
  virtual ~GrantSearch() = default;
  virtual loop::Task<std::vector<GrantId>> grants_of(const ClientId& id) = 0;
};

// Why an application was not registered or changed. InvalidSettings: see
// problems_of(). ResourceTaken: another application registered one of its resources.
// TwoLiveSecrets: another secret cannot be added. OneLiveSecret: the only secret cannot be retired.
// NoSecret: a public application has none. Overtaken: another writer changed it after the caller
// read it.
enum class ApplicationRefusal {
  InvalidSettings,
  OauthDisabled,
  TooManyApplications,
  IdTaken,
  ResourceTaken,
  NotFound,
  Overtaken,
  TwoLiveSecrets,
  OneLiveSecret,
  NoSecret
};

// The records of applications, for the code that manages them.
class Applications {
 public:
  virtual ~Applications() = default;

  // Returns the current record, not a cached one; nullopt if it does not exist.
  virtual loop::Task<std::optional<Client>> find(const ClientId& id) = 0;
  // Returns the records that exist and can be read, in one round trip.
  virtual loop::Task<std::vector<Client>> find_all(const std::vector<ClientId>& ids) = 0;
  // Returns the readable records of one account, in no particular order.
  virtual loop::Task<std::vector<Client>> of(media::AccountId account) = 0;
  // Return true if there is a record, readable or not, and if it is the account's.
  virtual loop::Task<bool> is_stored(const ClientId& id) = 0;
  virtual loop::Task<bool> has(media::AccountId account, ClientId id) = 0;
  // Refuses with IdTaken, or TooManyApplications if the account would have more than `most`, also
  // of several that are added at the same time.
  virtual loop::Task<std::optional<ApplicationRefusal>> add(const Client& client,
                                                            std::int64_t most) = 0;

  // Stores the result of `change` for the current record, and calls it again if
  // another writer interferes. Refuses with NotFound, or with the refusal of
  // `change`.
  using Change = std::function<base::Result<Client, ApplicationRefusal>(Client)>;
  virtual loop::Task<base::Result<Client, ApplicationRefusal>> change(const ClientId& id,
                                                                      const Change& change) = 0;

  // First lists the application as ending, then deletes its record. Its client
  // and its access tokens are refused from the first step on. Returns false if the record did not
  // exist.
  virtual loop::Task<bool> remove(const ClientId& id, std::int64_t now) = 0;

  // Returns the applications that are ending. Deletes their records if their
  // removal was interrupted, except the records of restored applications.
  struct Ending {
    ClientId id;
    std::int64_t since;     // seconds since 1970
    bool restored = false;  // only the grants of the former application end
  };
  virtual loop::Task<std::vector<Ending>> ending() = 0;
  virtual loop::Task<bool> is_ending(const ClientId& id) = 0;
  // Removes the application from those that are ending. Call it when all its
  // grants have ended.
  virtual loop::Task<> has_ended(const ClientId& id) = 0;
};

// The audit trail, for `svcctl audit`.
class Audit {
 public:
  virtual ~Audit() = default;
  virtual loop::Task<> record(const AuditEvent& event) = 0;
};

}  // namespace svc::oauth
