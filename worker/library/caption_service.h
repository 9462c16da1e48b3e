// CaptionService: sets, replaces and deletes captions of a media, for the API, the pages and
// svcctl.
//
// As in MediaService, the event is recorded before the change, and only if something changes.
// The order of the writes is that of media/caption_texts.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/result.h"
#include "captions/language.h"
#include "library/actor.h"
#include "loop/task.h"
#include "media/caption_texts.h"
#include "media/catalog.h"
#include "media/media.h"
#include "media/records.h"
#include "oauth/stores.h"

namespace svc::library {

enum class CaptionRefusal : std::uint8_t {
  NoMedia,
  NoCaptions,  // in that language
  Overtaken,   // the captions do not meet the caller's condition
  Exist,       // already, in that language
  TooMany,     // media::kMaxCaptions
  NoRoom       // CaptionLimits
};

struct CaptionLimits {
  std::int64_t bytes = 256 << 20;  // per account, of texts as WebVTT
};

// The condition that captions must meet to be changed; empty: always met.
using CaptionCondition = std::function<bool(const media::Captions&)>;

class CaptionService {
 public:
  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  CaptionService(media::Catalog& catalog, media::Records& records, media::CaptionTexts& texts,
                 oauth::Audit& audit, base::Entropy& entropy, const base::WallClock& clock,
                 const CaptionLimits& limits)
      : catalog_(catalog),
        records_(records),
        texts_(texts),
        audit_(audit),
        entropy_(entropy),
        clock_(clock),
        limits_(limits) {}

  using Stored = base::Result<media::Captions, CaptionRefusal>;

  // Both return the captions as stored. `webvtt` as captions::to_webvtt() writes it.
  loop::Task<Stored> add(const media::HashedId& id, const captions::Language& language,
                         const std::string& webvtt, const Actor& actor);
  loop::Task<Stored> replace(const media::HashedId& id, const captions::Language& language,
                             const std::string& webvtt, const CaptionCondition& condition,
                             const Actor& actor);

  loop::Task<std::optional<CaptionRefusal>> remove(const media::HashedId& id,
                                                   const captions::Language& language,
                                                   const CaptionCondition& condition,
                                                   const Actor& actor);

  // Returns the WebVTT of captions of the media; nullopt if their file is elsewhere. If the
  // captions were replaced in between, returns their new text.
  loop::Task<std::optional<std::string>> text(media::HashedId id, media::Captions captions);

  // Copies the texts of the captions of a media to another one, and returns the captions for its
  // record, which must have them soon: then call settle().
  loop::Task<std::vector<media::Captions>> copy(media::Media from, media::HashedId to,
                                                std::string mark);
  // Removes texts that the record does not have.
  loop::Task<> settle(media::Media media);
  // Returns the mark of the versions that a request writes.
  std::string mark_of(const Actor& actor);

 private:
  struct Change;

  loop::Task<> record(oauth::EventName what, const media::HashedId& id,
                      const captions::Language& language, const Actor& actor);
  loop::Task<Stored> set(const media::HashedId& id, const captions::Language& language,
                         const std::string& webvtt, Change change, const Actor& actor);
  // Removes a text that is no longer in the record, and texts that crashes left.
  loop::Task<> clean_up(const media::Media& media, std::string version);

  media::Catalog& catalog_;
  media::Records& records_;
  media::CaptionTexts& texts_;
  oauth::Audit& audit_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
  const CaptionLimits limits_;
};

}  // namespace svc::library
