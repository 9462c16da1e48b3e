#include "endpoints/player_data.h"

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

using http::Response;

class PlayerData : public testing::Test {
 protected:
  PlayerData() {
    catalog_.add(fakes::example_video());
    media::Media audio = fakes::example_video("aud10only1");
    audio.type = "Audio";
    catalog_.add(audio);
    catalog_.add(fakes::example_playlist({"aud10only1", "l4unchf1lm", "missing000"}));
    catalog_.add(fakes::example_playlist({"aud10only1"}, "pl4ynov1d0"));
    router_.add("/embed/medias/*", data_);
    router_.add("/embed/playlists/*", data_);
  }

  Response ask(const std::string& path, std::string_view method = "GET") {
    http::Request request;
    request.method = method;
    request.path = path;
    return fakes::now(router_.answer(request));
  }

  const embed::Site site_ = fakes::example_site();
  fakes::MemoryCatalog catalog_;
  endpoints::PlayerData data_{site_, 60, 10, catalog_};
  http::Router router_;
};

TEST_F(PlayerData, ReturnsMediaAndPlaylistsAsJson) {
  const std::string video = ask("/embed/medias/l4unchf1lm.json").body;
  EXPECT_TRUE(video.starts_with(R"({"id":"l4unchf1lm","title":"Launch film",)")) << video;
  const Response playlist = ask("/embed/playlists/pl4yl1st01.json");
  EXPECT_EQ(playlist.body, R"({"id":"pl4yl1st01","title":"Launch week","videos":[)" + video + "]}");
  EXPECT_EQ(playlist.about, "pl4yl1st01");
  EXPECT_EQ(fakes::header(playlist, "Cache-Control"), "public, max-age=60");
}

TEST_F(PlayerData, OembedM7ListsCaptionsAndStoryboard) {
  media::Media video = fakes::example_video("capt10n001");
  video.storyboard = "/d/storyboard.vtt";
  video.captions = {{"/d/en.vtt", "en", "English <1>", true},
                    {"https://h/de.m3u8", "de", "Deutsch", false}};
  catalog_.add(video);
  catalog_.add(fakes::example_playlist({"capt10n001"}, "pl4ycapt10"));
  const std::string tracks =
      R"("captions":[{"url":"https://assets.host.example/d/en.vtt","language":"en",)"
      R"("label":"English \u003c1\u003e","default":true,"segmented":false},)"
      R"({"url":"https://h/de.m3u8","language":"de","label":"Deutsch","default":false,)"
      R"("segmented":true}],"storyboard":"https://assets.host.example/d/storyboard.vtt","url":)";
  const std::string body = ask("/embed/medias/capt10n001.json").body;
  EXPECT_NE(body.find(tracks), std::string::npos) << body;
  EXPECT_EQ(ask("/embed/playlists/pl4ycapt10.json").body,
            R"({"id":"pl4ycapt10","title":"Launch week","videos":[)" + body + "]}");
  EXPECT_EQ(ask("/embed/medias/l4unchf1lm.json").body.find("captions"), std::string::npos);
}

TEST_F(PlayerData, OembedC2NotesDependenciesOfResponsesAndRefusals) {
  struct Case {
    std::string path;
    int status;
    std::vector<std::string> made_from;
  };
  for (const Case& c : {
           Case{"/embed/medias/l4unchf1lm.json", 200, {"catalog:media:l4unchf1lm"}},
           Case{"/embed/medias/unknown000.json", 404, {"catalog:media:unknown000"}},
           Case{"/embed/medias/aud10only1.json", 501, {"catalog:media:aud10only1"}},
           Case{"/embed/playlists/pl4yl1st01.json",
                200,
                {"catalog:playlist:pl4yl1st01", "catalog:media:aud10only1",
                 "catalog:media:l4unchf1lm", "catalog:media:missing000"}},
           Case{"/embed/playlists/unknown000.json", 404, {"catalog:playlist:unknown000"}},
           Case{"/embed/playlists/pl4ynov1d0.json",
                501,
                {"catalog:playlist:pl4ynov1d0", "catalog:media:aud10only1"}},
           Case{"/embed/medias/.json", 404, {}},
       }) {
    SCOPED_TRACE(c.path);
    const Response response = ask(c.path);
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(response.made_from, c.made_from);
  }
}

}  // namespace
}  // namespace svc
