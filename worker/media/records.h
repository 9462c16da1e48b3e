// Records: changes of single records of the catalog, by compare and set.
#pragma once

#include <functional>
#include <optional>

#include "loop/task.h"
#include "media/account.h"
#include "media/media.h"

namespace svc::media {

class Records {
 public:
  virtual ~Records() = default;

  // All throw base::Unavailable.

  // Applies `change` to the media and stores it, with its place in the lists of its account, if
  // `change` returns true. If another writer was faster, `change` is called again with its record.
  // Returns the media as it is then; nullopt if it does not exist.
  virtual loop::Task<std::optional<Media>> edit_media(HashedId id,
                                                      std::function<bool(Media&)> change) = 0;
};

class AccountRecords {
 public:
  virtual ~AccountRecords() = default;

  // As Records::edit_media().
  virtual loop::Task<std::optional<Account>> edit_account(AccountId id,
                                                          std::function<bool(Account&)> change) = 0;
};

}  // namespace svc::media
