#include "library/link_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "library/find_media.h"
#include "media/allowed_domains.h"

namespace svc::library {
namespace {

constexpr std::int64_t kPreviewLasts = 3600;  // seconds

}  // namespace

base::Result<std::string, std::string> link_domain(std::string_view text) {
  auto domain = media::canonical_domain(text);
  if (domain && domain->size() > embed::kMaxLinkDomain)
    return base::Refusal{"must have at most " + std::to_string(embed::kMaxLinkDomain) + " bytes"};
  return domain;
}

std::string link_time_words() {
  return "must be a number of seconds from " + std::to_string(embed::kShortestLink) + " to " +
         std::to_string(embed::kLongestLink);
}

loop::Task<base::Result<MadeLink, Refusal>> LinkService::make(const media::HashedId& id,
                                                              const NewLink& link,
                                                              const Actor& actor) {
  loop::Task<std::optional<media::Media>> finding = find_media(catalog_, id, actor);
  const std::optional<media::Media> media = co_await finding;
  if (!media) co_return base::Refusal{Refusal::NotFound};
  const std::string detail = actor.about("media " + id.value());
  const oauth::AuditEvent event = actor.event("link.created", detail);
  co_await audit_.record(event);
  const embed::Link made = link_of(*media, link);
  std::string token = keys_.token_of(id, made);
  std::string url = site_.media_page(id.value(), token);
  co_return MadeLink{std::move(token), std::move(url), link.domain, made.ends, media->visible()};
}

std::string LinkService::preview(const media::Media& media) const {
  if (!media.is_private() || !can_make_links()) return "";
  return keys_.token_of(media.id, link_of(media, {.lasts = kPreviewLasts}));
}

embed::Link LinkService::link_of(const media::Media& media, const NewLink& link) const {
  return {.ends = keys_.now() + link.lasts,
          .issued = std::max(clock_.now_ms(), media.links_from.value_or(0)),
          .domain = link.domain};
}

loop::Task<base::Result<media::Media, Refusal>> LinkService::end_all(const media::HashedId& id,
                                                                     const Actor& actor) {
  loop::Task<base::Result<media::Media, Refusal>> ending = medias_.end_links(id, actor);
  co_return co_await ending;
}

}  // namespace svc::library
