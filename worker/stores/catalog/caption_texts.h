// CaptionTexts in Redis: a hash per media, its fields are the versions. A text is compressed if
// that makes it shorter.
#pragma once

#include <cstdint>
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
  loop::Task<> add(media::HashedId media, std::string version, std::string text) override;
  loop::Task<> remove(media::HashedId media, std::vector<std::string> versions) override;
  loop::Task<std::vector<std::string>> versions(media::HashedId media) override;
  loop::Task<> count(media::AccountId account, media::HashedId media, std::int64_t bytes) override;
  loop::Task<std::int64_t> bytes(media::AccountId account) override;

 private:
  redis::Store& store_;
  loop::HeavyWork* const heavy_;
};

// The stored form of a text and back; nullopt for bytes that are not one.
std::string packed_captions(std::string_view text);
std::optional<std::string> unpacked_captions(std::string_view stored);
// The size of the text, before it is unpacked. 0 for bytes that are not one.
std::size_t unpacked_size(std::string_view stored);

}  // namespace svc::stores
