#include "stores/catalog/caption_texts.h"

#include <zstd.h>

#include <array>
#include <functional>
#include <utility>

#include "base/number.h"
#include "stores/catalog/commit.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

// The first byte of the stored form.
constexpr char kPlain = '0';
constexpr char kPacked = '1';
constexpr int kCaptionsLevel = 6;
// A file of 2 MiB whose characters are all written as references takes 10 MiB.
constexpr std::size_t kMaxUnpacked = 16 << 20;

}  // namespace

std::string packed_captions(std::string_view text) {
  std::string stored(1 + ZSTD_compressBound(text.size()), kPacked);
  const std::size_t length =
      ZSTD_compress(stored.data() + 1, stored.size() - 1, text.data(), text.size(), kCaptionsLevel);
  if (ZSTD_isError(length) != 0 || length >= text.size()) return kPlain + std::string(text);
  stored.resize(1 + length);
  return stored;
}

std::optional<std::string> unpacked_captions(std::string_view stored) {
  if (stored.empty() || (stored.front() != kPlain && stored.front() != kPacked))
    return std::nullopt;
  const std::string_view rest = stored.substr(1);
  if (stored.front() == kPlain) return std::string(rest);
  const auto length = ZSTD_getFrameContentSize(rest.data(), rest.size());
  if (length > kMaxUnpacked) return std::nullopt;  // or an error, which is larger
  std::string text(length, '\0');
  if (ZSTD_decompress(text.data(), text.size(), rest.data(), rest.size()) != length)
    return std::nullopt;
  return text;
}

std::size_t unpacked_size(std::string_view stored) {
  if (stored.empty() || stored.front() != kPacked) return stored.size();
  const std::string_view rest = stored.substr(1);
  const auto length = ZSTD_getFrameContentSize(rest.data(), rest.size());
  return length > kMaxUnpacked ? 0 : static_cast<std::size_t>(length);
}

loop::Task<std::optional<std::string>> CaptionTexts::find(media::HashedId media,
                                                          std::string version,
                                                          media::Reads& reads) {
  const std::string key = keys::captions(media);
  reads.note(key);
  redis::Store::Call call = store_.read({"HGET", key, version});
  const redis::Reply reply = co_await call;
  const auto stored = reply.text();
  if (!stored) co_return std::nullopt;
  std::optional<std::string> text;
  const bool is_packed = stored->starts_with(kPacked);
  if (heavy_ != nullptr && is_packed && unpacked_size(*stored) > loop::HeavyWork::kLight) {
    std::function<std::optional<std::string>()> unpack = [packed = std::string(*stored)] {
      return unpacked_captions(packed);
    };
    std::shared_ptr<loop::HeavyWork::Ticket> ticket;
    text = co_await heavy_->run<std::optional<std::string>>(std::move(ticket), std::move(unpack));
  } else {
    text = unpacked_captions(*stored);
  }
  if (!text) corrupt_record(key, "version " + version + " is not a compressed text");
  co_return text;
}

loop::Task<> CaptionTexts::add(media::HashedId media, std::string version, std::string text) {
  const std::string key = keys::captions(media);
  std::string stored;
  if (heavy_ != nullptr && text.size() > loop::HeavyWork::kLight) {
    std::function<std::string()> pack = [plain = std::move(text)] {
      return packed_captions(plain);
    };
    std::shared_ptr<loop::HeavyWork::Ticket> ticket;
    stored = co_await heavy_->run<std::string>(std::move(ticket), std::move(pack));
  } else {
    stored = packed_captions(text);
  }
  const std::array<std::string_view, 4> words{"HSET", key, version, stored};
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
  const redis::Reply reply = co_await call;
}

loop::Task<> CaptionTexts::remove(media::HashedId media, std::vector<std::string> versions) {
  if (versions.empty()) co_return;
  const std::string key = keys::captions(media);
  std::vector<std::string_view> words{"HDEL", key};
  words.insert(words.end(), versions.begin(), versions.end());
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
  const redis::Reply reply = co_await call;
}

loop::Task<std::vector<std::string>> CaptionTexts::versions(media::HashedId media) {
  const std::string key = keys::captions(media);
  redis::Store::Call call = store_.read({"HKEYS", key});
  const redis::Reply reply = co_await call;
  std::vector<std::string> versions;
  for (std::size_t i = 0; i < reply.size(); ++i)
    versions.emplace_back(reply.at(i).text().value_or(""));
  co_return versions;
}

loop::Task<> CaptionTexts::count(media::AccountId account, media::HashedId media,
                                 std::int64_t bytes) {
  Commit commit(account);
  commit.weigh(Commit::Weight::Captions, media, static_cast<std::uint64_t>(bytes));
  co_await commit.run(store_);
}

loop::Task<std::int64_t> CaptionTexts::bytes(media::AccountId account) {
  const std::string key = keys::captioned(account);
  redis::Store::Call call = store_.read({"ZRANGE", key, "0", "-1", "WITHSCORES"});
  const redis::Reply reply = co_await call;
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i < reply.size(); i += 2)
    bytes += base::parse_number<std::int64_t>(reply.at(i).text().value_or(""), 0).value_or(0);
  co_return bytes;
}

}  // namespace svc::stores
