// Usage in Redis: one hash per day, one field per account. It is stored in the
// state Redis, because customers are billed by it.
#pragma once

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

  // Adds `count`. Returns false if Redis rejected the command or did not reply;
  // without a reply, it may have been added. Logs a rejection, once until the
  // next success. Never throws.
  loop::Task<bool> add_manifests(media::AccountId account, std::uint64_t count);

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
  std::string expiring_;  // the day whose hash has its time to live from this worker
  bool said_refused_ = false;
};

}  // namespace svc::stores
