// Account: `/v1/account`, the account that a token was granted for. Any token opens it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "endpoints/api_endpoint.h"
#include "endpoints/description.h"
#include "loop/all.h"
#include "loop/attempt.h"
#include "media/listings.h"
#include "media/people.h"
#include "oauth/token.h"
#include "text/json.h"

namespace svc::endpoints {

class Account : public ApiEndpoint {
 public:
  Account(media::People& people, media::Listings& listings, const ApiAccess& access)
      : ApiEndpoint(access), people_(people), listings_(listings) {}

  static Described describe() {
    ApiOperation get{.method = "GET", .id = "getAccount", .summary = "Read the account"};
    get.has_tag = true;
    get.response = json_response(200, "The account.", a_record("Account"));
    return {{get},
            {{"Account",
              "The account that a token was granted for.",
              {{"id", integer_schema(1, media::kMaxIntegerId), "Its id."},
               {"name", text_schema(), "Written by users."},
               {"url", text_schema("uri"), "Its page."},
               {"mediaCount", integer_schema(0), "How many media it has."},
               {"projectCount", integer_schema(0), "How many projects it has."},
               {"videoLimit", only(std::int64_t{0}), "There is no such limit."},
               {"channelCount", only(std::int64_t{0}), "There are no channels."}}}}};
  }

  // Reads the token, its grant, its holder and the account in one round trip, then the counts.
  loop::Task<http::Response> answer(const http::Request& request) override {
    const oauth::ScopeSet any = oauth::ScopeSet::any();
    const auto token = oauth::bearer_token(request.query, request.authorization);
    if (!token) co_return refusal(token.error(), any);
    auto both = loop::all(
        check(request, *token, any),
        loop::attempt(find_account(oauth::Token::parse(oauth::TokenKind::Access, *token))));
    auto found = co_await both;
    auto& [issued, early] = found;
    if (!issued) co_return issued.error();
    std::optional<media::Account> account = early.get();
    // A token of an earlier release does not name its account.
    if (!account) account = co_await people_.find_account(issued->account);
    // It was deleted since the check.
    if (!account)
      co_return refusal(
          {oauth::BearerError::Code::InvalidToken, "the account of the token does not exist"}, any);
    std::optional<media::ProjectId> all_projects;
    const media::CatalogCounts counts =
        co_await listings_.counts(issued->account, std::move(all_projects));
    http::Response response = http::in_json("");
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
    co_return tagged(std::move(response), request);
  }

 private:
  // Returns nullopt if the token does not name an account. The token's check compares its
  // holder with the stored holder.
  loop::Task<std::optional<media::Account>> find_account(std::optional<oauth::Token> token) {
    if (!token || !token->holder) co_return std::nullopt;
    co_return co_await people_.find_account(token->holder->account);
  }

  media::People& people_;
  media::Listings& listings_;
};

}  // namespace svc::endpoints
