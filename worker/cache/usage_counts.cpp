#include "cache/usage_counts.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace svc::cache {

UsageCounts::UsageCounts() {
  void* memory =
      mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  table_ = static_cast<Table*>(memory);  // zeroed: no accounts, no counts
}

UsageCounts::~UsageCounts() { munmap(table_, sizeof(Table)); }

bool UsageCounts::count(std::int64_t account) {
  constexpr std::size_t kTries = 16;
  const auto first = static_cast<std::uint64_t>(account) * 0x9e3779b97f4a7c15U;
  for (std::size_t i = 0; i < kTries; ++i) {
    Entry& entry = table_->entries[(first + i) % kAccounts];
    std::int64_t nobody = 0;
    if (entry.account.load(std::memory_order_relaxed) == account ||
        entry.account.compare_exchange_strong(nobody, account) || nobody == account) {
      entry.count.fetch_add(1, std::memory_order_relaxed);
      table_->waiting.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

// A worker that was killed while it wrote has left its pid. If this worker has
// the same pid and is not writing, that was a dead worker too.
bool UsageCounts::become_writer() {
  if (writing_) return false;
  const auto own = static_cast<std::int32_t>(getpid());
  std::int32_t writer = table_->writer.load();
  if (writer != 0 && writer != own && (kill(writer, 0) == 0 || errno != ESRCH)) return false;
  writing_ = table_->writer.compare_exchange_strong(writer, own);
  return writing_;
}

UsageCounts::Batch UsageCounts::take() {
  if (!become_writer()) return {nullptr, {}};
  std::vector<Waiting> waiting;
  for (std::size_t i = 0; i < kAccounts; ++i) {
    const Entry& entry = table_->entries[i];
    const std::uint64_t count = entry.count.load(std::memory_order_relaxed);
    if (count == 0) continue;
    waiting.push_back({entry.account.load(std::memory_order_relaxed), count, i});
  }
  return {this, std::move(waiting)};
}

UsageCounts::Batch::~Batch() {
  if (counts_ == nullptr) return;
  counts_->writing_ = false;
  counts_->table_->writer.store(0);
}

// A count is subtracted after it is written. If the worker is killed in
// between, its successor writes it again: one account's count is added twice,
// rather than all counts lost.
void UsageCounts::Batch::written(const Waiting& waiting) {
  Table& table = *counts_->table_;
  table.entries[waiting.place].count.fetch_sub(waiting.count, std::memory_order_relaxed);
  table.waiting.fetch_sub(waiting.count, std::memory_order_relaxed);
}

}  // namespace svc::cache
