#include "cache/kept.h"

#include <array>

namespace svc::cache {
namespace {

// What the allocator, and the two ways to find an entry, cost beside its own bytes.
constexpr std::size_t kOverhead = 256;
constexpr std::size_t kOverheadOfKey = 64;

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

}  // namespace svc::cache
