#include "stores/catalog/index_block.h"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "base/digest.h"
#include "base/leb128.h"

namespace svc::stores {
namespace {

constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kMaxBodyBytes = 1 << 20;  // as read
// A block beyond either limit is split. It is read and written whole.
constexpr std::size_t kMaxEntries = 256;
constexpr std::size_t kMaxEntryBytes = 16 * 1024;
constexpr int kCompressionLevel = 3;

void append_little_endian(std::string& out, std::uint32_t number) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>((number >> (8 * i)) & 0xff);
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return number;
}

// Reads numbers and texts; `ok` is false after the end.
class BodyReader {
 public:
  explicit BodyReader(std::string_view body) : left_(body) {}

  std::size_t number() {
    const auto number = base::take_leb128(left_);
    ok_ = ok_ && number.has_value();
    return static_cast<std::size_t>(number.value_or(0));
  }
  std::string_view text(std::size_t length) {
    if (length > left_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view text = left_.substr(0, length);
    left_.remove_prefix(length);
    return text;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
  bool ok_ = true;
};

// Kept: the preparation of a context takes longer than a block.
ZSTD_CCtx& compressor() {
  static const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> kContext(ZSTD_createCCtx(),
                                                                             ZSTD_freeCCtx);
  if (!kContext) throw std::bad_alloc();
  return *kContext;
}
ZSTD_DCtx& decompressor() {
  static const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> kContext(ZSTD_createDCtx(),
                                                                             ZSTD_freeDCtx);
  if (!kContext) throw std::bad_alloc();
  return *kContext;
}

std::size_t common(std::string_view one, std::string_view other) {
  const std::size_t most = std::min(one.size(), other.size());
  std::size_t length = 0;
  while (length < most && one[length] == other[length]) ++length;
  return length;
}

// The lengths, the keys and the values are each together: so they compress better.
std::string body_of(const IndexBlock& block) {
  std::string lengths;
  std::string keys;
  std::string values;
  std::string_view before;
  for (const IndexEntry& entry : block.entries) {
    const std::size_t shared = common(before, entry.key);
    base::append_leb128(lengths, shared);
    base::append_leb128(lengths, entry.key.size() - shared);
    base::append_leb128(lengths, entry.value.size());
    keys += std::string_view(entry.key).substr(shared);
    values += entry.value;
    before = entry.key;
  }
  std::string body;
  base::append_leb128(body, block.end.size());
  body += block.end;
  base::append_leb128(body, lengths.size());
  base::append_leb128(body, keys.size());
  return body + lengths + keys + values;
}

}  // namespace

std::string to_text(const IndexBlock& block) {
  const std::string body = body_of(block);
  std::string rest;
  append_little_endian(rest, static_cast<std::uint32_t>(block.entries.size()));
  append_little_endian(rest, static_cast<std::uint32_t>(body.size()));
  const std::size_t header = rest.size();
  rest.resize(header + ZSTD_compressBound(body.size()));
  const std::size_t length =
      ZSTD_compressCCtx(&compressor(), rest.data() + header, rest.size() - header, body.data(),
                        body.size(), kCompressionLevel);
  rest.resize(header + length);
  return base::sha256(rest).substr(0, kBlockVersionBytes) + rest;
}

std::optional<IndexBlock> block_of(std::string_view text) {
  if (text.size() < kHeaderBytes) return std::nullopt;
  const std::size_t count = block_count(text.substr(kBlockVersionBytes));
  const std::size_t bytes = little_endian(text.substr(kBlockVersionBytes + kBlockCountBytes));
  if (bytes > kMaxBodyBytes || count > bytes) return std::nullopt;
  std::string body(bytes, '\0');
  const std::string_view compressed = text.substr(kHeaderBytes);
  if (ZSTD_decompressDCtx(&decompressor(), body.data(), body.size(), compressed.data(),
                          compressed.size()) != bytes)
    return std::nullopt;
  BodyReader whole(body);
  IndexBlock block;
  block.end = whole.text(whole.number());
  const std::size_t lengths_size = whole.number();
  const std::size_t keys_size = whole.number();
  BodyReader lengths(whole.text(lengths_size));
  BodyReader keys(whole.text(keys_size));
  block.entries.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t shared = lengths.number();
    const std::string_view before = i == 0 ? std::string_view() : block.entries.back().key;
    const std::string_view rest = keys.text(lengths.number());
    const std::string_view value = whole.text(lengths.number());
    if (shared > before.size() || !lengths.ok() || !keys.ok() || !whole.ok()) return std::nullopt;
    std::string key(before.substr(0, shared));
    key += rest;
    if (i > 0 && key <= before) return std::nullopt;
    block.entries.push_back({std::move(key), std::string(value)});
  }
  if (!whole.ok() || !whole.at_end() || !lengths.at_end() || !keys.at_end()) return std::nullopt;
  return block;
}

std::string_view block_version(std::string_view text) { return text.substr(0, kBlockVersionBytes); }

std::size_t block_count(std::string_view bytes) {
  return bytes.size() < kBlockCountBytes ? 0 : little_endian(bytes);
}

std::vector<std::span<const IndexEntry>> split_for_blocks(std::span<const IndexEntry> entries) {
  std::size_t bytes = 0;
  for (const IndexEntry& entry : entries) bytes += entry.key.size() + entry.value.size();
  if (entries.size() <= kMaxEntries && bytes <= kMaxEntryBytes) return {entries};
  std::vector<std::span<const IndexEntry>> parts;
  while (!entries.empty()) {
    std::size_t length = 0;
    std::size_t of_part = 0;
    while (length < entries.size() && length < kMaxEntries * 2 / 3 &&
           (length == 0 || of_part < kMaxEntryBytes * 2 / 3)) {
      of_part += entries[length].key.size() + entries[length].value.size();
      ++length;
    }
    parts.push_back(entries.first(length));
    entries = entries.subspan(length);
  }
  return parts;
}

std::string_view shortest_between(std::string_view before, std::string_view key) {
  return key.substr(0, common(before, key) + 1);
}

}  // namespace svc::stores
