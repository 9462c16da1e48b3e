// FormLimit in Redis: one counter per contact, with a time to live.
#pragma once

#include "login/form_limit.h"
#include "redis/connection.h"

namespace svc::redis {

class FormLimit : public login::FormLimit {
 public:
  explicit FormLimit(Connection& connection) : connection_(connection) {}

  std::optional<std::int64_t> wait(media::ContactId contact) override;

 private:
  Connection& connection_;
};

}  // namespace svc::redis
