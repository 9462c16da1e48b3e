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

TEST(Kept, SaysWhatItIsAbout) {
  const Kept kept = keep(7, question(), page());
  EXPECT_EQ(kept.hash, 7u);
  EXPECT_EQ(kept.status, 200);
  EXPECT_EQ(kept.body, "{}");
  EXPECT_EQ(kept.about, "l4unchf1lm");
  EXPECT_EQ(kept.counts_for, 1001);
  EXPECT_FALSE(kept.is_refusal());
}

TEST(Kept, OfARefusalHasNo304) {
  const Kept kept = keep(7, question(), http::json_error(404, "no such media"));
  EXPECT_TRUE(kept.is_refusal());
  EXPECT_EQ(kept.bare, "");
  EXPECT_EQ(kept.tag, "");
  EXPECT_EQ(kept.counts_for, 0);
}

TEST(Kept, C3CountsAllItsBytes) {
  Kept kept;
  const std::size_t empty = kept.bytes();
  EXPECT_GE(empty, sizeof(Kept));
  for (std::string* text :
       {&kept.path, &kept.query, &kept.head, &kept.bare, &kept.body, &kept.tag, &kept.about})
    text->assign(100, 'x');
  EXPECT_EQ(kept.bytes(), empty + 700);
  kept.made_from = {1, 2};
  EXPECT_GE(kept.bytes(), empty + 700 + 2 * sizeof(std::uint64_t));
}

}  // namespace
}  // namespace svc::cache
