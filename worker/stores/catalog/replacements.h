// Replacements in Redis: one hash, which is small, because each entry ends with a conversion.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "media/replacements.h"
#include "redis/store.h"

namespace svc::stores {

class Replacements : public media::Replacements {
 public:
  explicit Replacements(redis::Store& store) : store_(store) {}

  loop::Task<> begin(media::Replacement replacement) override;
  loop::Task<std::vector<media::Replacement>> all() override;
  loop::Task<> end(media::HashedId upload) override;
  loop::Task<std::optional<std::string>> failure(media::HashedId media) override;
  loop::Task<> forget_failure(media::HashedId media) override;
  loop::Task<> fail(media::HashedId media, std::string why) override;

 private:
  redis::Store& store_;
};

}  // namespace svc::stores
