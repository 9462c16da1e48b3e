#include "loop/shares.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <thread>

namespace svc::loop {
namespace {

constexpr std::size_t kTries = 16;  // entries that an account may have
// A request is expected to take at least this, so that few wait at the same time.
constexpr base::Duration kLeast = std::chrono::milliseconds(1);
constexpr std::int64_t kWeight = 8;  // of the former requests, in what is usual

std::int64_t number(base::TimePoint at) { return at.time_since_epoch().count(); }

std::size_t place_of(std::int64_t account, std::size_t attempt) {
  return (static_cast<std::uint64_t>(account) * 0x9e3779b97f4a7c15U + attempt) % Shares::kAccounts;
}

}  // namespace

Shares::Shares(std::size_t workers) : Shares(workers, std::thread::hardware_concurrency()) {}

Shares::Shares(std::size_t workers, std::size_t processors)
    : processors_(static_cast<std::int64_t>(
          std::max<std::size_t>(1, std::min(workers, std::max<std::size_t>(processors, 1))))) {
  void* memory =
      mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  table_ = static_cast<Table*>(memory);  // zeroed: no account has used anything
}

Shares::~Shares() { munmap(table_, sizeof(Table)); }

Shares::Entry* Shares::find(std::int64_t account) const {
  for (std::size_t i = 0; i < kTries; ++i) {
    Entry& entry = table_->entries[place_of(account, i)];
    if (entry.account.load(std::memory_order_relaxed) == account) return &entry;
  }
  return nullptr;
}

// An account that owes nothing needs no entry. If two workers claim two for one account, the second
// is not found again, and is free soon.
Shares::Entry* Shares::claim(std::int64_t account, std::int64_t now) {
  if (Entry* found = find(account)) return found;
  for (std::size_t i = 0; i < kTries; ++i) {
    Entry& entry = table_->entries[place_of(account, i)];
    std::int64_t former = entry.account.load(std::memory_order_relaxed);
    if (entry.free_at.load(std::memory_order_relaxed) > now) continue;
    if (!entry.account.compare_exchange_strong(former, account)) continue;
    entry.usual.store(0, std::memory_order_relaxed);
    return &entry;
  }
  return nullptr;
}

void Shares::see(std::int64_t account, std::int64_t now) {
  auto& [first, second] = table_->latest;
  const auto is_of = [&](const Seen& seen) {
    return seen.at.load(std::memory_order_relaxed) != 0 &&
           seen.account.load(std::memory_order_relaxed) == account;
  };
  Seen* place = is_of(first) ? &first : is_of(second) ? &second : nullptr;
  if (place == nullptr) {
    const bool is_first =
        first.at.load(std::memory_order_relaxed) <= second.at.load(std::memory_order_relaxed);
    place = is_first ? &first : &second;
    place->account.store(account, std::memory_order_relaxed);
  }
  place->at.store(now, std::memory_order_relaxed);
}

bool Shares::has_others(std::int64_t account, std::int64_t now) const {
  return std::ranges::any_of(table_->latest, [&](const Seen& seen) {
    const std::int64_t at = seen.at.load(std::memory_order_relaxed);
    return at != 0 && seen.account.load(std::memory_order_relaxed) != account &&
           now - at <= kOthers.count();
  });
}

// Never more than the window: an account that used all of the pool alone has its share again after
// that time.
void Shares::add(std::atomic<std::int64_t>& until, std::int64_t used, std::int64_t now) {
  std::int64_t before = until.load(std::memory_order_relaxed);
  std::int64_t after = 0;
  do {
    after = std::min(std::max(before, now) + used, std::max(before, now + kWindow.count()));
  } while (!until.compare_exchange_weak(before, after));
}

void Shares::worked(base::Duration work, base::TimePoint now) {
  if (work > base::Duration::zero()) add(table_->busy_until, of_pool(work), number(now));
}

Shares::Left Shares::left(std::int64_t account, base::TimePoint now) const {
  using std::chrono::milliseconds;
  const Entry* entry = find(account);
  const std::int64_t free_at =
      entry == nullptr ? 0 : entry->free_at.load(std::memory_order_relaxed);
  const base::Duration used{std::clamp<std::int64_t>(free_at - number(now), 0, kWindow.count())};
  const auto of_pool = [&](base::Duration time) {
    return std::chrono::duration_cast<milliseconds>(time * processors_ / kPart);
  };
  return {of_pool(kWindow), of_pool(kWindow - used), std::chrono::ceil<std::chrono::seconds>(used)};
}

Shares::Use::~Use() {
  if (shares_ == nullptr) return;
  const std::int64_t now = number(clock_.now());
  if (account_ == 0) {
    shares_->see(0, now);
    return;
  }
  Entry* entry = shares_->claim(account_, now);
  if (entry == nullptr) return;
  base::Duration more = spent_ - expected_;
  if (!is_finished_) more = std::max(more, base::Duration::zero());
  add(entry->free_at, shares_->of_share(more), now);
  // Refusals take less than what the account usually asks for.
  if (!is_finished_ || expected_ == base::Duration::zero()) return;
  const std::int64_t usual = entry->usual.load(std::memory_order_relaxed);
  entry->usual.store(usual == 0 ? spent_.count() : usual + (spent_.count() - usual) / kWeight,
                     std::memory_order_relaxed);
}

std::optional<base::Duration> Shares::Use::admit(std::int64_t account, May may) {
  if (shares_ == nullptr || account_ != 0) return base::Duration::zero();
  const std::int64_t now = number(clock_.now());
  shares_->see(account, now);
  account_ = account;
  Entry* entry = shares_->claim(account, now);
  if (entry == nullptr) return base::Duration::zero();
  const base::Duration expected{
      std::max(kLeast.count(), entry->usual.load(std::memory_order_relaxed))};
  base::Duration wait{};
  const auto until = [&](const std::atomic<std::int64_t>& at) {
    return base::Duration{std::max<std::int64_t>(at.load(std::memory_order_relaxed) - now, 0)};
  };
  const base::Duration of_pool = until(shares_->table_->busy_until);
  if (of_pool > kAtOnce && shares_->has_others(account, now)) {
    const base::Duration used = until(entry->free_at);
    wait = std::max(std::min(used, of_pool) - kAtOnce, base::Duration::zero());
    const auto after = std::min(used.count() + shares_->of_share(expected),
                                of_pool.count() + shares_->of_pool(expected));
    if (after > kWindow.count() && used > kAtOnce && may == May::BeRefused) return std::nullopt;
  }
  expected_ = expected;
  add(entry->free_at, shares_->of_share(expected), now);
  return wait;
}

std::optional<Shares::Left> Shares::Use::left() const {
  if (shares_ == nullptr || account_ == 0) return std::nullopt;
  return shares_->left(account_, clock_.now());
}

}  // namespace svc::loop
