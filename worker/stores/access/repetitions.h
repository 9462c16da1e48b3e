// Repetitions in Redis: one record per name, and the names of an account by the time at which they
// end, and with their bytes.
#pragma once

#include <string>
#include <string_view>

#include "oauth/repetitions.h"
#include "redis/store.h"

namespace svc::stores {

class Repetitions : public oauth::Repetitions {
 public:
  explicit Repetitions(redis::Store& store) : store_(store) {}

  loop::Task<Begun> begin(const Owner& owner, std::string_view name, std::string_view body,
                          std::string_view request, std::int64_t now) override;
  loop::Task<> end(const Owner& owner, std::string_view name, std::string_view body,
                   std::string_view request, std::string_view response, std::int64_t now) override;

 private:
  loop::Task<std::int64_t> until_one_ends(media::AccountId account, std::int64_t now);

  redis::Store& store_;
};

}  // namespace svc::stores
