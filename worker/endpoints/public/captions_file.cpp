#include "endpoints/public/captions_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/unavailable.h"
#include "embed/embeddable.h"
#include "embed/showing.h"

namespace svc::endpoints {
namespace {

// Replacements of a text between a read of the record and one of the text.
constexpr int kMostReplaced = 3;

constexpr std::string_view kNoSuchCaptions = "no such captions";

// The query without that part of it.
std::string without(std::string_view query, std::string_view part) {
  std::string rest(query);
  if (part.empty()) return rest;
  const std::size_t at = static_cast<std::size_t>(part.data() - query.data());
  rest.erase(at, part.size());
  if (at < rest.size()) {
    rest.erase(at, 1);
  } else if (!rest.empty()) {
    rest.pop_back();
  }
  return rest;
}

}  // namespace

loop::Task<http::Response> CaptionsFile::answer_get(const http::Request& request,
                                                    media::Reads& reads) {
  const auto id = request.part<media::HashedId>("media");
  if (!id) co_return refusal(404, kNoSuchCaptions);
  for (int i = 0; i < kMostReplaced; ++i) {
    const auto media = co_await catalog_.find_media(*id, media::Detail::All, reads);
    if (!media || embed::why_not_playable(*media) == embed::NotEmbeddable::NotFound)
      co_return refusal(404, kNoSuchCaptions);
    const media::SiteRule rule =
        co_await embed::site_rule(rules_, media->account, media->allowed_domains, reads);
    const bool is_guarded =
        media->is_private() || (!rule.is_everywhere() && keys_.can_make_links());
    const embed::Watch watch = embed::watch_of(request.query);
    const auto pass = keys_.open_pass(*media, watch.token);
    if (is_guarded && !pass)
      co_return http::refuse_watching(http::WatchRefusal::Pass, media->id.value());
    const auto captions = std::ranges::find_if(media->captions, [&](const media::Captions& each) {
      return !each.version().empty() && each.language == request.part("language");
    });
    if (captions == media->captions.end()) co_return refusal(404, kNoSuchCaptions);
    http::Response response;
    response.about = id->value();
    // So each address has one text, and a guessed version costs no read of a text.
    const std::string asked = without(request.query, watch.part);
    if (!captions->url.ends_with("?" + asked)) {
      response.status = 302;
      response.with("Location", site_.captions(*captions, is_guarded ? watch.token : ""));
      if (is_guarded) co_return std::move(http::never_stored(response));
      co_return response.with("Cache-Control", negative_cache_control_);
    }
    std::string version(captions->version());
    std::optional<std::string> text = co_await texts_.find(*id, std::move(version), reads);
    if (!text) continue;  // replaced since the record was read
    response.content_type = "text/vtt; charset=utf-8";
    response.body = *std::move(text);
    if (is_guarded) {
      http::never_stored(response);
      response.fresh_for = embed::Span{pass->ends, pass->ends}.fresh_for(keys_.now());
    } else {
      response.with("Cache-Control", cache_control_);
    }
    co_return http::with_entity_tag(std::move(response), request.if_none_match);
  }
  throw base::Unavailable("captions change too often to be read");
}

}  // namespace svc::endpoints
