// put_record(): writes a record of the catalog as the service does, with what lists have of it.
#pragma once

#include <string>

#include "media/media.h"
#include "redis/store.h"
#include "stores/catalog/commit.h"

namespace svc::integration {

// `after`: the record; "": deletes it. Returns false if another writer changed it first.
loop::Task<bool> put_record(redis::Store& store, media::AccountId account,
                            stores::IndexedRecord record, std::string after);

}  // namespace svc::integration
