#include "endpoints/api_endpoint.h"

#include <algorithm>
#include <string>
#include <utility>

#include "embed/embeddable.h"
#include "embed/site.h"
#include "http/api_error.h"
#include "http/turn.h"
#include "oauth/operation.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kEntityTag = "ETag";
// In an entity tag: between the tag of a record and that of its signatures.
constexpr char kSignaturesMark = '-';

}  // namespace

void ApiEndpoint::add_common_headers(http::Response& response) const {
  const bool is_tagged = std::ranges::any_of(
      response.headers, [](const http::Header& header) { return header.name == kEntityTag; });
  if (is_tagged) {
    response.with("Cache-Control", "private, no-cache");
  } else {
    response.with("Cache-Control", "no-store").with("Pragma", "no-cache");
  }
}

library::Actor ApiEndpoint::actor_of(const http::Request& request, const oauth::Issued& issued) {
  return {.account = issued.account,
          .contact = issued.person(),
          .client = issued.client.value(),
          .address = request.remote_address,
          .request = request.request_id};
}

http::Response ApiEndpoint::no_such(std::string_view kind) {
  return http::api_error(404, "no such " + std::string(kind) + " in this account");
}

http::Response ApiEndpoint::too_much_at_once() {
  http::Response response = http::api_error(
      429, "the account is working on other long captions: send the request again in a second");
  return std::move(response.with("Retry-After", "1"));
}

http::Response ApiEndpoint::used_up(const loop::Shares::Use& use) {
  const auto left = use.left();
  http::Response response = http::api_error(429,
                                            "the account has used its share of the service while "
                                            "others wait: send the request again later");
  const std::int64_t seconds = left ? left->until_all.count() : 1;
  return std::move(
      response.with("Retry-After", std::to_string(std::max<std::int64_t>(seconds, 1))));
}

http::Response ApiEndpoint::overtaken() {
  return http::api_error(412, "the record has changed: read it again, and send its ETag");
}

http::Response ApiEndpoint::refusal_of(library::Refusal refusal, std::string_view kind) {
  return refusal == library::Refusal::NotFound ? no_such(kind) : overtaken();
}

http::Response ApiEndpoint::no_content(std::string_view about) {
  http::Response response;
  response.status = 204;
  response.about = about;
  return response;
}

http::Response ApiEndpoint::tagged(http::Response response, const http::Request& request) {
  return http::with_strong_entity_tag(std::move(response),
                                      request.is_get_or_head() ? request.if_none_match : "");
}

http::Response ApiEndpoint::tagged(http::Response response, const http::Request& request,
                                   std::string_view record, std::string_view with_signatures) {
  std::string tag = http::strong_entity_tag(record);
  tag.back() = kSignaturesMark;
  tag += http::strong_entity_tag(with_signatures).substr(1);
  if (request.is_get_or_head() && http::names_tag(request.if_none_match, tag)) {
    response.status = 304;
    response.content_type.clear();
    response.body.clear();
  }
  response.with(kEntityTag, tag);
  return response;
}

bool ApiEndpoint::may_change(const http::Request& request, std::string record) {
  const auto without_signatures = [](std::string_view list) {
    std::string tags(list);
    for (std::size_t at = 0; (at = tags.find(kSignaturesMark, at)) != std::string::npos; ++at)
      tags.erase(at, tags.find('"', at) - at);
    return tags;
  };
  const std::string if_match = without_signatures(request.if_match);
  const std::string if_none_match = without_signatures(request.if_none_match);
  return http::may_change({if_match, if_none_match}, std::move(record));
}

std::optional<media::Media> ApiEndpoint::with_signed_files(const media::Media& media,
                                                           const oauth::Issued& issued) const {
  const bool is_restricted =
      media.allowed_domains ? !media.allowed_domains->empty() : issued.restricts_sites;
  const embed::WatchKeys& keys = access_.watch_keys;
  if ((!media.is_private() && !is_restricted) || !keys.can_make_links()) return std::nullopt;
  const embed::Span span = keys.span(media.duration, 0);
  media::Media with = media;
  embed::guard(with, keys, span);
  with.storyboard = keys.signed_url(media.storyboard, media.links_from, span.end);
  // Posters are open unless the media is private.
  if (with.thumbnail && media.is_private())
    with.thumbnail->url = keys.signed_url(media.thumbnail->url, media.links_from, span.end);
  const std::string pass = keys.pass(media.id, media.links_from, span.end);
  for (media::Captions& captions : with.captions) {
    if (!captions.version().empty())
      captions.url = embed::Site::with_watch(std::move(captions.url), pass);
  }
  return with;
}

loop::Task<base::Result<oauth::Issued, http::Response>> ApiEndpoint::admit(
    const http::Request& request, oauth::ScopeSet any_of, loop::Shares::Use::May may) {
  const auto token = oauth::bearer_token(request.query, request.authorization);
  if (!token) co_return base::Refusal{refusal(token.error(), any_of)};
  co_return co_await check(request, *token, any_of, may);
}

loop::Task<base::Result<oauth::Issued, http::Response>> ApiEndpoint::admit(
    const http::Request& request) {
  return admit(request, (request.is_get_or_head() ? oauth::kReadCatalog : oauth::kEdit).any_of());
}

loop::Task<base::Result<oauth::Issued, http::Response>> ApiEndpoint::check(
    const http::Request& request, std::string_view token, const oauth::ScopeSet& any_of,
    loop::Shares::Use::May may) {
  auto issued = co_await oauth::check_bearer(access_.grants, access_.account_tokens,
                                             access_.standings, access_.own, token, any_of);
  if (!issued) co_return base::Refusal{refusal(issued.error(), any_of)};
  const bool has_turn =
      co_await http::have_turn(request, issued->account.value(), may, access_.loop);
  if (!has_turn) co_return base::Refusal{used_up(*request.use)};
  co_return std::move(*issued);
}

http::Response ApiEndpoint::refusal(const oauth::BearerError& error,
                                    const oauth::ScopeSet& any_of) const {
  using enum oauth::BearerError::Code;
  // Clients ask for each scope that a challenge names, which not every application may have.
  std::string rest = ", resource_metadata=\"" + access_.metadata_url + "\"";
  if (!any_of.is_whole()) rest += ", scope=\"" + std::string(any_of.narrowest()) + "\"";
  const auto say = [&](std::string_view code) {
    return http::api_error(code, error.description)
        .with("WWW-Authenticate", "Bearer realm=\"svc\"" + rest + ", error=\"" + std::string(code) +
                                      "\", error_description=\"" + error.description + "\"");
  };
  switch (error.code) {
    case Missing:
      // RFC 6750 §3.1: without an error code in the header, a client that sent no token only learns
      // how to authenticate.
      break;
    case InvalidRequest: return say("invalid_request");
    case InvalidToken: return say("invalid_token");
    case InsufficientScope: return say("insufficient_scope");
  }
  return http::api_error("unauthorized", "an access token is needed")
      .with("WWW-Authenticate", "Bearer realm=\"svc\"" + rest);
}

}  // namespace svc::endpoints
