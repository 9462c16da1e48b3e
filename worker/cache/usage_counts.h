// UsageCounts: manifests that were sent but are not in the store's counts yet,
// per account (oembed-M5).
//
// The counts are in memory shared across fork(). A killed worker loses none:
// any other worker writes them. Only one worker writes at a time.
//
// Each batch has a name that the store keeps with its counts. A batch that got
// no reply, or whose worker was killed, is taken again with the same name, so that the store can be
// asked whether it has it. So each batch is added only once.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace svc::cache {

class UsageCounts {
 public:
  static constexpr std::size_t kAccounts = 1021;  // accounts at most; each keeps its entry

  // Throws std::bad_alloc if mmap(2) fails, std::system_error if the kernel lacks robust mutexes.
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
  // Returns the counts to write: those of the last batch whose outcome was not reported, or else
  // all, for the UTC day `today`. Empty while another batch exists
  // in any worker.
  Batch take(std::chrono::sys_days today);

  bool empty() const;

 private:
  struct Entry {
    std::atomic<std::int64_t> account;  // 0: free; an account keeps its entry
    // Totals, which only grow. Up to `stored` they are in the store, up to
    // `taken` perhaps, with the last batch.
    std::atomic<std::uint64_t> counted, taken, stored;
  };
  struct Table {
    pthread_mutex_t writer;  // held by the worker that has a batch, until it ends
    std::uint64_t name;      // random: other machines have tables, too
    // Of the last batch.
    std::uint64_t number;
    std::chrono::sys_days day;
    std::array<Entry, kAccounts> entries;
  };

  bool become_writer();

  Table* table_ = nullptr;
};

// Counts that are being written. The caller reports the outcome of each count once. If an outcome
// is missing, the next batch contains that count again. The UsageCounts
// outlive it.
class UsageCounts::Batch {
 public:
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  const std::vector<Waiting>& waiting() const { return waiting_; }
  // An earlier batch of that name may have been written.
  bool is_again() const { return is_again_; }
  std::uint64_t table() const { return counts_->table_->name; }
  std::uint64_t number() const { return counts_->table_->number; }
  std::chrono::sys_days day() const { return counts_->table_->day; }

  void written(const Waiting& waiting);
  // The store did not add it, and will not.
  void refused(const Waiting& waiting);

 private:
  friend class UsageCounts;
  // nullptr: an empty batch.
  Batch(UsageCounts* counts, std::vector<Waiting> waiting, bool is_again)
      : counts_(counts), waiting_(std::move(waiting)), is_again_(is_again) {}

  UsageCounts* const counts_;
  const std::vector<Waiting> waiting_;
  const bool is_again_;
};

}  // namespace svc::cache
