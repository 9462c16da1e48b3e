#include "pages/public/embed_codes_page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fakes/examples.h"
#include "fakes/memory_catalog.h"
#include "fakes/tasks.h"

namespace svc {
namespace {

using http::Response;

class EmbedCodesPage : public testing::Test {
 protected:
  EmbedCodesPage() {
    catalog_.add(fakes::example_video());
    media::Media audio = fakes::example_video("aud10only1");
    audio.type = "Audio";
    catalog_.add(audio);
    catalog_.add(fakes::example_playlist({"l4unchf1lm"}));
  }

  static Response ask(pages::EmbedCodesPage& page, const std::string& query) {
    http::Request request;
    request.method = "GET";
    request.path = "/embed-codes";
    request.query = query;
    return fakes::now(page.answer(request));
  }
  Response ask(const std::string& query) { return ask(page_, query); }

  const embed::Site site_ = fakes::example_site();
  fakes::MemoryCatalog catalog_;
  pages::EmbedCodesPage page_{site_, catalog_};
};

TEST_F(EmbedCodesPage, NamesTheSizeOfEachCode) {
  const Response response = ask("");
  for (const std::string_view name :
       {"Async, 600 × 366", "Async, responsive", "Popover, 150 × 100", "Iframe, 640 × 360",
        "Iframe, responsive", "height:366px;width:600px", "?seo=true&amp;amp;videoFoam=false",
        "and <code>TITLE</code>, where there is one"}) {
    EXPECT_NE(response.body.find(name), std::string::npos) << name;
  }
}

TEST_F(EmbedCodesPage, AcceptsIdsOfVideosAndPlaylists) {
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
           Case{"+pl4yl1st01+",
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
    const Response response = ask("url=" + std::string(c.pasted));
    EXPECT_EQ(response.status, 200);
    EXPECT_NE(response.body.find(c.shows), std::string::npos) << response.body;
    EXPECT_EQ(catalog_.asked, c.asked);
  }
}

TEST_F(EmbedCodesPage, PagesW10IsFilledWithTheChosenVideo) {
  const std::string empty = ask("").body;
  EXPECT_NE(empty.find("svc_async_ID"), std::string::npos);
  EXPECT_NE(empty.find("Replace <code>ID</code>"), std::string::npos);
  const std::string page = ask("url=l4unchf1lm").body;
  EXPECT_EQ(page.find("svc_async_ID"), std::string::npos);
  EXPECT_EQ(page.find("TITLE"), std::string::npos);
  EXPECT_NE(page.find("svc_async_l4unchf1lm"), std::string::npos);
}

TEST_F(EmbedCodesPage, PagesW10HasAmpOnlyIfThereIsAComponent) {
  EXPECT_EQ(ask("").body.find("amp-svc-player"), std::string::npos);
  embed::Site with_amp = site_;
  with_amp.amp_script_url = "https://amp.example/player.js?a&b";
  pages::EmbedCodesPage page(with_amp, catalog_);
  EXPECT_NE(ask(page, "").body.find("src=&quot;https://amp.example/player.js?a&amp;amp;b&quot;"),
            std::string::npos);
  EXPECT_NE(ask(page, "url=l4unchf1lm").body.find("data-media-hashed-id=&quot;l4unchf1lm&quot;"),
            std::string::npos);
  EXPECT_EQ(ask(page, "url=pl4yl1st01").body.find("amp-svc-player"), std::string::npos)
      << "for videos only";
}

TEST_F(EmbedCodesPage, PagesW10PreviewsEachType) {
  struct Case {
    std::string_view query, shows;
  };
  for (
      const Case& c : {
          Case{
              "",
              R"(%20width=%22640%22%20height=%22360%22/%3E" alt=""><iframe src="https://embed.host.example/embed/iframe/l4unchf1lm" )"},
          Case{"&width=320", R"(%20width=%22320%22%20height=%22180%22)"},
          Case{"&videoFoam=true", R"(%20width=%222560%22%20height=%221440%22)"},
          Case{"&embedType=async&playerColor=%23ff0000&muted=true",
               R"(/embed/iframe/l4unchf1lm?muted=true&amp;playerColor=ff0000")"},
          Case{"&embedType=async_popover", R"(image_crop_resized=150x100" alt="Thumbnail")"},
          Case{"&embedType=open_graph_tags", R"(image_crop_resized=640x360" alt="Thumbnail")"},
      }) {
    const std::string page = ask("url=l4unchf1lm" + std::string(c.query)).body;
    EXPECT_NE(page.find(c.shows), std::string::npos) << c.query << page;
  }
}

TEST_F(EmbedCodesPage, PagesW10RefusesValuesAndNamesTheReason) {
  struct Case {
    std::string_view query, field, reason;
  };
  for (const Case& c : {
           Case{"width=0", "width",
                "Width, in pixels: must be a whole number of pixels from 1 to 10,000."},
           Case{"height=9x", "height", "Height, in pixels: must be a whole number"},
           Case{"playerColor=red", "playerColor", "must be six hexadecimal digits"},
           Case{"playerColor=%23%23ff000", "playerColor", "must be six hexadecimal digits"},
           Case{"stillUrl=javascript:alert(1)", "stillUrl", "must be the address of a picture"},
           Case{"time=1m30", "", ""},
           Case{"time=1s30m", "time", "must be a time such as"},
           Case{"time=soon", "time", "must be a time such as"},
           Case{"volume=1.5", "volume", "must be a number from 0 to 1"},
           Case{"volume=0.5", "", ""},
           Case{"qualityMin=1", "qualityMin", "must be a whole number of lines"},
           Case{"qualityMin=720&qualityMax=360", "qualityMax",
                "must not be below the least quality"},
           Case{"handle=document.title", "handle", "must be a free JavaScript name"},
           Case{"handle=app.player", "", ""},
           Case{"embedType=nonsense", "embedType", "The type must be one of this list."},
           Case{"muted=perhaps", "muted", "Without sound: must be true or false."},
           Case{"preload=all", "preload", "must be one of its list"},
           Case{"preload=auto&endVideoBehavior=loop&playbar=false", "", ""},
       }) {
    SCOPED_TRACE(c.query);
    const std::string page = ask("url=l4unchf1lm&" + std::string(c.query)).body;
    const bool has_code = page.find("<textarea id=\"code\"") != std::string::npos;
    EXPECT_EQ(has_code, c.field.empty());
    if (c.field.empty()) continue;
    const std::size_t summary = page.find("<li><a href=\"#" + std::string(c.field) + "\">");
    ASSERT_NE(summary, std::string::npos) << page;
    EXPECT_NE(page.find(c.reason, summary), std::string::npos);
    EXPECT_NE(page.find("id=\"" + std::string(c.field) + "\""), std::string::npos)
        << "the link leads there";
  }
}

TEST_F(EmbedCodesPage, PagesW10NamesTheReasonThatThereIsNoCode) {
  media::Media queued = fakes::example_video("qu3u3d0001");
  queued.status = media::Status::Processing;
  catalog_.add(queued);
  media::Media failed = fakes::example_video("f41l3d0001");
  failed.status = media::Status::Failed;
  catalog_.add(failed);
  catalog_.add(fakes::example_playlist({"aud10only1"}, "pl4ynov1d0"));
  for (const auto& [pasted, reason] : {
           std::pair{"aud10only1", "its type is Audio. Only videos"},
           std::pair{"qu3u3d0001", "still being processed"},
           std::pair{"f41l3d0001", "There is no video or playlist"},
           std::pair{"pl4ynov1d0", "has no video that can be embedded"},
           std::pair{"https://evil.example/medias/l4unchf1lm", "This is not the address of"},
           std::pair{"", "Enter the address or the id"},
       }) {
    const std::string page = ask("url=" + std::string(pasted)).body;
    EXPECT_NE(page.find(reason), std::string::npos) << pasted << page;
    EXPECT_EQ(page.find("<textarea id=\"code\""), std::string::npos) << pasted;
  }
}

}  // namespace
}  // namespace svc
