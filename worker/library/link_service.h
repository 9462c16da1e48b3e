// LinkService: makes links to a film and ends them (oembed-W8, oembed-W9), for the API, the pages
// and svcctl, with the audit events of both.
//
// The record of the media lists its links. Tokens are not stored: the keys of watch-key-file
// authenticate them. A link of a version that did not list links ends with all links.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "embed/site.h"
#include "embed/watch_keys.h"
#include "library/actor.h"
#include "library/media_service.h"
#include "loop/task.h"
#include "media/media.h"
#include "viewing/statistics.h"

namespace svc::library {

struct NewLink {
  std::int64_t lasts = 0;  // seconds, from kShortestLink to kLongestLink
  std::string domain{};    // from link_domain(); "": every site that may show the media
  std::string name{};      // allowed by media::why_not_link_name()
};
// Returns the domain of a link as records have it, or the condition that it must meet.
base::Result<std::string, std::string> link_domain(std::string_view text);
// What `lasts` must be.
std::string link_time_words();

struct MadeLink {
  std::int64_t id = 0;  // media::WatchLink::id
  std::string token;
  std::string url;        // its page; "" for a link with a domain (oembed-W8)
  std::string domain;     // of NewLink
  std::int64_t ends = 0;  // seconds since 1970
  media::Visibility visibility = media::Visibility::Public;  // the media's
};

struct ListedLink {
  media::WatchLink link;
  std::int64_t openings = 0;
};

class LinkService {
 public:
  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  LinkService(const embed::Site& site, const embed::WatchKeys& keys, MediaService& medias,
              viewing::Statistics& statistics, const base::WallClock& clock)
      : site_(site), keys_(keys), medias_(medias), statistics_(statistics), clock_(clock) {}

  // Returns false without watch-key-file.
  bool can_make_links() const { return keys_.can_make_links(); }

  // Needs can_make_links(). Also of a media that is not private, which needs no link; once it
  // becomes private, such a link has ended. Full: it has media::kMaxLinks.
  loop::Task<base::Result<MadeLink, Refusal>> make(const media::HashedId& id, const NewLink& link,
                                                   const Actor& actor);
  // Returns the token of a link for a player on a page of the account itself, for an hour; "" if
  // the media is not private or without keys. Not audited: the page's users may make links.
  std::string preview(const media::Media& media) const;

  // Returns the links that have not ended, the newest first.
  loop::Task<std::vector<ListedLink>> list(const media::Media& media);

  // Ends that link alone. NotFound, too, if it has ended.
  loop::Task<base::Result<media::Media, Refusal>> end_one(const media::HashedId& id,
                                                          std::int64_t link, const Actor& actor);
  loop::Task<base::Result<media::Media, Refusal>> end_all(const media::HashedId& id,
                                                          const Actor& actor);

 private:
  const embed::Site& site_;
  const embed::WatchKeys& keys_;
  MediaService& medias_;
  viewing::Statistics& statistics_;
  const base::WallClock& clock_;
};

}  // namespace svc::library
