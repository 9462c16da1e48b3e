// CaptionTexts: the texts of captions that clients set, as WebVTT, by media and version. Which
// version is shown is in the media's record (Captions::version()).
//
// A text of a version never changes. A writer adds the text; one step then changes the record and
// deletes the texts that it does not name. So the version in a record exists, and a writer that
// dies leaves at most a text that no record names, until the next change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "media/media.h"
#include "media/reads.h"

namespace svc::media {

class CaptionTexts {
 public:
  virtual ~CaptionTexts() = default;

  // A version ends with the bytes of its text, in hexadecimal digits. 0: it does not.
  static std::size_t bytes_of_version(std::string_view version);
  // Of the captions of a media that have one.
  static std::vector<std::string> versions_of(const Media& media);
  static std::size_t bytes_of(const Media& media);

  // All throw base::Unavailable.

  // Returns nullopt if there is no such version. Adds the key to `reads`.
  virtual loop::Task<std::optional<std::string>> find(HashedId media, std::string version,
                                                      Reads& reads) = 0;

  // Of a version that no other call has.
  struct Text {
    std::string version;
    std::string webvtt;
  };
  struct Edited {
    std::optional<Media> media{};  // as Records::edit_media() returns it
    bool is_full = false;          // the texts of the account would have more than `most` bytes
  };
  // As Records::edit_media(): `change` names the versions of `texts` in the record, or returns
  // false. Also if the store is full, without `texts` and if the record does not grow.
  virtual loop::Task<Edited> edit(HashedId id, std::vector<Text> texts,
                                  std::function<bool(Media&)> change, std::int64_t most) = 0;
  // Returns the bytes of the texts of the account.
  virtual loop::Task<std::int64_t> bytes(AccountId account) = 0;
};

}  // namespace svc::media
