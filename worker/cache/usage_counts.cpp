#include "cache/usage_counts.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <random>
#include <system_error>

namespace svc::cache {

UsageCounts::UsageCounts() {
  void* memory =
      mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  table_ = static_cast<Table*>(memory);  // zeroed: no accounts, no counts
  std::random_device random;
  table_->name = (std::uint64_t{random()} << 32) | random();
  pthread_mutexattr_t shared;
  pthread_mutexattr_init(&shared);
  pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
  const int error = pthread_mutex_init(&table_->writer, &shared);
  pthread_mutexattr_destroy(&shared);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_mutex_init");
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
      entry.counted.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

bool UsageCounts::empty() const {
  return std::ranges::none_of(table_->entries, [](const Entry& entry) {
    return entry.counted.load(std::memory_order_relaxed) !=
           entry.stored.load(std::memory_order_relaxed);
  });
}

// The kernel gives up the mutex of a worker that is killed while it writes. A pid would not
// do: the kernel may have given it to another process.
bool UsageCounts::become_writer() {
  const int error = pthread_mutex_trylock(&table_->writer);
  if (error == EOWNERDEAD) pthread_mutex_consistent(&table_->writer);
  return error == 0 || error == EOWNERDEAD;
}

UsageCounts::Batch UsageCounts::take(std::chrono::sys_days today) {
  if (!become_writer()) return {nullptr, {}, false};
  std::vector<Waiting> waiting;
  const auto collect = [&] {
    for (std::size_t i = 0; i < kAccounts; ++i) {
      const Entry& entry = table_->entries[i];
      const std::uint64_t count = entry.taken.load() - entry.stored.load();
      if (count > 0) waiting.push_back({entry.account.load(std::memory_order_relaxed), count, i});
    }
  };
  collect();
  const bool is_again = !waiting.empty();
  if (!is_again) {
    ++table_->number;
    table_->day = today;
    for (Entry& entry : table_->entries)
      entry.taken.store(entry.counted.load(std::memory_order_relaxed));
    collect();
  }
  return {this, std::move(waiting), is_again};
}

UsageCounts::Batch::~Batch() {
  if (counts_ != nullptr) pthread_mutex_unlock(&counts_->table_->writer);
}

void UsageCounts::Batch::written(const Waiting& waiting) {
  Entry& entry = counts_->table_->entries[waiting.place];
  entry.stored.store(entry.taken.load());
}

void UsageCounts::Batch::refused(const Waiting& waiting) {
  Entry& entry = counts_->table_->entries[waiting.place];
  entry.taken.store(entry.stored.load());
}

}  // namespace svc::cache
