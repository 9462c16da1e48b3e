// Account: `/v1/account`, the account that a token was granted for. Any token opens it.
#pragma once

#include <optional>

#include "endpoints/api_endpoint.h"
#include "media/people.h"
#include "text/json.h"

namespace svc::endpoints {

class Account : public ApiEndpoint {
 public:
  Account(media::People& people, oauth::Grants& grants, oauth::Standings& standings)
      : ApiEndpoint(grants, standings), people_(people) {}

  loop::Task<http::Response> answer(const http::Request& request) override {
    auto admitting = admit(request, oauth::ScopeSet::any());
    const auto issued = co_await admitting;
    if (!issued) co_return issued.error();
    auto reading = people_.find_account(issued->account);
    const std::optional<media::Account> account = co_await reading;
    if (!account) co_return http::json_error(404, "no such account");
    http::Response response;
    response.content_type = http::kJson;
    text::json::ObjectWriter(response.body)
        .integer("id", account->id.value())
        .string("name", account->name)
        .string("url", account->url)
        .end();
    co_return response;
  }

 private:
  media::People& people_;
};

}  // namespace svc::endpoints
