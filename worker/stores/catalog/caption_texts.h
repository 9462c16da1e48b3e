// CaptionTexts in Redis: a hash per media, its fields are the versions. A text is compressed if
// that makes it shorter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/heavy_work.h"
#include "media/caption_texts.h"
#include "redis/store.h"

namespace svc::stores {

class CaptionTexts : public media::CaptionTexts {
 public:
  // `heavy` compresses long texts and reads them; nullptr: in the caller's thread. Both outlive it.
  explicit CaptionTexts(redis::Store& store, loop::HeavyWork* heavy = nullptr)
      : store_(store), heavy_(heavy) {}

  loop::Task<std::optional<std::string>> find(media::HashedId media, std::string version,
                                              media::Reads& reads) override;
  loop::Task<Edited> edit(media::HashedId id, std::vector<Text> texts,
                          std::function<bool(media::Media&)> change, std::int64_t most) override;
  loop::Task<std::int64_t> bytes(media::AccountId account) override;

 private:
  struct Packed {
    std::string version;
    std::string stored;
  };

  loop::Task<std::string> pack(std::string webvtt);
  // Returns false if the record of the media is not the one in `record`.
  loop::Task<bool> stage(const media::Media& media, const std::string& record,
                         const std::vector<Packed>& texts);
  // Deletes texts that no record names.
  loop::Task<> drop(media::HashedId id, const std::vector<Packed>& texts);

  redis::Store& store_;
  loop::HeavyWork* const heavy_;
};

// The stored form of a text and back; nullopt for bytes that are not one.
std::string packed_captions(std::string_view text);
std::optional<std::string> unpacked_captions(std::string_view stored);
// The size of the text, before it is unpacked. 0 for bytes that are not one.
std::size_t unpacked_size(std::string_view stored);

}  // namespace svc::stores
