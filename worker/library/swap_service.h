// SwapService: replaces the files of a media by those of another, for the API and the pages
// (api-M6).
//
// The event is recorded before the change, which is one commit (media::Uploads::swap()). "This" is
// the media that keeps its id, "the other" is deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "library/actor.h"
#include "library/media_service.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/media.h"
#include "media/people.h"
#include "media/uploads.h"
#include "oauth/stores.h"

namespace svc::library {

struct SwapRefusal {
  enum class Kind : std::uint8_t {
    NotFound,   // no such media in the account
    Overtaken,  // the media does not meet the caller's condition
    Busy,       // the media cannot get files now
    Replacement
  };
  Kind kind;
  std::string words{};  // of Busy and Replacement: why
};

class SwapService {
 public:
  // How long the former files stay, in seconds: for players that play them.
  static constexpr std::int64_t kFormerKept = 86'400;

  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  SwapService(media::Catalog& catalog, media::Uploads& uploads, media::People& people,
              oauth::Audit& audit, const base::WallClock& clock)
      : catalog_(catalog), uploads_(uploads), people_(people), audit_(audit), clock_(clock) {}

  using Swapped = base::Result<media::Media, SwapRefusal>;

  // Returns the media as stored. If it was swapped already, the condition does not matter.
  loop::Task<Swapped> swap(const media::HashedId& id, const std::string& replacement,
                           const Condition& condition, const Actor& actor);

 private:
  struct Change;

  // Has svc-ingest mark the folders that the media got, if their marks change.
  loop::Task<> guard(const Change& change, const media::Media& media);

  media::Catalog& catalog_;
  media::Uploads& uploads_;
  media::People& people_;
  oauth::Audit& audit_;
  const base::WallClock& clock_;
};

}  // namespace svc::library
