// UsageCounts: manifests that were answered and are not written to the store yet, by account (M5).
//
// In memory shared across fork(): a worker that is killed loses nothing, since any other, or its
// successor, writes what it counted. One writes at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace svc::cache {

class UsageCounts {
 public:
  static constexpr std::size_t kAccounts = 1021;  // that can wait to be written at the same time

  // Throws std::bad_alloc when the memory cannot be had.
  UsageCounts();
  ~UsageCounts();
  UsageCounts(const UsageCounts&) = delete;
  UsageCounts& operator=(const UsageCounts&) = delete;

  // False when there is no room for another account: then the caller has to write by itself.
  bool count(std::int64_t account);

  struct Waiting {
    std::int64_t account = 0;
    std::uint64_t count = 0;
    std::size_t place = 0;  // of its entry
  };
  class Batch;
  // What waits, for the caller to write. Empty while another batch exists, in any worker.
  Batch take();

  bool empty() const { return table_->waiting.load(std::memory_order_relaxed) == 0; }

 private:
  struct Entry {
    std::atomic<std::int64_t> account;  // 0: free; an account keeps its place
    std::atomic<std::uint64_t> count;
  };
  struct Table {
    std::atomic<std::uint64_t> waiting;  // all counts together
    std::atomic<std::int32_t> writer;    // pid of the worker that has a batch; 0: none
    std::array<Entry, kAccounts> entries;
  };

  bool become_writer();

  Table* table_ = nullptr;
  bool writing_ = false;  // this worker has a batch
};

// Counts that are being written. Those that are not reported as written by the end of the batch
// stay, for the next one. The counts outlive it.
class UsageCounts::Batch {
 public:
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  const std::vector<Waiting>& waiting() const { return waiting_; }
  // Takes one of waiting() out of the counts; called once for each that the store took in.
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
