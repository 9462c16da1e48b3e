// UsageCounts: manifests that were sent but are not in the store's counts yet,
// per account (oembed-M5).
//
// The counts are in memory shared across fork(). A killed worker loses none:
// any other worker writes them. Only one worker writes at a time.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace svc::cache {

class UsageCounts {
 public:
  static constexpr std::size_t kAccounts = 1021;  // accounts at most; each keeps its entry

  // Throws std::bad_alloc if mmap(2) fails, std::system_error if the kernel has no robust mutexes.
  UsageCounts();
  ~UsageCounts();
  UsageCounts(const UsageCounts&) = delete;
  UsageCounts& operator=(const UsageCounts&) = delete;

  // Returns false if each of the 16 entries that this account may use belongs
  // to another account. The caller must then write the count itself.
  bool count(std::int64_t account);

  struct Waiting {
    std::int64_t account = 0;
    std::uint64_t count = 0;
    std::size_t place = 0;  // index of its entry
  };
  class Batch;
  // Returns the counts to write. Empty while another batch exists in any
  // worker.
  Batch take();

  bool empty() const { return table_->waiting.load(std::memory_order_relaxed) == 0; }

 private:
  struct Entry {
    std::atomic<std::int64_t> account;  // 0: free; an account keeps its entry
    std::atomic<std::uint64_t> count;
  };
  struct Table {
    std::atomic<std::uint64_t> waiting;  // sum of all counts
    pthread_mutex_t writer;              // held by the worker that has a batch, until it ends
    std::array<Entry, kAccounts> entries;
  };

  bool become_writer();

  Table* table_ = nullptr;
};

// Counts that are being written. Counts that were not reported as written
// before the batch ends stay for the next one. The UsageCounts outlive it.
class UsageCounts::Batch {
 public:
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  const std::vector<Waiting>& waiting() const { return waiting_; }
  // Subtracts one of waiting(). Call it once for each that the store has added.
  void written(const Waiting& waiting);

 private:
  friend class UsageCounts;
  // nullptr: an empty batch.
  Batch(UsageCounts* counts, std::vector<Waiting> waiting)
      : counts_(counts), waiting_(std::move(waiting)) {}

  UsageCounts* const counts_;
  const std::vector<Waiting> waiting_;
};

}  // namespace svc::cache
