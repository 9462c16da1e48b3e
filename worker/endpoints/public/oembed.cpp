#include "endpoints/public/oembed.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "embed/embed_request.h"
#include "embed/identifier_path.h"
#include "http/refusal.h"
#include "text/characters.h"
#include "text/form.h"

namespace svc::endpoints {
namespace {

constexpr std::size_t kMaxCallbackLength = 128;
constexpr std::string_view kJsonpType = "application/javascript; charset=utf-8";
constexpr std::string_view kXmlType = "text/xml; charset=utf-8";

}  // namespace

struct Oembed::Asked {
  embed::Format format;
  std::string callback;  // empty: not given
  embed::EmbedRequest embed;
  std::string watch;  // the token of a link, in the media's URL; "": none
};

Oembed::Oembed(Path path, const embed::Site& site, const OembedCaching& caching,
               media::Catalog& catalog, const embed::WatchKeys& keys, embed::Renderings* renderings)
    : path_(path),
      site_(site),
      caching_(caching),
      urls_(site),
      keys_(keys),
      subjects_(catalog, renderings),
      renderings_(renderings),
      cache_control_("public, max-age=" + std::to_string(caching.max_age) +
                     ", stale-while-revalidate=" + std::to_string(caching.stale_while_revalidate)),
      negative_cache_control_("public, max-age=" + std::to_string(caching.negative_max_age)) {}

http::Response Oembed::refusal(embed::Format format, const Refused& refused) const {
  http::Response response = format == embed::Format::Xml
                                ? http::xml_error(refused.status, refused.message)
                                : http::json_error(refused.status, refused.message);
  if (refused.status != 401) return response.with("Cache-Control", negative_cache_control_);
  response.refused_for = refused.refused_for;
  response.with("WWW-Authenticate", R"(Link realm="private media", parameter="watch")");
  return http::never_stored(response);
}

// For a playlist, the subject is cached instead: it is quick to render, and the
// same for all sizes and options.
std::string Oembed::cacheable_variant(embed::Format format,
                                      const embed::EmbedRequest& request) const {
  if (renderings_ == nullptr || request.kind != embed::MediaKind::Media ||
      !renderings_->usable(request.kind))
    return {};
  std::string variant = embed::variant_of(format, request);
  return variant.size() <= embed::kLongestVariant ? std::move(variant) : std::string();
}

loop::Task<http::Response> Oembed::answer_get(const http::Request& request, media::Reads& reads) {
  const text::Form form = text::Form::parse(request.query);
  const auto format = format_of(form);
  if (!format) co_return refusal(embed::Format::Json, format.error());
  const auto asked = parse(form, *format);
  if (!asked) co_return refusal(*format, asked.error());
  http::Response response;
  const std::string variant = cacheable_variant(*format, asked->embed);
  bool is_private = false;
  embed::Renderings::Search search;
  if (!variant.empty()) search = co_await renderings_->find(asked->embed.id, variant, reads);
  if (search.found) {
    response.body = std::move(search.found->text);
    response.cache = http::CacheUse::Redis;
  } else {
    const auto subject = co_await find(*asked, response, reads);
    if (!subject) {
      http::Response refused = refusal(*format, subject.error());
      refused.cache = response.cache;
      co_return refused;
    }
    embed::EmbedRequest shown = asked->embed;
    carry_link(shown, *subject);
    is_private = subject->link.has_value();
    if (is_private) {
      embed::Embeddable film = *subject;
      const embed::Span span = embed::span_of(film, keys_);
      embed::guard(film, keys_, span);
      response.fresh_for = span.fresh_for(keys_.now());
      auto cache_age = caching_.cache_age;
      const std::int64_t left = span.end - keys_.now();
      if (cache_age) cache_age = static_cast<int>(std::min<std::int64_t>(*cache_age, left));
      response.body = embed::render(*format, shown, film, site_, cache_age);
    } else {
      response.body = embed::render(*format, shown, *subject, site_, caching_.cache_age);
    }
    if (!variant.empty() && !is_private)
      renderings_->keep(asked->embed.id, variant, search, {response.body, 0}, reads);
  }
  response.content_type = *format == embed::Format::Json ? http::kJson : kXmlType;
  if (!asked->callback.empty()) {
    // The comment in front prevents the callback's name from being the first
    // bytes of a file, which some plug-ins would read as their own format.
    response.body = "/**/" + asked->callback + "(" + response.body + ");";
    response.content_type = kJsonpType;
  }
  if (is_private) {
    http::never_stored(response);
  } else {
    response.with("Cache-Control", cache_control_);
  }
  response.about = asked->embed.id.value();
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

base::Result<embed::Format, Oembed::Refused> Oembed::format_of(const text::Form& form) const {
  if (path_ == Path::Json) return embed::Format::Json;
  if (path_ == Path::Xml) return embed::Format::Xml;
  const std::string_view format = form.find("format").value_or("");
  if (format.empty() || format == "json") return embed::Format::Json;
  if (format == "xml") return embed::Format::Xml;
  return base::Refusal{Refused{501, "unknown format, use json or xml"}};
}

base::Result<Oembed::Asked, Oembed::Refused> Oembed::parse(const text::Form& form,
                                                           embed::Format format) const {
  Asked asked;
  asked.format = format;
  if (const auto callback = form.find("callback").value_or("");
      !callback.empty() && format == embed::Format::Json) {
    if (!embed::is_identifier_path(callback, kMaxCallbackLength)) {
      return base::Refusal{Refused{400, "callback must be JavaScript identifiers joined by dots"}};
    }
    asked.callback = callback;
  }
  // Users paste white space along with a URL.
  const std::string_view text = text::without_white_space(form.find("url").value_or(""));
  if (text.empty()) return base::Refusal{Refused{404, "the parameter url is missing"}};
  const auto url = urls_.recognise(text);
  if (!url) return base::Refusal{Refused{404, "url is not the URL of a media or playlist here"}};
  asked.embed = embed::read_embed_request(*url, form);
  asked.watch = embed::watch_of(url->query).token;
  return asked;
}

loop::Task<base::Result<embed::Embeddable, Oembed::Refused>> Oembed::find(const Asked& asked,
                                                                          http::Response& response,
                                                                          media::Reads& reads) {
  const embed::EmbedRequest& request = asked.embed;
  const embed::Opener opener{keys_, asked.watch};
  const bool media = request.kind == embed::MediaKind::Media;
  auto found =
      co_await subjects_.find(request.kind, request.id, media::Detail::Embed, reads, &opener);
  if (found.from_cache) response.cache = http::CacheUse::Redis;
  auto& subject = found.subject;
  if (subject && !media && request.type == embed::EmbedType::OpenGraphTags) {
    co_return base::Refusal{Refused{501, "open_graph_tags are for single media only"}};
  }
  if (subject) co_return std::move(*subject);
  if (subject.error() == embed::NotEmbeddable::NotFound) {
    co_return base::Refusal{Refused{404, "no such media or playlist"}};
  }
  if (embed::needs_link(subject.error())) {
    co_return base::Refusal{
        Refused{401, "the media is private, its URL needs a link that has not ended: ?watch=",
                refusal_for(subject.error())}};
  }
  if (subject.error() == embed::NotEmbeddable::OnlyPrivate) {
    co_return base::Refusal{
        Refused{501, "the playlist has no video to embed: what it could play is private"}};
  }
  co_return base::Refusal{
      Refused{501, media ? "the media has no embed code" : "the playlist has no video to embed"}};
}

}  // namespace svc::endpoints
