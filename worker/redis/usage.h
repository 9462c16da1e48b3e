// Usage in Redis: one hash a day, a field an account. It lives in the state Redis, since it is
// counted towards somebody's bill.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "media/usage.h"
#include "redis/connection.h"

namespace svc::redis {

class Usage : public media::Usage {
 public:
  explicit Usage(Connection& connection) : connection_(connection) {}

  // Handed to the operating system before the answer is, so a worker that is killed behind its
  // answer has counted it.
  void count_manifest(media::AccountId account) override;

  // Adds so many at once, and says whether they were taken in.
  bool add_manifests(media::AccountId account, std::uint64_t count);

  struct Day {
    std::string date;  // yyyy-mm-dd, UTC
    std::int64_t manifests = 0;
  };
  // The last `days` days up to today, oldest first. Throws base::Unavailable.
  std::vector<Day> manifests(media::AccountId account, int days);

 private:
  Connection& connection_;
  std::string expiring_;  // the day whose hash this worker has given a time to live
};

}  // namespace svc::redis
