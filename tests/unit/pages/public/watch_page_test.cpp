#include "pages/public/watch_page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fakes/examples.h"
#include "fakes/memory_catalog.h"
#include "fakes/tasks.h"
#include "http/router.h"
#include "pages/public/embed_codes_page.h"

namespace svc {
namespace {

using http::Response;

class WatchPage : public testing::Test {
 protected:
  using Kind = pages::WatchPage::Kind;

  WatchPage() {
    catalog_.add(fakes::example_video());
    media::Media audio = fakes::example_video("aud10only1");
    audio.type = "Audio";
    catalog_.add(audio);
    catalog_.add(fakes::example_playlist({"l4unchf1lm"}));
    router_.add_below(pages::WatchPage::folder(Kind::MediaFrame), media_frame_);
    router_.add_below(pages::WatchPage::folder(Kind::PlaylistFrame), playlist_frame_);
    router_.add_below(pages::WatchPage::folder(Kind::MediaPage), media_page_);
    router_.add("/embed-codes", embed_codes_);
  }

  Response ask(const std::string& path, const std::string& query = "") {
    http::Request request;
    request.method = "GET";
    request.path = path;
    request.query = query;
    return fakes::now(router_.answer(request));
  }

  const embed::Site site_ = fakes::example_site();
  fakes::MemoryCatalog catalog_;
  pages::WatchPage media_frame_{Kind::MediaFrame, site_, 60, 10, catalog_};
  pages::WatchPage playlist_frame_{Kind::PlaylistFrame, site_, 60, 10, catalog_};
  pages::WatchPage media_page_{Kind::MediaPage, site_, 60, 10, catalog_};
  pages::EmbedCodesPage embed_codes_{site_, catalog_};
  http::Router router_;
};

TEST_F(WatchPage, OembedC2NotesDependenciesOfResponsesAndRefusals) {
  struct Case {
    std::string path;
    int status;
    std::vector<std::string> made_from;
  };
  for (const Case& c : {
           Case{"/medias/l4unchf1lm", 200, {"catalog:media:l4unchf1lm"}},
           Case{"/medias/l4unchf1lm/manage", 200, {"catalog:media:l4unchf1lm"}},
           Case{"/embed/iframe/l4unchf1lm", 200, {"catalog:media:l4unchf1lm"}},
           Case{"/embed/iframe/unknown000", 404, {"catalog:media:unknown000"}},
           Case{"/embed/iframe/aud10only1", 501, {"catalog:media:aud10only1"}},
           Case{"/embed/playlists/pl4yl1st01",
                200,
                {"catalog:playlist:pl4yl1st01", "catalog:media:l4unchf1lm"}},
           Case{"/embed/playlists/unknown000", 404, {"catalog:playlist:unknown000"}},
           Case{"/medias/", 404, {}},
       }) {
    SCOPED_TRACE(c.path);
    const Response response = ask(c.path);
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(response.made_from, c.made_from);
    EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  }
}

TEST_F(WatchPage, IsAPageAlsoIfTheStoreIsUnavailable) {
  catalog_.away = true;
  const Response response = ask("/medias/l4unchf1lm");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
}

TEST_F(WatchPage, EmbedCodesNameTheSizeOfEachCode) {
  const Response response = ask("/embed-codes");
  for (const std::string_view name : {"Async, 600 × 366", "Async, responsive", "Popover, 150 × 100",
                                      "Iframe, 640 × 360", "Iframe, responsive"}) {
    EXPECT_NE(response.body.find(name), std::string::npos) << name;
  }
}

TEST_F(WatchPage, EmbedCodesAcceptIdsOfVideosAndPlaylists) {
  struct Case {
    std::string_view pasted;
    std::vector<std::string> asked;
    std::string_view shows;
  };
  for (const Case& c : {
           Case{"l4unchf1lm", {"find media l4unchf1lm", "find media l4unchf1lm"}, "Launch film"},
           Case{"pl4yl1st01",
                {"find media pl4yl1st01", "find playlist pl4yl1st01", "find playlist pl4yl1st01",
                 "find medias l4unchf1lm"},
                "Launch week"},
           Case{"unknown000",
                {"find media unknown000", "find playlist unknown000", "find media unknown000"},
                "There is no video or playlist"},
           Case{"", {}, "embed-codes"},
       }) {
    SCOPED_TRACE(c.pasted);
    catalog_.asked.clear();
    const Response response = ask("/embed-codes", "url=" + std::string(c.pasted));
    EXPECT_EQ(response.status, 200);
    EXPECT_NE(response.body.find(c.shows), std::string::npos) << response.body;
    EXPECT_EQ(catalog_.asked, c.asked);
  }
}

}  // namespace
}  // namespace svc
