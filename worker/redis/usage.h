// Usage in Redis: one hash a day, a field an account. It lives in the state Redis, since it is
// counted towards somebody's bill.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "media/usage.h"
#include "redis/channel.h"

namespace svc::redis {

class Usage : public media::Usage {
 public:
  explicit Usage(Channel& channel) : channel_(channel) {}

  // Sent with the end of this turn of the loop.
  void count_manifest(media::AccountId account) override;

  // Adds `count` in one command. Returns false if Redis refused it or is away; refusals are logged,
  // once until the next success. Never throws.
  loop::Task<bool> add_manifests(media::AccountId account, std::uint64_t count);

  struct Day {
    std::string date;  // yyyy-mm-dd, UTC
    std::int64_t manifests = 0;
  };
  // The last `days` days up to today, oldest first. Throws base::Unavailable.
  loop::Task<std::vector<Day>> manifests(media::AccountId account, int days);

 private:
  void log_refused(const ErrorReply& error);

  Channel& channel_;
  std::string expiring_;  // the day whose hash this worker has given a time to live
  bool said_refused_ = false;
};

}  // namespace svc::redis
