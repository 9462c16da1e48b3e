// Replacements: uploads whose files are to replace those of a media, once they are ready
// (library/replacement_service.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loop/task.h"
#include "media/id.h"

namespace svc::media {

struct Replacement {
  HashedId upload;  // a media of its own until then
  HashedId media;   // gets its files
  AccountId account;
  ContactId contact;       // who uploaded it
  std::int64_t begun = 0;  // ms since 1970
  bool operator==(const Replacement&) const = default;
};

class Replacements {
 public:
  virtual ~Replacements() = default;

  // All throw base::Unavailable. All may be repeated.
  virtual loop::Task<> begin(Replacement replacement) = 0;
  // Returns all that have begun and not ended, the earliest first.
  virtual loop::Task<std::vector<Replacement>> all() = 0;
  virtual loop::Task<> end(HashedId upload) = 0;

  // Why the last replacement of the media's files failed, a sentence. It is kept for a week, and
  // until another one begins or the media gets other files. nullopt: it did not.
  virtual loop::Task<std::optional<std::string>> failure(HashedId media) = 0;
  virtual loop::Task<> fail(HashedId media, std::string why) = 0;
  virtual loop::Task<> forget_failure(HashedId media) = 0;
};

}  // namespace svc::media
