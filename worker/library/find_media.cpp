#include "library/find_media.h"

namespace svc::library {

loop::Task<std::optional<media::Media>> find_media(media::Catalog& catalog, media::HashedId id,
                                                   const Actor& actor) {
  media::Reads reads;  // responses are not cached
  std::optional<media::Media> media = co_await catalog.find_media(id, media::Detail::All, reads);
  if (!media || media->account != actor.account) co_return std::nullopt;
  co_return media;
}

}  // namespace svc::library
