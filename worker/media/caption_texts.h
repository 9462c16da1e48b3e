// CaptionTexts: the texts of captions that clients set, as WebVTT, by media and version. Which
// version is shown is in the media's record (Captions::version()).
//
// A text of a version never changes. A writer adds the text, then changes the record, then removes
// the former version: so the version in a record exists, and a crash leaves at most a text too
// many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "media/reads.h"

namespace svc::media {

class CaptionTexts {
 public:
  // A version that has been missing from the record for this many seconds was left by a crash.
  static constexpr std::int64_t kWriting = 60;

  virtual ~CaptionTexts() = default;

  // A version ends with the bytes of its text, in hexadecimal digits. 0: it does not.
  static std::size_t bytes_of_version(std::string_view version);

  // All throw base::Unavailable. All may be repeated.

  // Returns nullopt if there is no such version. Adds the key to `reads`.
  virtual loop::Task<std::optional<std::string>> find(HashedId media, std::string version,
                                                      Reads& reads) = 0;
  virtual loop::Task<> add(HashedId media, std::string version, std::string text) = 0;
  // Also if the store is full.
  virtual loop::Task<> remove(HashedId media, std::vector<std::string> versions) = 0;
  virtual loop::Task<std::vector<std::string>> versions(HashedId media) = 0;

  // Notes the bytes of the texts of a media; 0: it has none.
  virtual loop::Task<> count(AccountId account, HashedId media, std::int64_t bytes) = 0;
  // Returns the bytes of all media of the account, as they were noted.
  virtual loop::Task<std::int64_t> bytes(AccountId account) = 0;
};

}  // namespace svc::media
