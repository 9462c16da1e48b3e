// FormLimit in Redis: one counter per contact, with a time to live.
#pragma once

#include <cstdint>
#include <optional>

#include "login/form_limit.h"
#include "redis/store.h"

namespace svc::redis {

class FormLimit : public login::FormLimit {
 public:
  explicit FormLimit(Store& store) : store_(store) {}

  loop::Task<std::optional<std::int64_t>> wait(media::ContactId contact) override;

 private:
  Store& store_;
};

}  // namespace svc::redis
