// PublicApplications in Redis, by the index of their origins (stores/access/client_index.h). One
// command answers each question.
#pragma once

#include <string_view>

#include "oauth/stores.h"
#include "redis/store.h"

namespace svc::stores {

class PublicApplications : public oauth::PublicApplications {
 public:
  explicit PublicApplications(redis::Store& store) : store_(store) {}

  // Both throw base::Unavailable.
  loop::Task<bool> exist() override;
  loop::Task<bool> have_origin(std::string_view origin) override;

 private:
  redis::Store& store_;
};

}  // namespace svc::stores
