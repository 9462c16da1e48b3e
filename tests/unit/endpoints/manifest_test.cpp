#include "endpoints/manifest.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fakes/examples.h"
#include "fakes/headers.h"
#include "fakes/memory_catalog.h"
#include "fakes/tasks.h"
#include "http/router.h"

namespace svc {
namespace {

using fakes::header;
using http::Response;

class Manifest : public testing::Test {
 protected:
  Manifest() {
    add("v1deo00001", "Video", media::Status::Ready, media::AssetType::Hls);
    add("mp4only001", "Video", media::Status::Ready, media::AssetType::Mp4);
    add("qu3u3d0001", "Video", media::Status::Queued, media::AssetType::Hls);
    add("pr0cess001", "Video", media::Status::Processing, media::AssetType::Hls);
    add("f41led0001", "Video", media::Status::Failed, media::AssetType::Hls);
    add("aud10only1", "Audio", media::Status::Ready, media::AssetType::Hls);
    router_.add("/embed/medias/*", manifest_);
  }

  void add(const std::string& id, const std::string& type, media::Status status,
           media::AssetType asset_type) {
    media::Media media = fakes::example_video(id);
    media.type = type;
    media.status = status;
    media::Asset asset;
    asset.type = asset_type;
    asset.url = "/deliveries/" + id + "/index.m3u8";
    asset.bandwidth = 1000;
    media.assets.push_back(asset);
    catalog_.add(media);
  }

  Response ask(const std::string& path, std::string_view method = "GET",
               std::string_view if_none_match = "") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.if_none_match = if_none_match;
    return fakes::now(router_.answer(request));
  }

  const embed::Site site_ = fakes::example_site();
  fakes::MemoryCatalog catalog_;
  endpoints::Manifest manifest_{site_, 60, 10, catalog_};
  http::Router router_;
};

TEST_F(Manifest, OembedM3AnswersAPlaylistThatAnyPageMayRead) {
  const Response response = ask("/embed/medias/v1deo00001.m3u8");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/vnd.apple.mpegurl");
  EXPECT_EQ(response.body,
            "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n"
            "#EXT-X-STREAM-INF:BANDWIDTH=1000\n"
            "https://assets.host.example/deliveries/v1deo00001/index.m3u8\n");
  EXPECT_EQ(header(response, "Cache-Control"), "public, max-age=60");
  EXPECT_TRUE(header(response, "ETag").starts_with("W/\""));
}

TEST_F(Manifest, OembedM3AnswersNotModified) {
  const std::string tag = header(ask("/embed/medias/v1deo00001.m3u8"), "ETag");
  const Response response = ask("/embed/medias/v1deo00001.m3u8", "GET", tag);
  EXPECT_EQ(response.status, 304);
  EXPECT_EQ(response.body, "");
}

TEST_F(Manifest, OembedM4RefusesMediaThatCannotBePlayed) {
  struct Case {
    std::string id;
    int status;
  };
  for (const Case& c : {
           Case{"unknown000", 404},
           Case{"f41led0001", 404},
           Case{"V1DEO00001", 404},
           Case{"aud10only1", 501},
           Case{"qu3u3d0001", 501},
           Case{"pr0cess001", 501},
           Case{"mp4only001", 501},
       }) {
    SCOPED_TRACE(c.id);
    const Response response = ask("/embed/medias/" + c.id + ".m3u8");
    EXPECT_EQ(response.status, c.status);
    EXPECT_TRUE(response.body.starts_with("{\"error\":")) << response.body;
    EXPECT_EQ(header(response, "Cache-Control"), "public, max-age=10");
    EXPECT_EQ(response.counts_for, 0);
  }
}

TEST_F(Manifest, OembedM4ReadsNothingForOtherPaths) {
  for (const std::string path :
       {"/embed/medias/", "/embed/medias/.m3u8", "/embed/medias/v1deo00001", "/embed/medias/m3u8",
        "/embed/medias/v1deo00001.M3U8", "/embed/medias/v1deo00001.m3u8/", "/embed/medias/a/b.m3u8",
        "/embed/medias/v1deo00001.m3u8.m3u8", "/embed/medias/v1deo-00001.m3u8",
        "/embed/medias/v1deo00001.json"}) {
    EXPECT_EQ(ask(path).status, 404) << path;
  }
  EXPECT_TRUE(catalog_.asked.empty());
}

TEST_F(Manifest, OembedM5CountsForTheAccountOfTheMedia) {
  EXPECT_EQ(ask("/embed/medias/v1deo00001.m3u8").counts_for, 1001);
  EXPECT_EQ(ask("/embed/medias/v1deo00001.m3u8", "GET", "*").counts_for, 1001)
      << "a 304 plays a copy";
}

TEST_F(Manifest, Answers503IfTheStoreIsUnavailable) {
  catalog_.away = true;
  const Response response = ask("/embed/medias/v1deo00001.m3u8");
  EXPECT_EQ(response.status, 503);
  EXPECT_NE(header(response, "Retry-After"), "none");
  EXPECT_EQ(response.counts_for, 0);
}

TEST_F(Manifest, ReadsItsMediaOnce) {
  ask("/embed/medias/v1deo00001.m3u8");
  EXPECT_EQ(catalog_.asked, std::vector<std::string>{"find media v1deo00001"});
}

TEST_F(Manifest, OembedC2NotesDependenciesOfResponsesAndRefusals) {
  for (const std::string id : {"v1deo00001", "unknown000", "f41led0001", "mp4only001"}) {
    SCOPED_TRACE(id);
    EXPECT_EQ(ask("/embed/medias/" + id + ".m3u8").made_from,
              std::vector<std::string>{"catalog:media:" + id});
  }
  EXPECT_EQ(ask("/embed/medias/v1deo00001.m3u8", "GET", "*").made_from,
            std::vector<std::string>{"catalog:media:v1deo00001"})
      << "a 304";
  EXPECT_EQ(ask("/embed/medias/.m3u8").made_from, std::vector<std::string>{});
}

}  // namespace
}  // namespace svc
