// Shares: how much of a pool's time each account uses, in memory that its workers share
// (operations-P82).
//
// While others send requests and the pool is busy, an account gets a third of the pool: beyond it,
// its requests wait, so that they follow each other at that rate; beyond kWindow they are refused.
// Else it gets all. Only time that a worker or one of its threads works counts, not that of a
// store.
//
// An account has one number, the time until which its share is used up (GCRA). The pool has one,
// too: it is busy after more than kAtOnce of work above kBusy of its processors, whatever the work
// was for, and no request waits longer than this number says. A worker that is killed locks
// nothing, and its requests took the time that they were expected to take.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace svc::loop {

class Shares {
 public:
  class Use;

  static constexpr int kPart = 3;  // an account has the whole divided by this
  // An account may use its share of this time in advance; beyond kAtOnce of it, requests wait.
  static constexpr base::Duration kWindow = std::chrono::seconds(1);
  static constexpr base::Duration kAtOnce = std::chrono::milliseconds(250);
  // Others send requests if the latest is not older.
  static constexpr base::Duration kOthers = std::chrono::seconds(1);
  static constexpr int kBusy = 80;                // percent
  static constexpr std::size_t kAccounts = 1021;  // that use it at the same time; others are free

  // `workers`: of the pool. More of them than processors do not add time. Throws std::bad_alloc if
  // mmap(2) fails.
  explicit Shares(std::size_t workers);
  Shares(std::size_t workers, std::size_t processors);
  ~Shares();
  Shares(const Shares&) = delete;
  Shares& operator=(const Shares&) = delete;

  // What an account may still use.
  struct Left {
    std::chrono::milliseconds share;  // in kWindow
    std::chrono::milliseconds left;   // of these
    std::chrono::seconds until_all;   // rounded up
  };
  Left left(std::int64_t account, base::TimePoint now) const;

  // A worker has worked, until now, for whatever: requests, its connections, replies of stores.
  void worked(base::Duration work, base::TimePoint now);

 private:
  struct Entry {
    std::atomic<std::int64_t> account;  // 0: free
    std::atomic<std::int64_t> free_at;  // monotonic ns: its share is used up to here
    std::atomic<std::int64_t> usual;    // ns: time of a request
  };
  struct Seen {
    std::atomic<std::int64_t> account, at;
  };
  struct Table {
    std::atomic<std::int64_t> busy_until;  // monotonic ns: the pool's work above kBusy is done
    std::array<Seen, 2> latest;            // of two accounts; 0: requests without an account
    std::array<Entry, kAccounts> entries;
  };

  Entry* find(std::int64_t account) const;  // nullptr: it has used nothing
  Entry* claim(std::int64_t account, std::int64_t now);
  void see(std::int64_t account, std::int64_t now);
  bool has_others(std::int64_t account, std::int64_t now) const;
  // How much of its time an account has used after so much work.
  std::int64_t of_share(base::Duration work) const { return work.count() * kPart / processors_; }
  // The same of the pool's time below kBusy.
  std::int64_t of_pool(base::Duration work) const {
    return work.count() * 100 / kBusy / processors_;
  }
  static void add(std::atomic<std::int64_t>& until, std::int64_t used, std::int64_t now);

  const std::int64_t processors_;  // that the pool can use
  Table* table_ = nullptr;
};

// What one request uses. Its end counts it. A request that ends before finish(), because its client
// has left, counts as it was expected to.
class Shares::Use {
 public:
  // `shares` and `clock` outlive it. nullptr: counts nothing.
  Use(Shares* shares, const base::Clock& clock) : shares_(shares), clock_(clock) {}
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  // The time that the request has worked so far; nullptr if nothing counts it.
  base::Duration* spent() { return shares_ == nullptr ? nullptr : &spent_; }

  enum class May : std::uint8_t { Wait, BeRefused };
  // The account is known: it pays for the request. Returns how long to wait for its turn, which may
  // be zero; nullopt if it has used its share, and the request is to be refused. Later calls have
  // no effect.
  std::optional<base::Duration> admit(std::int64_t account, May may);
  // The request has worked to its end.
  void finish() { is_finished_ = true; }
  // nullopt: the account is unknown.
  std::optional<Left> left() const;

 private:
  Shares* const shares_;
  const base::Clock& clock_;
  base::Duration spent_{};
  std::int64_t account_ = 0;
  base::Duration expected_{};  // counted so far; zero: it had no turn
  bool is_finished_ = false;
};

}  // namespace svc::loop
