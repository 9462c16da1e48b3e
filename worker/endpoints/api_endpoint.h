// ApiEndpoint: base class of the endpoints below /v1, which need an access
// token. RFC 6750.
//
// Refusals are in the order of api-N1: token, scope, record, condition, body, fields.
//
// A subclass reads the token with oauth::bearer_token(), then calls check()
// together with its own reads, in one round trip.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "embed/watch_keys.h"
#include "http/endpoint.h"
#include "library/actor.h"
#include "loop/heavy_work.h"
#include "loop/loop.h"
#include "loop/pieces.h"
#include "loop/shares.h"
#include "media/media.h"
#include "oauth/account_tokens.h"
#include "oauth/bearer.h"

namespace svc::endpoints {

// What the endpoints need to check a token. The references outlive them.
struct ApiAccess {
  oauth::Grants& grants;
  oauth::AccountTokens& account_tokens;
  oauth::Standings& standings;
  const oauth::OwnResources& own;
  std::string metadata_url;  // of the data API as a protected resource, RFC 9728 §3
  const embed::WatchKeys& watch_keys;
  loop::HeavyWork& heavy;
  loop::Pieces& pieces;
  loop::Loop& loop;
};

class ApiEndpoint : public http::Endpoint {
 public:
  // no-store: a response is for one token only. One with an entity tag may be kept and asked for
  // again.
  void add_common_headers(http::Response& response) const override;

 protected:
  explicit ApiEndpoint(const ApiAccess& access) : access_(access) {}

  // Returns the data of the request's token, or the response if the token is missing or refused.
  // For endpoints that read only the token.
  loop::Task<base::Result<oauth::Issued, http::Response>> admit(
      const http::Request& request, oauth::ScopeSet any_of,
      loop::Shares::Use::May may = loop::Shares::Use::May::BeRefused);
  // The same for an operation that reads the catalog, by its method, or edits the account.
  loop::Task<base::Result<oauth::Issued, http::Response>> admit(const http::Request& request);
  // The same with the token of the request, which outlives the task. Then the account has its turn
  // (loop/shares.h): waits for it, or refuses with 429.
  loop::Task<base::Result<oauth::Issued, http::Response>> check(
      const http::Request& request, std::string_view token, const oauth::ScopeSet& any_of,
      loop::Shares::Use::May may = loop::Shares::Use::May::BeRefused);
  // The response to a token that is missing or refused. RFC 6750 §3, RFC 9728 §5.1
  http::Response refusal(const oauth::BearerError& error, const oauth::ScopeSet& any_of) const;

  // The actor of a change with this token. The request and `issued` outlive it.
  static library::Actor actor_of(const http::Request& request, const oauth::Issued& issued);
  // 404: `kind`, such as "media", is not in the account.
  static http::Response no_such(std::string_view kind);
  // 412
  static http::Response overtaken();
  static http::Response refusal_of(library::Refusal refusal, std::string_view kind);
  // 204. `about`: Response::about.
  static http::Response no_content(std::string_view about);
  // Adds the entity tag of the body (api-N6); a GET that has it gets a 304.
  static http::Response tagged(http::Response response, const http::Request& request);

  // The media with signed addresses of its files, for the token's account, if nginx guards them
  // (api-L2). nullopt: its own addresses are right.
  std::optional<media::Media> with_signed_files(const media::Media& media,
                                                const oauth::Issued& issued) const;
  // As tagged(), of a record with such addresses, which change while the record does not. Both
  // texts are the record, without signatures and with them. may_change() compares only the first.
  static http::Response tagged(http::Response response, const http::Request& request,
                               std::string_view record, std::string_view with_signatures);
  static http::Conditions conditions_of(const http::Request& request) {
    return {request.if_match, request.if_none_match};
  }
  // As http::may_change(), also for such tags. `record`: without signatures.
  static bool may_change(const http::Request& request, std::string record);

  // Work that takes long (loop/heavy_work.h, loop/pieces.h).
  loop::HeavyWork& heavy() const { return access_.heavy; }
  loop::Pieces& pieces() const { return access_.pieces; }
  // 429: the account has as much heavy work as it may.
  static http::Response too_much_at_once();

 private:
  // 429: the account has used its share of the pool.
  static http::Response used_up(const loop::Shares::Use& use);

  const ApiAccess& access_;
};

}  // namespace svc::endpoints
