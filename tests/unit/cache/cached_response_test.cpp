#include "cache/cached_response.h"

#include <gtest/gtest.h>

namespace svc::cache {
namespace {

http::Response page() {
  http::Response response;
  response.content_type = "application/json";
  response.body = "{}";
  response.about = "l4unchf1lm";
  response.counts_for = 1001;
  response.with("Cache-Control", "public, max-age=60");
  return http::with_entity_tag(std::move(response), "");
}

http::Request question() {
  http::Request request;
  request.method = "GET";
  request.path = "/oembed";
  request.query = "url=x";
  return request;
}

TEST(CachedResponse, StaleResponsesAreNotCacheable) {
  CachedResponse cached = to_cached_response(7, question(), page());
  mark_stale(cached);
  EXPECT_EQ(cached.head,
            "Status: 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Cache-Control: no-cache\r\nETag: " +
                cached.tag + "\r\n\r\n");
  EXPECT_EQ(cached.bare, "Status: 304 Not Modified\r\nCache-Control: no-cache\r\nETag: " +
                             cached.tag + "\r\n\r\n");
  CachedResponse plain;
  plain.head = "Status: 200 OK\r\n\r\n";
  mark_stale(plain);
  EXPECT_EQ(plain.head, "Status: 200 OK\r\nCache-Control: no-cache\r\n\r\n");
  EXPECT_EQ(plain.bare, "");
}

TEST(CachedResponse, CountsAllItsBytes) {
  CachedResponse cached;
  const std::size_t empty = cached.bytes();
  EXPECT_GE(empty, sizeof(CachedResponse));
  for (std::string* text : {&cached.path, &cached.query, &cached.head, &cached.bare, &cached.body,
                            &cached.tag, &cached.about})
    text->assign(100, 'x');
  EXPECT_EQ(cached.bytes(), empty + 700);
  cached.made_from = {1, 2};
  EXPECT_GE(cached.bytes(), empty + 700 + 2 * sizeof(std::uint64_t));
}

}  // namespace
}  // namespace svc::cache
