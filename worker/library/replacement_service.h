// ReplacementService: gives a media the files of an upload that was made for it, once svc-ingest
// has converted that (pages-W165).
//
// The upload is a media of its own until then; the former files play. Each step may be repeated, by
// another worker too. Of two uploads for one media the later one counts.
#pragma once

#include <optional>
#include <string>

#include "library/actor.h"
#include "library/media_service.h"
#include "library/swap_service.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/replacements.h"

namespace svc::library {

class ReplacementService {
 public:
  // All references outlive it.
  ReplacementService(media::Catalog& catalog, media::Replacements& replacements,
                     MediaService& medias, SwapService& swaps)
      : catalog_(catalog), replacements_(replacements), medias_(medias), swaps_(swaps) {}

  // Does what is due for all uploads. Throws base::Unavailable.
  loop::Task<> settle();

 private:
  // Whether a later upload is for the same media.
  enum class Turn { Newest, Overtaken };
  loop::Task<> settle(media::Replacement replacement, Turn turn);
  loop::Task<> replace(media::Replacement replacement, media::Media upload);
  // Removes the upload. `why`: a sentence for the users of the media; "": none.
  loop::Task<> give_up(media::Replacement replacement, std::string why);

  media::Catalog& catalog_;
  media::Replacements& replacements_;
  MediaService& medias_;
  SwapService& swaps_;
};

}  // namespace svc::library
