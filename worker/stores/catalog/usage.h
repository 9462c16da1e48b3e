// Usage in Redis: one hash per day, one field per account. It is stored in the
// state Redis, because customers are billed by it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "media/usage.h"
#include "redis/store.h"

namespace svc::stores {

class Usage : public media::Usage {
 public:
  explicit Usage(redis::Store& store) : store_(store) {}

  // Sent at the end of this turn of the loop. Lost if Redis is unavailable.
  void count_manifest(media::AccountId account) override;

  // The name of a batch: the table of counts, and its number of the batch, which
  // only grows.
  struct BatchName {
    std::chrono::sys_days day;  // UTC, to which it is added
    std::uint64_t table = 0;
    std::uint64_t number = 0;
  };
  struct Count {
    media::AccountId account;
    std::uint64_t count = 0;
  };
  // NoReply: it may have been added.
  enum class Added { Yes, Refused, NoReply };
  // Adds the counts, and then notes the batch. Returns an outcome per count. Logs
  // a refusal, once until the next success. Never throws.
  loop::Task<std::vector<Added>> add_manifests(BatchName batch, std::vector<Count> counts);
  // Returns whether a whole batch was added: the last batch of its table for that day. All commands
  // of an earlier connection must have been executed. Throws
  // base::Unavailable.
  loop::Task<bool> has_added(BatchName batch);

  struct Day {
    std::string date;  // yyyy-mm-dd, UTC
    std::int64_t manifests = 0;
  };
  // Returns the last `days` days up to today (UTC), oldest first. Throws
  // base::Unavailable.
  loop::Task<std::vector<Day>> manifests(media::AccountId account, int days);

 private:
  void log_refused(const redis::ErrorReply& error);

  redis::Store& store_;
  std::string expiring_;  // the key whose hash has its time to live from this worker
  bool said_refused_ = false;
};

}  // namespace svc::stores
