#include "endpoints/api/media_links.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/number.h"
#include "embed/watch_keys.h"
#include "endpoints/list_query.h"
#include "http/api_error.h"
#include "media/upload_form.h"
#include "oauth/operation.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kExpiresIn = "expires_in";
constexpr std::string_view kLinkDomain = "domain";
constexpr std::string_view kLinkRecord = "Link";
constexpr std::string_view kListedRecord = "ListedLink";
constexpr ListForm kLinkList{.is_sorted = false};
const std::string kAllLinks =
    "the media has " + std::to_string(media::kMaxLinks) +
    " links, with some that were ended in the last hours: as many as it may";
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

// A number in text, as other ids are texts.
DescribedField describe_link_id() {
  return {"id", text_like("^[0-9]{1,16}$", "a number"), "The id in its path."};
}
DescribedField describe_link_name() {
  return {std::string(kNameField), text_schema(), "Written by users; empty: it has none."};
}

std::string link_json(const library::ListedLink& listed) {
  const media::WatchLink& link = listed.link;
  std::string json;
  text::json::ObjectWriter writer(json);
  writer.string("id", std::to_string(link.id))
      .string(kNameField, link.name)
      .string("created_at", text::to_rfc3339(link.id / 1000))
      .string("expires_at", text::to_rfc3339(link.ends));
  link.domain.empty() ? writer.null(kLinkDomain) : writer.string(kLinkDomain, link.domain);
  link.maker ? writer.integer("made_by", *link.maker) : writer.null("made_by");
  writer.integer("openings", listed.openings).end();
  return json;
}

http::Response link_response(const media::HashedId& id, const library::MadeLink& link,
                             const std::string& name) {
  http::Response response = http::in_json("", id.value());
  response.status = 201;
  text::json::ObjectWriter(response.body)
      .string("id", std::to_string(link.id))
      .string(kNameField, name)
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
  ApiOperation get{.method = "GET", .id = "listLinks", .summary = "List the links to a media"};
  get.about =
      "The newest first. It has no token: no response but that of POST does. Links that were made "
      "before this service listed them are missing; they end together with all others.";
  get.needs = &oauth::kEdit;
  get.is_list = true;
  get.query = describe_list(kLinkList);
  get.response = json_response(200, "A page of links.", array_of(a_record(kListedRecord)));
  get.refusals = {{404, std::string(kNoMedia)}};
  ApiOperation post{.method = "POST", .id = "addLink", .summary = "Make a link to a private media"};
  post.about =
      "Who has the link may watch the media until it ends. Its token is the parameter `watch` of "
      "the page, the frame and the data of the media, and of `url` in oEmbed.";
  post.needs = &oauth::kEdit;
  post.is_repeatable = true;
  post.body = {
      {{std::string(kExpiresIn), integer_schema(embed::kShortestLink, embed::kLongestLink),
        "After how many seconds it ends.", true, "86400"},
       {std::string(kNameField), text_schema(),
        "For those who manage the links: one line, at most 128 bytes in JSON, where each <, > and "
        "& "
        "takes six.",
        false},
       {std::string(kLinkDomain), text_schema(),
        "Only pages of this site may show the media with the link, as in `allowed_domains`: it "
        "opens their frames and players, and not the page of the media. "
        "Without it, every site that may show the media.",
        false}},
      in_kib(kMaxRecordBody)};
  post.response = json_response(201, "The link. No other response has it.", a_record(kLinkRecord));
  post.refusals = {
      {404, std::string(kNoMedia)},
      {409,
       "This service makes no links. Or the media has as many as it may: 100, with those "
       "whose end was in the last hours. Or a request with this Idempotency-Key has "
       "not ended."}};
  ApiOperation remove{.method = "DELETE", .id = "endLinks", .summary = "End all links to a media"};
  remove.about = "Links that are made later work.";
  remove.needs = &oauth::kEdit;
  remove.response = {204, "They are ended."};
  remove.refusals = {{404, std::string(kNoMedia)}};
  return {
      {get, post, remove},
      {{std::string(kLinkRecord),
        "A link to a media.",
        {describe_link_id(),
         describe_link_name(),
         {"url", text_schema("uri"),
          "Of the page of the media, with the token. A link with a `domain` opens no page of the "
          "media: its address is for `url` in oEmbed, whose code plays in pages of that site."},
         {"token", text_like("^[A-Za-z0-9_.~-]{20,200}$", "a token"),
          "The value of `watch` in other addresses of the media."},
         {"expires_at", text_schema("date-time"), "When it ends."},
         {std::string(media::kVisibilityField), visibility_schema(),
          "That of the media. A link is needed only while it is `private`; one from before has "
          "ended."}}},
       {std::string(kListedRecord),
        "A link to a media, without its token.",
        {describe_link_id(),
         describe_link_name(),
         {"created_at", text_schema("date-time"), "When it was made."},
         {"expires_at", text_schema("date-time"), "When it ends."},
         {std::string(kLinkDomain), or_null(text_schema()),
          "The site for which it is. Null: every site that may show the media."},
         {"made_by", or_null(integer_schema(1)),
          "The id of the user who made it. Null: an application for itself, or the operator."},
         {"openings", integer_schema(0),
          "How often a player was opened with it: a frame, or a code without a frame."}}}}};
}

loop::Task<http::Response> MediaLinks::answer_own(const http::Request& request,
                                                  const oauth::Issued& issued,
                                                  media::Media& media) {
  if (request.is_get_or_head()) co_return co_await list(request, media);
  if (request.method == "DELETE") {
    const auto ended = co_await service_.end_all(media.id, actor_of(request, issued));
    if (!ended) co_return refusal_of(ended.error(), "media");
    co_return no_content(media.id.value());
  }
  const auto answer_by = [&](BodyFields& body) { return make(request, issued, media.id, body); };
  co_return co_await repeated_.post(request, issued, answer_by);
}

loop::Task<http::Response> MediaLinks::list(const http::Request& request,
                                            const media::Media& media) {
  const auto list = read_list_query(text::Form::parse(request.query), kLinkList, media.account);
  if (!list) co_return http::api_error(400, list.error());
  const std::vector<library::ListedLink> links = co_await service_.list(media);
  const auto page = page_of(links, *list);
  http::Response response = http::in_json("", media.id.value());
  text::json::ArrayWriter array(response.body);
  for (const library::ListedLink& link : page) array.next() += link_json(link);
  array.end();
  const bool has_more = list->order.offset + page.size() < links.size();
  add_links(response, site_, request, *list, has_more);
  co_return response;
}

loop::Task<http::Response> MediaLinks::make(const http::Request& request,
                                            const oauth::Issued& issued, media::HashedId id,
                                            BodyFields& body) {
  library::NewLink link;
  const auto lasts = seconds_in(body.scalar(kExpiresIn));
  if (!lasts) body.refuse(kExpiresIn, library::link_time_words());
  link.lasts = lasts.value_or(0);
  const std::optional<std::string> domain = body.text(kLinkDomain, why_not_link_domain);
  link.name = body.text(kNameField, media::why_not_link_name).value_or("");
  if (const auto refused = body.refused()) co_return *refused;
  if (domain) link.domain = library::link_domain(*domain).value();
  if (!service_.can_make_links()) co_return http::api_error(409, kNoLinks);
  const auto made = co_await service_.make(id, link, actor_of(request, issued));
  if (!made && made.error() == library::Refusal::Full) co_return http::api_error(409, kAllLinks);
  if (!made) co_return refusal_of(made.error(), "media");
  co_return link_response(id, *made, link.name);
}

Described MediaLink::describe() {
  ApiOperation remove{.method = "DELETE", .id = "endLink", .summary = "End a link to a media"};
  remove.about = "Other links stay. Players that have opened the media with it stop.";
  remove.needs = &oauth::kEdit;
  remove.response = {204, "It is ended."};
  remove.refusals = {{404, "The account has no such media, or the media no such link."}};
  return {{remove}};
}

loop::Task<http::Response> MediaLink::answer_own(const http::Request& request,
                                                 const oauth::Issued& issued, media::Media& media) {
  const auto link = base::parse_number<std::int64_t>(request.part("link"), 1, media::kMaxIntegerId);
  if (!link) co_return no_such("link");
  const auto ended = co_await service_.end_one(media.id, *link, actor_of(request, issued));
  if (!ended) co_return refusal_of(ended.error(), "link");
  co_return no_content(media.id.value());
}

}  // namespace svc::endpoints
