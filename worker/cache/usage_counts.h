// UsageCounts: manifests that were answered and are not written to the store yet, by account (M5).
//
// In memory shared across fork(): a worker that is killed loses nothing, since any other, or its
// successor, writes what it counted. One writes at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

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

  // Has everything written that waits: `write` is called for each account and says whether it
  // was. What was not stays. Nothing happens while another worker is at it.
  using Write = std::function<bool(std::int64_t account, std::uint64_t count)>;
  void flush(const Write& write);

  bool empty() const { return table_->waiting.load(std::memory_order_relaxed) == 0; }

 private:
  struct Entry {
    std::atomic<std::int64_t> account;  // 0: free; an account keeps its place
    std::atomic<std::uint64_t> count;
  };
  struct Table {
    std::atomic<std::uint64_t> waiting;  // all counts together
    std::atomic<std::int32_t> writer;    // pid of whoever writes
    std::array<Entry, kAccounts> entries;
  };

  Table* table_ = nullptr;
};

}  // namespace svc::cache
