// FormLimit in Redis: one counter per contact, with a time to live.
#pragma once

#include <cstdint>
#include <optional>

#include "login/form_limit.h"
#include "redis/channel.h"

namespace svc::redis {

class FormLimit : public login::FormLimit {
 public:
  explicit FormLimit(Channel& channel) : channel_(channel) {}

  loop::Task<std::optional<std::int64_t>> wait(media::ContactId contact) override;

 private:
  Channel& channel_;
};

}  // namespace svc::redis
