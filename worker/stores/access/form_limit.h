// FormLimit in Redis: one counter per contact, with a time to live.
#pragma once

#include <cstdint>
#include <optional>

#include "login/form_limit.h"
#include "redis/store.h"

namespace svc::stores {

class FormLimit : public login::FormLimit {
 public:
  explicit FormLimit(redis::Store& store) : store_(store) {}

  loop::Task<std::optional<std::int64_t>> wait(media::ContactId contact) override;

 private:
  redis::Store& store_;
};

}  // namespace svc::stores
