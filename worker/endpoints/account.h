// Account: `/v1/account`, the account that a token was granted for. Any token opens it.
#pragma once

#include <optional>

#include "endpoints/api_endpoint.h"
#include "loop/all.h"
#include "media/listings.h"
#include "media/people.h"
#include "text/json.h"

namespace svc::endpoints {

class Account : public ApiEndpoint {
 public:
  Account(media::People& people, media::Listings& listings, oauth::Grants& grants,
          oauth::Standings& standings)
      : ApiEndpoint(grants, standings), people_(people), listings_(listings) {}

  loop::Task<http::Response> answer(const http::Request& request) override {
    auto admitting = admit(request, oauth::ScopeSet::any());
    const auto issued = co_await admitting;
    if (!issued) co_return issued.error();
    auto both = loop::all(people_.find_account(issued->account),
                          listings_.counts(issued->account, std::nullopt));
    const auto found = co_await both;
    const auto& [account, counts] = found;
    if (!account) co_return http::json_error(404, "no such account");
    http::Response response;
    response.content_type = http::kJson;
    text::json::ObjectWriter(response.body)
        .integer("id", account->id.value())
        .string("name", account->name)
        .string("url", account->url)
        .integer("mediaCount", counts.medias)
        .integer("projectCount", counts.projects)
        // There is neither, but clients of the model want to read a number.
        .integer("videoLimit", 0)
        .integer("channelCount", 0)
        .end();
    co_return response;
  }

 private:
  media::People& people_;
  media::Listings& listings_;
};

}  // namespace svc::endpoints
