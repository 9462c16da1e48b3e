#include "cache/kept.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace svc::cache {
namespace {

// What the allocator, and the two ways to find an entry, cost beside its own bytes.
constexpr std::size_t kOverhead = 256;
constexpr std::size_t kOverheadOfKey = 64;

// Everything of a Kept but its texts.
struct Fixed {
  std::uint64_t hash;
  std::int64_t counts_for;
  std::int64_t began;
  std::int64_t until;
  std::int32_t status;
  std::uint32_t keys;
  std::array<std::uint32_t, 7> sizes;
};

template <class Any>
auto texts(Any& kept) {
  return std::array{&kept.path, &kept.query, &kept.head, &kept.bare,
                    &kept.body, &kept.tag,   &kept.about};
}

}  // namespace

std::size_t Kept::bytes() const {
  std::size_t sum = sizeof(Kept) + kOverhead + made_from.size() * kOverheadOfKey;
  for (const std::string* text : texts(*this)) sum += text->size();
  return sum;
}

Kept keep(std::uint64_t hash, const http::Request& request, const http::Response& response) {
  Kept kept;
  kept.hash = hash;
  kept.path = request.path;
  kept.query = request.query;
  kept.status = response.status;
  http::append_head(kept.head, response);
  kept.body = response.body;
  kept.about = response.about;
  kept.counts_for = response.counts_for;
  for (const http::Header& header : response.headers) {
    if (header.name == "ETag") kept.tag = header.value;
  }
  if (response.status == 200 && !kept.tag.empty()) {
    http::Response bare;
    bare.status = 304;
    bare.headers = response.headers;
    http::append_head(kept.bare, bare);
  }
  return kept;
}

std::string stale_head(const Kept& kept) {
  constexpr std::string_view kName = "\r\nCache-Control: ";
  std::string head = kept.head;
  const std::size_t at = head.find(kName);
  if (at == std::string::npos) {
    head.insert(head.size() - 2, "Cache-Control: no-cache\r\n");
  } else {
    const std::size_t value = at + kName.size();
    head.replace(value, head.find("\r\n", value) - value, "no-cache");
  }
  return head;
}

std::string to_text(const Kept& kept) {
  Fixed fixed{kept.hash,
              kept.counts_for,
              kept.began.time_since_epoch().count(),
              kept.until.time_since_epoch().count(),
              kept.status,
              static_cast<std::uint32_t>(kept.made_from.size()),
              {}};
  const auto all = texts(kept);
  for (std::size_t i = 0; i < all.size(); ++i)
    fixed.sizes[i] = static_cast<std::uint32_t>(all[i]->size());
  std::string out(reinterpret_cast<const char*>(&fixed), sizeof fixed);
  out.append(reinterpret_cast<const char*>(kept.made_from.data()),
             kept.made_from.size() * sizeof(std::uint64_t));
  for (const std::string* text : all) out += *text;
  return out;
}

std::optional<Kept> from_text(std::string_view text) {
  Fixed fixed{};
  if (text.size() < sizeof fixed) return std::nullopt;
  std::memcpy(&fixed, text.data(), sizeof fixed);
  text.remove_prefix(sizeof fixed);
  std::size_t wanted = std::size_t{fixed.keys} * sizeof(std::uint64_t);
  for (const std::uint32_t size : fixed.sizes) wanted += size;
  if (text.size() != wanted) return std::nullopt;
  Kept kept;
  kept.hash = fixed.hash;
  kept.counts_for = fixed.counts_for;
  kept.began = base::TimePoint(base::Duration(fixed.began));
  kept.until = base::TimePoint(base::Duration(fixed.until));
  kept.status = fixed.status;
  kept.made_from.resize(fixed.keys);
  const std::size_t keys = fixed.keys * sizeof(std::uint64_t);
  if (keys > 0) std::memcpy(kept.made_from.data(), text.data(), keys);
  text.remove_prefix(keys);
  const auto all = texts(kept);
  for (std::size_t i = 0; i < all.size(); ++i) {
    *all[i] = text.substr(0, fixed.sizes[i]);
    text.remove_prefix(fixed.sizes[i]);
  }
  return kept;
}

}  // namespace svc::cache
