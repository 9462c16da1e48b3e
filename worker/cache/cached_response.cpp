#include "cache/cached_response.h"

#include <array>

namespace svc::cache {
namespace {

// Memory of an entry in addition to its own bytes: the allocator's, and the two
// indexes.
constexpr std::size_t kOverhead = 256;
constexpr std::size_t kOverheadOfKey = 64;

template <class Any>
auto texts(Any& cached) {
  return std::array{&cached.path, &cached.query, &cached.head, &cached.bare,
                    &cached.body, &cached.tag,   &cached.about};
}

}  // namespace

std::size_t CachedResponse::bytes() const {
  std::size_t sum = sizeof(CachedResponse) + kOverhead + made_from.size() * kOverheadOfKey;
  for (const std::string* text : texts(*this)) sum += text->size();
  return sum;
}

CachedResponse without_response(const CachedResponse& cached) {
  CachedResponse mark;
  mark.hash = cached.hash;
  mark.path = cached.path;
  mark.query = cached.query;
  mark.varies_by_site = cached.varies_by_site;
  mark.varies_by_language = cached.varies_by_language;
  mark.began = cached.began;
  mark.made_from = cached.made_from;
  return mark;
}

CachedResponse to_cached_response(std::uint64_t hash, const http::Request& request,
                                  const http::Response& response) {
  CachedResponse cached;
  cached.hash = hash;
  cached.path = request.path;
  cached.query = request.query;
  cached.varies_by_site = response.varies_by_site;
  cached.varies_by_language = response.varies_by_language;
  cached.status = response.status;
  http::append_head(cached.head, response);
  cached.body = response.body;
  cached.about = response.about;
  cached.counts_for = response.counts_for;
  cached.opened_link = response.opened_link;
  cached.refused_for = response.refused_for;
  for (const http::Header& header : response.headers) {
    if (header.name == "ETag") cached.tag = header.value;
  }
  if (response.status == 200 && !cached.tag.empty()) {
    http::Response bare;
    bare.status = 304;
    bare.headers = response.headers;
    http::append_head(cached.bare, bare);
  }
  return cached;
}

void mark_stale(CachedResponse& cached) {
  constexpr std::string_view kName = "\r\nCache-Control: ";
  for (std::string* head : {&cached.head, &cached.bare}) {
    if (head->empty()) continue;
    const std::size_t at = head->find(kName);
    if (at == std::string::npos) {
      head->insert(head->size() - 2, "Cache-Control: no-cache\r\n");
    } else {
      const std::size_t value = at + kName.size();
      head->replace(value, head->find("\r\n", value) - value, "no-cache");
    }
  }
}

}  // namespace svc::cache
