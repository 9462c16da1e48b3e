#include "endpoints/uploads/body_permission.h"

#include <string>

#include "endpoints/uploads/upload_permission.h"
#include "oauth/operation.h"

namespace svc::endpoints {

loop::Task<http::Response> BodyPermission::answer(const http::Request& request) {
  http::Response response;
  response.status = 403;
  if (request.method != "POST" && request.method != "PUT") co_return response;
  const auto issued = co_await admit(request, oauth::kEdit.any_of(), loop::Shares::Use::May::Wait);
  if (!issued) co_return response;
  response.status = 204;
  response.with(UploadPermission::kAccount, std::to_string(issued->account.value()));
  co_return response;
}

}  // namespace svc::endpoints
