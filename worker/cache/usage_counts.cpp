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
  table_ = static_cast<Table*>(memory);  // zero: nobody, nothing
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

// A count is taken out once it is written. Whoever is killed between the two has it written again:
// a moment of one worker, rather than a second of all.
void UsageCounts::flush(const Write& write) {
  std::int32_t writer = table_->writer.load();
  if (writer != 0 && (kill(writer, 0) == 0 || errno != ESRCH)) return;
  if (!table_->writer.compare_exchange_strong(writer, static_cast<std::int32_t>(getpid()))) return;
  for (Entry& entry : table_->entries) {
    const std::uint64_t count = entry.count.load(std::memory_order_relaxed);
    if (count == 0) continue;
    if (!write(entry.account.load(std::memory_order_relaxed), count)) break;
    entry.count.fetch_sub(count, std::memory_order_relaxed);
    table_->waiting.fetch_sub(count, std::memory_order_relaxed);
  }
  table_->writer.store(0);
}

}  // namespace svc::cache
