// LibraryStores: what Redis holds of the media and projects of accounts, for library::LibraryParts.
#pragma once

#include "loop/heavy_work.h"
#include "loop/pieces.h"
#include "redis/store.h"
#include "stores/audit.h"
#include "stores/caption_texts.h"
#include "stores/catalog_index.h"
#include "stores/catalog_registry.h"
#include "stores/people.h"
#include "stores/project_registry.h"
#include "stores/replacements.h"
#include "stores/statistics.h"
#include "stores/uploads.h"

namespace svc::stores {

struct LibraryStores {
  // The store outlives it. Without `heavy` and `pieces` it takes what time it needs: svcctl.
  redis::Store& store;
  const People::Hashes hashes = People::Hashes::Read;
  loop::HeavyWork* const heavy = nullptr;
  loop::Pieces* const pieces = nullptr;

  CatalogRegistry records{store};
  ProjectRegistry project_records{store};
  CatalogIndex listings{store, pieces};
  Uploads uploads{store};
  People people{store, hashes};
  CaptionTexts texts{store, heavy};
  Replacements replacements{store};
  Statistics statistics{store};
  Audit audit{store};
};

}  // namespace svc::stores
