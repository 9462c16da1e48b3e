// CaptionService: sets, replaces and deletes captions of a media, for the API, the pages and
// svcctl.
//
// As in MediaService, the event is recorded before the change, and only if something changes.
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
  CaptionService(media::Catalog& catalog, media::CaptionTexts& texts, oauth::Audit& audit,
                 base::Entropy& entropy, const base::WallClock& clock, const CaptionLimits& limits)
      : catalog_(catalog),
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

 private:
  struct Change;

  loop::Task<> record(oauth::EventName what, const media::HashedId& id,
                      const captions::Language& language, const Actor& actor);
  loop::Task<Stored> set(const media::HashedId& id, const captions::Language& language,
                         const std::string& webvtt, Change change, const Actor& actor);
  std::string random_digits(std::size_t bytes);
  std::string version_of(const std::string& mark, std::size_t bytes);
  // Returns the mark of the versions that a request writes.
  std::string mark_of(const Actor& actor);

  media::Catalog& catalog_;
  media::CaptionTexts& texts_;
  oauth::Audit& audit_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
  const CaptionLimits limits_;
};

}  // namespace svc::library
