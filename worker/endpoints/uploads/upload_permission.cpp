#include "endpoints/uploads/upload_permission.h"

#include <optional>
#include <string>
#include <utility>

#include "base/api_paths.h"
#include "base/public_paths.h"
#include "base/unavailable.h"
#include "endpoints/uploads/upload_permit.h"
#include "http/api_error.h"
#include "oauth/operation.h"

namespace svc::endpoints {
namespace {

http::Response refusal_for(const media::NoRoom& no_room) {
  http::Response response = http::api_error(no_room.status, no_room.why);
  if (no_room.retry_after > 0) response.with("Retry-After", std::to_string(no_room.retry_after));
  return response;
}

}  // namespace

loop::Task<http::Response> UploadPermission::answer(const http::Request& request) {
  const bool is_question = request.path == base::paths::kUploadPermission.pattern;
  http::Response forbidden;
  forbidden.status = 403;
  if (is_question && request.method != "POST") co_return forbidden;
  const oauth::ScopeSet scopes = oauth::kUploadMedia.any_of();
  auto token = oauth::bearer_token(request.query, request.authorization);
  if (token && !oauth::bearer_token(request.query, "")) {
    token =
        base::Refusal{oauth::BearerError{oauth::BearerError::Code::InvalidRequest,
                                         "an upload has its token in the query, as access_token or "
                                         "bearer_token, not in a header alone"}};
  }
  if (!token) co_return is_question ? std::move(forbidden) : refusal(token.error(), scopes);
  const auto issued = co_await check(request, *token, scopes, loop::Shares::Use::May::Wait);
  if (!issued && is_question) co_return forbidden;
  if (!issued) co_return issued.error();
  const std::optional<media::Account> account = co_await people_.find_account(issued->account);
  if (!account || !account->may_upload()) {
    if (is_question) co_return forbidden;
    co_return http::api_error("not_permitted", media::kNoUploads);
  }
  const UploadPermit permit{issued->account, issued->grant()};
  const media::UploadPlace place = permit.place(request, limits_, clock_.now());
  const std::optional<media::OverLimit> over = co_await uploads_.take_place(issued->account, place);
  if (over) {
    if (is_question) co_return forbidden;
    co_return refusal_for(media::why_no_room(*over, limits_));
  }
  // nginx asks there only after a refusal.
  if (!is_question) {
    co_await uploads_.free_place(issued->account, place);
    throw base::Unavailable("the permission was refused, and is not any more");
  }
  oauth::AuditEvent event{.what = oauth::event_named<"upload.permitted">(),
                          .contact = issued->person(),
                          .account = issued->account,
                          .client = issued->client.value(),
                          .address = request.remote_address,
                          .detail = request.request_id};
  co_await audit_.record(event);
  http::Response response;
  response.status = 204;
  response.with(kAccount, std::to_string(issued->account.value()));
  response.with(UploadPermit::kHeader, permit.seal(request.request_id, keys_, entropy_));
  co_return response;
}

}  // namespace svc::endpoints
