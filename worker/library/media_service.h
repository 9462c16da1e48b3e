// MediaService: edits and deletes media, for the API, the pages and svcctl. It has the rules and
// the audit events of these changes.
//
// Each event is recorded before its change: if it cannot be recorded, nothing changes. A request
// records an event only if it changes something (api-N8).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "library/actor.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/media.h"
#include "media/people.h"
#include "media/records.h"
#include "media/uploads.h"
#include "oauth/stores.h"

namespace svc::library {

// The media's own, unless one of them is given.
struct NewPoster {
  std::optional<media::Thumbnail> picture{};
  // A picture of the video at this time, in ms. Until svc-ingest has made it, the poster stays.
  std::optional<std::int64_t> at{};
};

// Absent fields stay.
struct MediaEdit {
  std::optional<std::string> name{};
  std::optional<std::string> description{};
  std::optional<NewPoster> poster{};
  std::optional<media::Visibility> visibility{};
  std::optional<std::optional<media::AllowedDomains>> allowed_domains{};
};

struct EditRefusal {
  std::string_view field;
  std::string why;  // after the name of the field
};

// Options of the player for a media (api-Z1).
struct CustomizationEdit {
  std::map<std::string, std::optional<media::OptionValue>, std::less<>> options{};  // nullopt: none
  bool replaces = false;  // other options of the media go; otherwise they stay
};

// The condition that a record must meet to be changed; empty: always met.
using Condition = std::function<bool(const media::Media&)>;

class MediaService {
 public:
  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  MediaService(media::Catalog& catalog, media::Records& records, media::Uploads& uploads,
               media::People& people, oauth::Audit& audit, const base::WallClock& clock)
      : catalog_(catalog),
        records_(records),
        uploads_(uploads),
        people_(people),
        audit_(audit),
        clock_(clock) {}

  // The picture of an image media of the actor's account, for a poster, or the reason for its
  // absence.
  loop::Task<base::Result<media::Thumbnail, std::string>> picture_of(const std::string& id,
                                                                     const Actor& actor);

  // Whether svc-ingest can make a picture of the video at that time, in ms.
  static bool has_moment(const media::Media& media, std::int64_t at);

  // Returns why the media cannot have the edit: a private or restricted media has no file elsewhere
  // (oembed-W13). nullopt: it can.
  loop::Task<std::optional<EditRefusal>> why_not(const media::Media& media, const MediaEdit& edit);

  // Returns the media as stored. Overtaken, too, if why_not() forbids the edit by then.
  loop::Task<base::Result<media::Media, Refusal>> edit(const media::HashedId& id,
                                                       const MediaEdit& edit,
                                                       const Condition& condition,
                                                       const Actor& actor);

  // As edit(). It does not change the time at which the media was updated.
  loop::Task<base::Result<media::Media, Refusal>> customize(const media::HashedId& id,
                                                            const CustomizationEdit& edit,
                                                            const Condition& condition,
                                                            const Actor& actor);

  // As edit(). The chapters are ascending.
  loop::Task<base::Result<media::Media, Refusal>> set_chapters(
      const media::HashedId& id, const std::vector<media::Chapter>& chapters,
      const Condition& condition, const Actor& actor);

  // Lists a link, whose id it sets, and forgets those that have ended. Full: there are
  // media::kMaxLinks. It does not change the time at which the media was updated, nor does the
  // next.
  loop::Task<base::Result<media::Media, Refusal>> add_link(const media::HashedId& id,
                                                           media::WatchLink& link,
                                                           const Actor& actor);
  // Ends one link, and the signatures that were made for it: by `last`, in seconds since 1970, the
  // latest of them has ended. NotFound, too, if the media has no such link, or it has ended.
  using LastSignature = std::function<std::int64_t(const media::Media&)>;
  loop::Task<base::Result<media::Media, Refusal>> end_link(const media::HashedId& id,
                                                           std::int64_t link,
                                                           const LastSignature& last,
                                                           const Actor& actor);
  // Ends all links to the media and all signatures of its files. It does not change the time at
  // which the media was updated.
  loop::Task<base::Result<media::Media, Refusal>> end_links(const media::HashedId& id,
                                                            const Actor& actor);

  // Removes the media; svc-ingest deletes its files. Also if the store is full. Without a condition
  // also a media whose record cannot be read.
  loop::Task<std::optional<Refusal>> remove(const media::HashedId& id, const Condition& condition,
                                            const Actor& actor);

 private:
  // Applies an edit. Returns the names of the fields that it changes, each after a space.
  using Apply = std::function<std::string(media::Media&)>;
  // `poster`: the edit sets it.
  loop::Task<base::Result<media::Media, Refusal>> change(const media::HashedId& id,
                                                         oauth::EventName what, const Apply& apply,
                                                         std::optional<NewPoster> poster,
                                                         const Condition& condition,
                                                         const Actor& actor);
  // Returns the media if it is one of the actor's, and the condition is true of it.
  loop::Task<base::Result<media::Media, Refusal>> find(const media::HashedId& id,
                                                       const Condition& condition,
                                                       const Actor& actor);

  media::Catalog& catalog_;
  media::Records& records_;
  media::Uploads& uploads_;
  media::People& people_;
  oauth::Audit& audit_;
  const base::WallClock& clock_;
};

}  // namespace svc::library
