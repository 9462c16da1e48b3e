// SwapService: replaces the files of a media by those of another, for the API and the pages
// (api-M6).
//
// The event is recorded before the change. No step changes two keys atomically. "This" is the media
// that keeps its id, "the other" is deleted:
//
//   1. note that this media gets the folder of the other, and add the job for svc-ingest
//   2. mark the other media as swapped into this media, by compare-and-set
//   3. replace the files in the record of this media, by compare-and-set
//   4. remove the other media, without its files, and the reason why a new file failed before
//
// A process that dies before 3 leaves both as they were; a mark is ignored after kForgotten. After
// 3, the same request completes the swap, and so does svc-ingest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "library/actor.h"
#include "library/caption_service.h"
#include "library/media_service.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/media.h"
#include "media/people.h"
#include "media/records.h"
#include "media/replacements.h"
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
  // A mark is ignored after this time: its process has died. The record is written at most kLongest
  // after the mark. In seconds.
  static constexpr std::int64_t kForgotten = 60;
  static constexpr std::int64_t kLongest = 30;

  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  SwapService(media::Catalog& catalog, media::Records& records, media::Uploads& uploads,
              media::Replacements& replacements, media::People& people, CaptionService& captions,
              oauth::Audit& audit, const base::WallClock& clock)
      : catalog_(catalog),
        records_(records),
        uploads_(uploads),
        replacements_(replacements),
        people_(people),
        captions_(captions),
        audit_(audit),
        clock_(clock) {}

  using Swapped = base::Result<media::Media, SwapRefusal>;

  // Returns the media as stored. If it was swapped already, the condition does not matter.
  loop::Task<Swapped> swap(const media::HashedId& id, const std::string& replacement,
                           const Condition& condition, const Actor& actor);

 private:
  // The records as the swap begins.
  struct Both {
    media::Media media;
    media::Media other;
    media::SiteRule of_account;
  };
  enum class Mark : std::uint8_t { None, Fresh, Taken };

  loop::Task<Mark> mark_of(const media::Media& media);
  // Returns nullopt if nothing forbids the swap.
  loop::Task<std::optional<SwapRefusal>> why_not(const media::Media& media,
                                                 const std::optional<media::Media>& other,
                                                 const media::SiteRule& of_account,
                                                 const Condition& condition);
  loop::Task<Swapped> begin(Both both, const Condition& condition, const Actor& actor);
  loop::Task<Swapped> replace(Both both, std::optional<media::SwappedInto> before,
                              CaptionService::Copied copied, const Condition& condition,
                              const Actor& actor);
  loop::Task<> unmark(const Both& both);
  loop::Task<> finish(const media::Media& media, const media::Media& other);

  media::Catalog& catalog_;
  media::Records& records_;
  media::Uploads& uploads_;
  media::Replacements& replacements_;
  media::People& people_;
  CaptionService& captions_;
  oauth::Audit& audit_;
  const base::WallClock& clock_;
};

}  // namespace svc::library
