// failed_uploads: which uploads that failed are given up before their time, so that
// a client can fill neither the store nor the disk with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "media/id.h"

namespace svc::ingest {

struct FailedUpload {
  media::AccountId account;
  std::uint64_t bytes = 0;  // size of its file
};

struct FailedLimits {
  std::size_t of_an_account = 1'000;
  std::size_t all = 10'000;
};

// Takes the uploads with the oldest first. Returns the indices of those that are too many: the
// oldest of an account with more than its number, then those of the account that has the most.
std::vector<std::size_t> too_many(const std::vector<FailedUpload>& uploads,
                                  FailedLimits limits = {});

// Returns the indices of those whose files take the room of others. All together take at most
// `free`, which is what their disk has left. The oldest of the account with the most bytes go
// first.
std::vector<std::size_t> too_large(const std::vector<FailedUpload>& uploads, std::uint64_t free);

}  // namespace svc::ingest
