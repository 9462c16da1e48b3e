#include "stores/catalog/caption_texts.h"

#include <zstd.h>

#include <functional>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "stores/catalog/caption_texts.lua.h"
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
// Each time, another writer has changed the record of the media, or many have added texts.
constexpr int kMostCaptionEdits = 100;

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

loop::Task<std::string> CaptionTexts::pack(std::string webvtt) {
  if (heavy_ == nullptr || webvtt.size() <= loop::HeavyWork::kLight)
    co_return packed_captions(webvtt);
  std::function<std::string()> packing = [plain = std::move(webvtt)] {
    return packed_captions(plain);
  };
  std::shared_ptr<loop::HeavyWork::Ticket> ticket;
  std::string packed = co_await heavy_->run<std::string>(std::move(ticket), std::move(packing));
  co_return packed;
}

loop::Task<bool> CaptionTexts::stage(const media::Media& media, const std::string& record,
                                     const std::vector<Packed>& texts) {
  const std::vector<std::string> names = versions_of(media);
  for (const Packed& text : texts) {
    functions::StageCaptions run{.media = keys::media(media.id),
                                 .captions = keys::captions(media.id),
                                 .record = record,
                                 .version = text.version,
                                 .text = text.stored,
                                 .names = {}};
    run.names.insert(run.names.end(), names.begin(), names.end());
    for (const Packed& other : texts) run.names.emplace_back(other.version);
    const redis::Reply reply = co_await store_.call(std::move(run));
    if (reply.integer() == 0) co_return false;
  }
  co_return true;
}

loop::Task<> CaptionTexts::drop(media::HashedId id, const std::vector<Packed>& texts) {
  if (texts.empty()) co_return;
  const std::string key = keys::captions(id);
  std::vector<std::string_view> words{"HDEL", key};
  for (const Packed& text : texts) words.push_back(text.version);
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Primary);
  co_await call;
}

loop::Task<media::CaptionTexts::Edited> CaptionTexts::edit(
    media::HashedId id, std::vector<Text> texts, std::function<bool(media::Media&)> change,
    std::int64_t most) {
  std::vector<Packed> packed;
  for (Text& text : texts) {
    std::string stored = co_await pack(std::move(text.webvtt));
    packed.push_back({std::move(text.version), std::move(stored)});
  }
  const std::string key = keys::media(id);
  bool is_staged = false;
  for (int tries = 0; tries < kMostCaptionEdits; ++tries) {
    redis::Store::Call call = store_.get(key);
    const redis::Reply reply = co_await RecordRead{call, key};
    if (!reply.text()) co_return Edited();
    const std::string before(*reply.text());
    text::json::Document document;
    media::Media media = must_read(key, media_from_stored(document, before, media::Detail::All));
    media::Media stored = media;
    if (!change(media)) {
      if (is_staged) {
        co_await drop(id, packed);
      }
      co_return Edited{std::move(stored)};
    }
    Commit commit(media.account);
    const std::string after = to_record(media, &stored);
    const bool grows = !packed.empty() || after.size() > before.size();
    commit.change(key, before, after);
    commit.note({Indexed::Media, id.value()}, indexed_fields(stored), indexed_fields(media));
    for (const Packed& text : packed) commit.must_be_staged(id, text.version);
    commit.keep_texts(media);
    commit.limit(Commit::Weight::Captions, static_cast<std::uint64_t>(most));
    is_staged = true;
    const bool is_same = co_await stage(stored, before, packed);
    if (!is_same) continue;
    const Commit::Outcome outcome =
        co_await commit.run(store_, grows ? Commit::Size::More : Commit::Size::Less);
    if (outcome == Commit::Outcome::Done) co_return Edited{std::move(media)};
    if (outcome != Commit::Outcome::Full) continue;
    co_await drop(id, packed);
    co_return Edited{std::move(stored), true};
  }
  throw base::Unavailable("captions change too often");
}

loop::Task<std::int64_t> CaptionTexts::bytes(media::AccountId account) {
  const std::string key = keys::index(account);
  redis::Store::Call call = store_.read({"HGET", key, "captions"});
  const redis::Reply reply = co_await call;
  co_return base::parse_number<std::int64_t>(reply.text().value_or(""), 0).value_or(0);
}

}  // namespace svc::stores
