// LibraryParts: the media and projects of accounts, and the services that change them, for the data
// API, the pages and svcctl.
#pragma once

#include "base/clock.h"
#include "base/entropy.h"
#include "embed/site.h"
#include "embed/watch_keys.h"
#include "library/caption_service.h"
#include "library/link_service.h"
#include "library/media_service.h"
#include "library/project_service.h"
#include "library/replacement_service.h"
#include "library/site_service.h"
#include "library/swap_service.h"
#include "media/caption_texts.h"
#include "media/catalog.h"
#include "media/listings.h"
#include "media/people.h"
#include "media/project_records.h"
#include "media/records.h"
#include "media/replacements.h"
#include "media/uploads.h"
#include "oauth/stores.h"
#include "viewing/statistics.h"

namespace svc::library {

struct LibraryParts {
  // `stored` has members of these names (stores/library_stores.h). All of it outlives this.
  template <class Stores>
  LibraryParts(Stores& stored, media::Catalog& every_media, const embed::Site& pages,
               const embed::WatchKeys& keys, base::Entropy& random, const base::WallClock& clock,
               const CaptionLimits& limits)
      : catalog(every_media),
        records(stored.records),
        account_records(stored.records),
        project_records(stored.project_records),
        listings(stored.listings),
        uploads(stored.uploads),
        people(stored.people),
        texts(stored.texts),
        replacements(stored.replacements),
        statistics(stored.statistics),
        audit(stored.audit),
        site(pages),
        watch_keys(keys),
        entropy(random),
        time(clock),
        caption_limits(limits) {}
  LibraryParts(const LibraryParts&) = delete;
  LibraryParts& operator=(const LibraryParts&) = delete;

  media::Catalog& catalog;
  media::Records& records;
  media::AccountRecords& account_records;
  media::ProjectRecords& project_records;
  media::Listings& listings;
  media::Uploads& uploads;
  media::People& people;
  media::CaptionTexts& texts;
  media::Replacements& replacements;
  viewing::Statistics& statistics;
  oauth::Audit& audit;
  const embed::Site& site;
  const embed::WatchKeys& watch_keys;
  base::Entropy& entropy;
  const base::WallClock& time;
  const CaptionLimits caption_limits;

  MediaService medias{catalog, records, uploads, people, audit, time};
  ProjectService projects{catalog, project_records, listings, audit, entropy, time};
  CaptionService captions{catalog, texts, audit, entropy, time, caption_limits};
  SwapService swaps{catalog, uploads, people, audit, time};
  LinkService links{site, watch_keys, medias, statistics, time};
  SiteService sites{people, listings, account_records, uploads, audit};
  ReplacementService replacing{catalog, replacements, medias, swaps};
};

}  // namespace svc::library
