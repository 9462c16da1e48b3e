#include "library/link_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/unavailable.h"
#include "library/swap_service.h"
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
  media::WatchLink listed{
      .name = link.name, .domain = link.domain, .ends = keys_.now() + link.lasts};
  if (actor.contact) listed.maker = actor.contact->value();
  const base::Result<media::Media, Refusal> media = co_await medias_.add_link(id, listed, actor);
  if (!media) co_return base::Refusal{media.error()};
  std::vector<std::int64_t> known;
  for (const media::WatchLink& each : media->links) known.push_back(each.id);
  try {
    co_await statistics_.keep_openings(id, std::move(known));
  } catch (const base::Unavailable&) {
    // The link exists. Counts of links that have gone are forgotten with the next one.
  }
  const embed::Link made{
      .ends = listed.ends, .issued = listed.id, .domain = link.domain, .is_listed = true};
  std::string token = keys_.token_of(id, made);
  std::string url = site_.media_page(id.value(), token);
  co_return MadeLink{listed.id,   std::move(token), std::move(url),
                     link.domain, made.ends,        media->visible()};
}

std::string LinkService::preview(const media::Media& media) const {
  if (!media.is_private() || !can_make_links()) return "";
  return keys_.token_of(media.id,
                        {.ends = keys_.now() + kPreviewLasts,
                         .issued = std::max(clock_.now_ms(), media.links_from.value_or(0))});
}

loop::Task<std::vector<ListedLink>> LinkService::list(const media::Media& media) {
  const viewing::Openings openings = co_await statistics_.openings(media.id);
  std::vector<ListedLink> links;
  for (const media::WatchLink& link : media.links) {
    if (!link.is_open() || link.ends <= keys_.now()) continue;
    const auto found = openings.find(link.id);
    links.push_back({link, found == openings.end() ? 0 : found->second});
  }
  std::ranges::reverse(links);
  co_return links;
}

loop::Task<base::Result<media::Media, Refusal>> LinkService::end_one(const media::HashedId& id,
                                                                     std::int64_t link,
                                                                     const Actor& actor) {
  // Another worker may be about to hand out the addresses of the next ten minutes.
  constexpr std::int64_t kSpare = 600;  // seconds
  const MediaService::LastSignature last = [this](const media::Media& media) {
    const std::int64_t own = keys_.span(media.duration, 0).end;
    // Files that a swap gave away may be of a longer film.
    const std::int64_t former = media.folders.empty() ? 0 : keys_.now() + SwapService::kFormerKept;
    return std::max(own, former) + kSpare;
  };
  co_return co_await medias_.end_link(id, link, last, actor);
}

loop::Task<base::Result<media::Media, Refusal>> LinkService::end_all(const media::HashedId& id,
                                                                     const Actor& actor) {
  co_return co_await medias_.end_links(id, actor);
}

}  // namespace svc::library
