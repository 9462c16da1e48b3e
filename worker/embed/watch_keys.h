// WatchKeys: links to private films, and the addresses by which nginx serves guarded files
// (oembed-W8 to oembed-W10). Nothing of it is stored: a key ring of its own vouches for each.
//
// Viewers of a film get the same addresses for ten minutes, so that caches have one of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "media/id.h"
#include "media/media.h"

namespace svc::embed {

// The parameter of a link, in every address of a film. The value is that of a link, or the pass of
// a manifest and of captions.
inline constexpr std::string_view kWatch = "watch";

inline constexpr std::int64_t kShortestLink = 10;              // seconds
inline constexpr std::int64_t kLongestLink = 366 * 24 * 3600;  // seconds
using media::kMaxLinkDomain;

// A link to a private film.
struct Link {
  std::int64_t ends = 0;    // seconds since 1970: the first at which it opens nothing
  std::int64_t issued = 0;  // ms since 1970
  std::string domain{};     // as in allowed_domains: pages of which it is for; "": all that the
                            // account allows
  // It opens the media while that lists it, with `issued` as its id (media::WatchLink).
  bool is_listed = false;

  // In addresses of files; 0: they end with all links.
  std::int64_t number() const { return is_listed ? issued : 0; }
};

// The value of `watch` in a query.
struct Watch {
  std::string_view part;   // `watch=…` as in the query; the whole query if `is_twice`
  std::string_view token;  // "": none
  bool is_twice = false;   // refused, because two readers could choose differently
};
Watch watch_of(std::string_view query);
// Replaces each token that this service did not make: all have the same response.
inline constexpr std::string_view kWrongWatch = "watch=-";

// Characters of a ticket. Players prove by it that they have loaded the media (api-B3).
inline constexpr std::size_t kTicket = 8;
inline constexpr std::int64_t kTicketLasts = 24 * 3600;  // seconds

// What opens manifest and captions of a media.
struct Pass {
  std::int64_t ends = 0;  // seconds since 1970
  std::int64_t link = 0;  // that of Link::number()
};

// The validity of addresses that are made now: all that are made before `changes` end at `end`. In
// seconds since 1970.
struct Span {
  std::int64_t end = 0;
  std::int64_t changes = 0;
  // For how long a response with such addresses may be kept.
  base::Duration fresh_for(std::int64_t now) const;
};

class WatchKeys {
 public:
  // `ring`: nullptr without watch-key-file: then no link is valid, and addresses of files have no
  // signature. Both outlive it.
  WatchKeys(const base::KeyRing* ring, const base::WallClock& clock) : ring_(ring), clock_(clock) {}

  bool can_make_links() const { return ring_ != nullptr; }
  std::int64_t now() const { return clock_.now(); }  // seconds since 1970

  // The token of a link, of at most 200 characters [A-Za-z0-9_.~-]. Needs can_make_links().
  std::string token_of(const media::HashedId& media, const Link& link) const;
  // Returns the link that opens the media now, if that lists it or it need not be listed.
  enum class Wrong { Unknown, Ended };
  base::Result<Link, Wrong> open(const media::HashedId& media,
                                 std::optional<std::int64_t> links_from,
                                 std::string_view token) const;

  // Returns the part of the query on which responses about that media depend: a token of ours, also
  // if it has ended; kWrongWatch for any other; "" without one.
  std::string_view part_of(std::string_view query, std::string_view media) const;

  // For a film of `duration` seconds; it ends with the link, if `link_ends` is not 0.
  Span span(std::optional<double> duration, std::int64_t link_ends) const;
  // Opens manifest and captions of the media until then. `link`: that of Link::number().
  std::string pass(const media::HashedId& media, std::optional<std::int64_t> links_from,
                   std::int64_t end, std::int64_t link = 0) const;
  // Returns the pass if it opens the media now.
  std::optional<Pass> open_pass(const media::Media& media, std::string_view token) const;

  // The media's ticket of this hour; "" without keys.
  std::string ticket(const media::HashedId& media) const;
  // Whether it is one of the last day.
  bool is_ticket(const media::HashedId& media, std::string_view ticket) const;

  // Returns how long a response with a player's data may be cached: until the next ticket, or until
  // the addresses of `span` change. nullopt: without a limit.
  std::optional<base::Duration> fresh_for(const std::optional<Span>& span) const;

  // The address of the file with a signature that nginx checks; `url` itself if it is not a file of
  // ours.
  std::string signed_url(const std::string& url, std::optional<std::int64_t> links_from,
                         std::int64_t end, std::int64_t link = 0) const;

 private:
  // Whether the ring made the token for that media, and it has the right length.
  bool is_genuine(std::string_view label, std::string_view media, std::string_view token) const;

  std::vector<std::string> tickets(const media::HashedId& media, std::int64_t hour) const;

  const base::KeyRing* const ring_;
  const base::WallClock& clock_;
};

}  // namespace svc::embed
