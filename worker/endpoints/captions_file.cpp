#include "endpoints/captions_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/paths.h"
#include "base/unavailable.h"
#include "embed/embeddable.h"
#include "embed/showing.h"

namespace svc::endpoints {
namespace {

// Replacements of a text between a read of the record and one of the text.
constexpr int kMostReplaced = 3;

struct FileInPath {
  media::HashedId media;
  std::string_view language;  // as in the record
};

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

std::optional<FileInPath> file_in(std::string_view path) {
  constexpr base::Path kPath = base::paths::kCaptionsFile;
  path.remove_prefix(kPath.before().size());
  const auto media = media::HashedId::parse(path.substr(0, path.find('/')));
  if (!media) return std::nullopt;
  path.remove_prefix(media->value().size());
  constexpr std::string_view kMiddle = kPath.after().substr(0, kPath.after().find('{'));
  constexpr std::string_view kEnd = kPath.after().substr(kPath.after().find('}') + 1);
  if (!path.starts_with(kMiddle) || !path.ends_with(kEnd)) return std::nullopt;
  path.remove_prefix(kMiddle.size());
  path.remove_suffix(kEnd.size());
  return FileInPath{*media, path};
}

}  // namespace

CaptionsFile::CaptionsFile(const embed::Site& site, int max_age, int negative_max_age,
                           media::Catalog& catalog, media::SiteRules& rules,
                           const embed::WatchKeys& keys, media::CaptionTexts& texts)
    : site_(site),
      cache_control_("public, max-age=" + std::to_string(max_age)),
      negative_cache_control_("public, max-age=" + std::to_string(negative_max_age)),
      catalog_(catalog),
      rules_(rules),
      keys_(keys),
      texts_(texts) {}

http::Response CaptionsFile::not_found() const {
  http::Response response = http::json_error(404, "no such captions");
  response.with("Cache-Control", negative_cache_control_);
  return response;
}

loop::Task<http::Response> CaptionsFile::answer_get(const http::Request& request,
                                                    media::Reads& reads) {
  const auto file = file_in(request.path);
  if (!file) co_return not_found();
  for (int i = 0; i < kMostReplaced; ++i) {
    loop::Task<std::optional<media::Media>> finding =
        catalog_.find_media(file->media, media::Detail::All, reads);
    const std::optional<media::Media> media = co_await finding;
    if (!media || embed::why_not_playable(*media) == embed::NotEmbeddable::NotFound)
      co_return not_found();
    loop::Task<media::SiteRule> ruling =
        embed::site_rule(rules_, media->account, media->allowed_domains, reads);
    const media::SiteRule rule = co_await ruling;
    const bool is_guarded =
        media->is_private() || (!rule.is_everywhere() && keys_.can_make_links());
    const embed::Watch watch = embed::watch_of(request.query);
    const auto pass = keys_.open_pass(*media, watch.token);
    if (is_guarded && !pass)
      co_return http::refuse_watching(http::WatchRefusal::Pass, media->id.value());
    const auto captions = std::ranges::find_if(media->captions, [&](const media::Captions& each) {
      return !each.version().empty() && each.language == file->language;
    });
    if (captions == media->captions.end()) co_return not_found();
    http::Response response;
    response.about = file->media.value();
    // So each address has one text, and a guessed version costs no read of a text.
    const std::string asked = without(request.query, watch.part);
    if (!captions->url.ends_with("?" + asked)) {
      response.status = 302;
      response.with("Location", site_.captions(*captions, is_guarded ? watch.token : ""));
      if (is_guarded) co_return std::move(http::never_stored(response));
      co_return response.with("Cache-Control", negative_cache_control_);
    }
    std::string version(captions->version());
    loop::Task<std::optional<std::string>> reading =
        texts_.find(file->media, std::move(version), reads);
    std::optional<std::string> text = co_await reading;
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
