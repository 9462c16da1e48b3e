#include "endpoints/media_links.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/number.h"
#include "base/paths.h"
#include "embed/watch_keys.h"
#include "endpoints/path_id.h"
#include "http/api_error.h"
#include "library/find_media.h"
#include "oauth/operation.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::endpoints {
namespace {

constexpr base::Path kLinksPath = base::paths::kMediaLinks;
constexpr std::string_view kExpiresIn = "expires_in";
constexpr std::string_view kLinkDomain = "domain";
constexpr std::string_view kLinkRecord = "Link";
constexpr std::string_view kNoLinks =
    "this service makes no links: its operator has set no watch-key-file";

std::string why_not_link_domain(const std::string& text) {
  const auto domain = library::link_domain(text);
  return domain ? "" : domain.error();
}

// JSON has a number, a form its digits.
std::optional<std::int64_t> seconds_in(const std::optional<media::OptionValue>& value) {
  if (!value) return std::nullopt;
  std::string digits;
  if (const auto* const text = std::get_if<std::string>(&*value)) digits = *text;
  if (const auto* const number = std::get_if<double>(&*value)) {
    if (std::trunc(*number) != *number || std::abs(*number) > embed::kLongestLink)
      return std::nullopt;
    digits = std::to_string(static_cast<std::int64_t>(*number));
  }
  return base::parse_number(digits, embed::kShortestLink, embed::kLongestLink);
}

http::Response link_response(const media::HashedId& id, const library::MadeLink& link) {
  http::Response response;
  response.status = 201;
  response.about = id.value();
  response.content_type = http::kJson;
  text::json::ObjectWriter(response.body)
      .string("url", link.url)
      .string("token", link.token)
      .string("expires_at", text::to_rfc3339(link.ends))
      .string(media::kVisibilityField, to_text(link.visibility))
      .end();
  response.with("Location", link.url);
  return response;
}

}  // namespace

Described MediaLinks::describe() {
  ApiOperation post{.method = "POST", .id = "addLink", .summary = "Make a link to a private media"};
  post.about =
      "Who has the link may watch the media until it ends. Its token is the parameter `watch` of "
      "the page, the frame and the data of the media, and of `url` in oEmbed.";
  post.needs = &oauth::kEdit;
  post.is_repeatable = true;
  post.body = {
      {{std::string(kExpiresIn), integer_schema(embed::kShortestLink, embed::kLongestLink),
        "After how many seconds it ends.", true, "86400"},
       {std::string(kLinkDomain), text_schema(),
        "Only pages of this site may show the media with the link, as in `allowed_domains`: it "
        "opens their frames and players, and not the page of the media. "
        "Without it, every site that may show the media.",
        false}},
      in_kib(kMaxRecordBody)};
  post.response = json_response(201, "The link. No other response has it.", a_record(kLinkRecord));
  post.refusals = {{404, std::string(kNoMedia)},
                   {409,
                    "This service makes no links. Or a request with this Idempotency-Key has not "
                    "ended."}};
  ApiOperation remove{.method = "DELETE", .id = "endLinks", .summary = "End all links to a media"};
  remove.about = "Links that are made later work.";
  remove.needs = &oauth::kEdit;
  remove.response = {204, "They are ended."};
  remove.refusals = {{404, std::string(kNoMedia)}};
  return {
      {post, remove},
      {{std::string(kLinkRecord),
        "A link to a media.",
        {{"url", text_schema("uri"),
          "Of the page of the media, with the token. A link with a `domain` opens no page of the "
          "media: its address is for `url` in oEmbed, whose code plays in pages of that site."},
         {"token", text_like("^[A-Za-z0-9_.~-]{20,200}$", "a token"),
          "The value of `watch` in other addresses of the media."},
         {"expires_at", text_schema("date-time"), "When it ends."},
         {std::string(media::kVisibilityField), visibility_schema(),
          "That of the media. A link is needed only while it is `private`; one from before has "
          "ended."}}}}};
}

loop::Task<http::Response> MediaLinks::answer(const http::Request& request) {
  auto admitting = admit(request, oauth::kEdit.any_of());
  const auto issued = co_await admitting;
  if (!issued) co_return issued.error();
  const auto id = id_between(kLinksPath.before(), request.path, kLinksPath.after());
  if (!id) co_return no_such("media");
  if (request.method == "DELETE") {
    const library::Actor actor = actor_of(request, *issued);
    loop::Task<base::Result<media::Media, library::Refusal>> ending = service_.end_all(*id, actor);
    const base::Result<media::Media, library::Refusal> ended = co_await ending;
    if (!ended) co_return refusal_of(ended.error(), "media");
    co_return no_content(id->value());
  }
  loop::Task<http::Response> creating = create(request, *issued, *id);
  co_return co_await creating;
}

loop::Task<http::Response> MediaLinks::create(const http::Request& request,
                                              const oauth::Issued& issued,
                                              const media::HashedId& id) {
  const library::Actor actor = actor_of(request, issued);
  loop::Task<std::optional<media::Media>> finding = library::find_media(catalog_, id, actor);
  const std::optional<media::Media> media = co_await finding;
  if (!media) co_return no_such("media");
  auto body = BodyFields::read(request);
  if (!body) co_return body.error();
  loop::Task<http::Response> answering = repeated_.answer(
      request, Repeated::owner_of(issued), body->canonical(), make(request, issued, id, *body));
  co_return co_await answering;
}

loop::Task<http::Response> MediaLinks::make(const http::Request& request,
                                            const oauth::Issued& issued, media::HashedId id,
                                            BodyFields& body) {
  library::NewLink link;
  const auto lasts = seconds_in(body.scalar(kExpiresIn));
  if (!lasts) body.refuse(kExpiresIn, library::link_time_words());
  link.lasts = lasts.value_or(0);
  const std::optional<std::string> domain = body.text(kLinkDomain, why_not_link_domain);
  if (const auto refused = body.refused()) co_return *refused;
  if (domain) link.domain = library::link_domain(*domain).value();
  if (!service_.can_make_links()) co_return http::api_error(409, kNoLinks);
  const library::Actor actor = actor_of(request, issued);
  loop::Task<base::Result<library::MadeLink, library::Refusal>> making =
      service_.make(id, link, actor);
  const base::Result<library::MadeLink, library::Refusal> made = co_await making;
  if (!made) co_return refusal_of(made.error(), "media");
  co_return link_response(id, *made);
}

}  // namespace svc::endpoints
