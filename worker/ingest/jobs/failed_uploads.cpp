#include "ingest/jobs/failed_uploads.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

namespace svc::ingest {
namespace {

struct OfAccount {
  std::deque<std::size_t> uploads;  // the oldest first
  std::uint64_t weight = 0;
};

// Removes the oldest of the heaviest account while there are too many.
std::vector<std::size_t> relieve(
    const std::vector<FailedUpload>& uploads,
    const std::function<std::uint64_t(const FailedUpload&)>& weight_of,
    const std::function<bool(std::uint64_t heaviest, std::uint64_t all)>& is_too_much) {
  std::map<std::int64_t, OfAccount> accounts;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < uploads.size(); ++i) {
    OfAccount& account = accounts[uploads[i].account.value()];
    account.uploads.push_back(i);
    account.weight += weight_of(uploads[i]);
    all += weight_of(uploads[i]);
  }
  std::vector<std::size_t> removed;
  while (!accounts.empty()) {
    const auto heaviest = std::ranges::max_element(
        accounts, {}, [](const auto& account) { return account.second.weight; });
    OfAccount& account = heaviest->second;
    if (account.weight == 0 || !is_too_much(account.weight, all)) break;
    const std::size_t oldest = account.uploads.front();
    account.uploads.pop_front();
    const std::uint64_t weight = weight_of(uploads[oldest]);
    account.weight -= weight;
    all -= weight;
    if (weight > 0) removed.push_back(oldest);
  }
  return removed;
}

}  // namespace

std::vector<std::size_t> too_many(const std::vector<FailedUpload>& uploads, FailedLimits limits) {
  return relieve(
      uploads, [](const FailedUpload&) { return 1; },
      [&](std::uint64_t heaviest, std::uint64_t all) {
        return heaviest > limits.of_an_account || all > limits.all;
      });
}

std::vector<std::size_t> too_large(const std::vector<FailedUpload>& uploads, std::uint64_t free) {
  // Each file that goes leaves its bytes free.
  std::uint64_t total = free;
  for (const FailedUpload& upload : uploads) total += upload.bytes;
  return relieve(
      uploads, [](const FailedUpload& upload) { return upload.bytes; },
      [&](std::uint64_t, std::uint64_t all) { return all > total / 2; });
}

}  // namespace svc::ingest
