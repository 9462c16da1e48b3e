#include "cache/kept.h"

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

TEST(Kept, R4HasTheHeadsOfA200AndOfA304) {
  const http::Response response = page();
  const Kept kept = keep(7, question(), response);
  EXPECT_EQ(kept.head,
            "Status: 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Cache-Control: public, max-age=60\r\nETag: " +
                kept.tag + "\r\n\r\n");
  EXPECT_EQ(kept.bare, "Status: 304 Not Modified\r\nCache-Control: public, max-age=60\r\nETag: " +
                           kept.tag + "\r\n\r\n");
  EXPECT_TRUE(kept.answers("/oembed", "url=x"));
  EXPECT_FALSE(kept.answers("/oembed", "url=y"));
}

TEST(Kept, D3WhatMayBeOldIsNotForOthersToKeep) {
  const Kept kept = keep(7, question(), page());
  EXPECT_EQ(stale_head(kept),
            "Status: 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Cache-Control: no-cache\r\nETag: " +
                kept.tag + "\r\n\r\n");
  Kept plain;
  plain.head = "Status: 200 OK\r\n\r\n";
  EXPECT_EQ(stale_head(plain), "Status: 200 OK\r\nCache-Control: no-cache\r\n\r\n");
}

TEST(Kept, C3GoesToAnotherWorkerAndComesBackTheSame) {
  Kept kept = keep(7, question(), page());
  kept.began = base::TimePoint(std::chrono::seconds(5));
  kept.made_from = {1, 2, 3};
  const std::string text = to_text(kept);
  const auto back = from_text(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), text);
  EXPECT_EQ(back->head, kept.head);
  EXPECT_EQ(back->body, "{}");
  EXPECT_EQ(back->made_from, kept.made_from);
  EXPECT_EQ(back->counts_for, 1001);
  EXPECT_EQ(back->about, "l4unchf1lm");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(from_text(std::string_view(text).substr(0, size))) << size;
  EXPECT_FALSE(from_text(text + "x"));
}

}  // namespace
}  // namespace svc::cache
