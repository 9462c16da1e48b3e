// LibraryStores: what Redis holds of the media and projects of accounts, for library::LibraryParts.
#pragma once

#include "loop/heavy_work.h"
#include "loop/pieces.h"
#include "redis/store.h"
#include "stores/audit.h"
#include "stores/catalog/caption_texts.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/people.h"
#include "stores/catalog/project_registry.h"
#include "stores/catalog/replacements.h"
#include "stores/catalog/statistics.h"
#include "stores/catalog/uploads.h"

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
