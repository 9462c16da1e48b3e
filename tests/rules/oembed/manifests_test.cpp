// oembed.md, Manifests; data for players.
#include <gtest/gtest.h>

#include <algorithm>

#include "rules/oembed/oembed.h"

namespace svc::rules {
namespace {

const std::string kHead = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n";

class Manifests : public OembedRules {
 protected:
  static std::string of(const std::string& id) { return "/embed/medias/" + id + ".m3u8"; }
  // Returns the manifest of a film with these assets, given as JSON.
  std::string manifest(const std::string& assets) {
    import_film("film", {{"assets", "[" + assets + "]"}});
    return ask(of("film")).body;
  }
  static std::string hls(const std::string& url, const std::string& more = R"("bandwidth":1)") {
    return R"({"type":"hls","url":")" + url + "\"," + more + "}";
  }
};
using ManifestsOnTheWire = Manifests;

TEST_F(Manifests, OembedM1WritesTheAttributesOfEveryAsset) {
  EXPECT_EQ(
      manifest(hls("/bare.m3u8") + "," +
               hls("/a/1080p/index.m3u8",
                   R"("width":1920,"height":1080,"bandwidth":5605600,"average_bandwidth":4400000,)"
                   R"("codecs":"avc1.640028,mp4a.40.2","frame_rate":29.97)") +
               "," + hls("/a/sound/index.m3u8", R"("bandwidth":64000,"codecs":"mp4a.40.2")") + "," +
               hls("https://cdn.example/540p/index.m3u8?t=1",
                   R"("width":960,"height":540,"bandwidth":1870000,"average_bandwidth":1450000,)"
                   R"("codecs":"avc1.64001f,mp4a.40.2","frame_rate":25)")),
      kHead +
          "#EXT-X-STREAM-INF:BANDWIDTH=1870000,AVERAGE-BANDWIDTH=1450000,"
          "CODECS=\"avc1.64001f,mp4a.40.2\",RESOLUTION=960x540,FRAME-RATE=25.000\n"
          "https://cdn.example/540p/index.m3u8?t=1\n"
          "#EXT-X-STREAM-INF:BANDWIDTH=5605600,AVERAGE-BANDWIDTH=4400000,"
          "CODECS=\"avc1.640028,mp4a.40.2\",RESOLUTION=1920x1080,FRAME-RATE=29.970\n" +
          kEmbedHost + "/a/1080p/index.m3u8\n" +
          "#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS=\"mp4a.40.2\"\n" + kEmbedHost +
          "/a/sound/index.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=1\n" + kEmbedHost + "/bare.m3u8\n");
  for (const auto& [rate, written] : {std::pair("25", "25.000"),
                                      {"23.976", "23.976"},
                                      {"0.001", "0.001"},
                                      {"59.9999", "60.000"},
                                      {"1000", "1000.000"}})
    EXPECT_EQ(manifest(hls("https://h/a", R"("bandwidth":1,"frame_rate":)" + std::string(rate))),
              kHead + "#EXT-X-STREAM-INF:BANDWIDTH=1,FRAME-RATE=" + written + "\nhttps://h/a\n");
}

// No validator that we know checks names.
TEST_F(ManifestsOnTheWire, HasOnlyAttributesOfTheRfc) {
  const Texts known = words(
      "BANDWIDTH AVERAGE-BANDWIDTH CODECS RESOLUTION FRAME-RATE SUBTITLES TYPE GROUP-ID NAME "
      "LANGUAGE DEFAULT AUTOSELECT FORCED URI");
  for (const std::string& id : words("l4unchf1lm sm4ll480px p0rtrait99 0dd1279717 l1ves0und1")) {
    const std::string text = ask(of(id)).body;
    for (std::size_t equals = 0; (equals = text.find('=', equals)) != std::string::npos; ++equals) {
      const std::size_t begin = text.find_last_of(":,\n", equals) + 1;
      const std::string name = text.substr(begin, equals - begin);
      EXPECT_EQ(std::ranges::count(known, name), 1) << name << text;
    }
  }
}

TEST_F(Manifests, OembedM2BeginsWithTheLargestAtMost960PixelsWide) {
  const auto video = [](const std::string& width, const std::string& height,
                        const std::string& bandwidth) {
    return hls("https://h/" + width,
               "\"width\":" + width + ",\"height\":" + height + ",\"bandwidth\":" + bandwidth);
  };
  const std::string w1920 = video("1920", "1080", "5000");
  const std::string w1280 = video("1280", "720", "3000");
  const std::string w960 = video("960", "540", "2000");
  const std::string w640 = video("640", "360", "1000");
  const std::string w961 = video("961", "541", "2100");
  const std::string sound = hls("https://h/sound", R"("bandwidth":100)");
  const std::string loud = hls("https://h/loud", R"("bandwidth":9000)");
  struct Order {
    std::string name, assets, uris;
  };
  for (const Order& row : {
           Order{"one of all", w640 + "," + w960 + "," + w1920 + "," + w1280 + "," + sound,
                 "960 1920 1280 640 sound "},
           {"just above the bound", w961 + "," + w640, "640 961 "},
           {"all above: the smallest", w1920 + "," + w1280, "1280 1920 "},
           {"one alone", w1920, "1920 "},
           {"sound alone", sound, "sound "},
           {"sound is never before a picture", sound + "," + w1920, "1920 sound "},
           {"however loud", loud + "," + w640, "640 loud "},
           {"only sound: the smallest", loud + "," + sound, "sound loud "},
       }) {
    SCOPED_TRACE(row.name);
    const std::string text = manifest(row.assets);
    std::string uris;
    for (std::size_t at = 0; (at = text.find("https://h/", at)) != std::string::npos; ++at)
      uris += text.substr(at + 10, text.find('\n', at) - at - 10) + " ";
    EXPECT_EQ(uris, row.uris);
  }
}

TEST_F(ManifestsOnTheWire, OembedM3HasItsTypeAndAnyPageMayReadIt) {
  const Answer answer = ask(of("l4unchf1lm"));
  EXPECT_EQ(answer.type, "application/vnd.apple.mpegurl");
  for (const auto& [name, value] : {std::pair("Access-Control-Allow-Origin", "*"),
                                    {"Cache-Control", "public, max-age=60"},
                                    {"X-Content-Type-Options", "nosniff"}})
    EXPECT_EQ(answer.header(name), value) << name;
}

TEST_F(ManifestsOnTheWire, OembedM4AMediaThatCannotBePlayedLacksAManifest) {
  const std::string none = "no such media";
  const std::string no_manifest = "the media has no manifest";
  expect({
      {"unknown", of("unknown000"), 404, kJson, {none}},
      {"in another case", of("L4UNCHF1LM"), 404, kJson, {none}},
      {"no video", of("aud10only1"), 501, kJson, {no_manifest}},
      {"queued", of("qu3u3d0001"), 501, kJson, {no_manifest}},
      {"files only", of("mp4only001"), 501, kJson, {no_manifest}},
      {"with captions only", of("pdf0file01"), 501, kJson, {no_manifest}},
  });
}

TEST_F(Manifests, OembedM4AcceptsOnlyAnExactId) {
  for (const std::string& path :
       words("/embed/medias/ /embed/medias/.m3u8 /embed/medias/l4unchf1lm /embed/medias/m3u8 "
             "/embed/medias/l4unchf1lm.M3U8 /embed/medias/l4unchf1lm.m3u8/ /embed/medias/a/b.m3u8 "
             "/embed/medias/l4unchf1lm.m3u8.m3u8 /embed/medias/l4unchf1lm.xml /embed/medias/.json"))
    EXPECT_EQ(ask(path).status, 404) << path;
  for (const std::string& id :
       Texts{std::string(7000, 'a'), "%3Cscript%3Ealert(1)%3C/script%3E",
             "l4unchf1lm%0d%0aSet-Cookie:%20a=b", "l4unchf1lm%00", "l4unchf1lm%ff", "%01%1b%7f",
             ".", "l4unchf1lm-", "%7b%7bTITLE%7d%7d"}) {
    for (const auto& [folder, suffix] : {std::pair("/embed/medias/", ".m3u8"),
                                         {"/embed/medias/", ".json"},
                                         {"/embed/playlists/", ".json"},
                                         {"/embed/playlists/", ""},
                                         {"/embed/iframe/", ""},
                                         {"/medias/", ""},
                                         {"/m/", ""}}) {
      const Answer answer = ask(folder + id + suffix);
      EXPECT_EQ(answer.status, 404) << folder << id;
      for (const char* part : {"alert", "l4unchf1lm", "Set-Cookie", "aaaa", "TITLE"})
        EXPECT_FALSE(answer.has(part)) << part << " of " << id;
    }
  }
  import_film("f41led0001", {{"status", R"("failed")"}, {"assets", "[" + hls("/a.m3u8") + "]"}});
  import_film("pr0cess001",
              {{"status", R"("processing")"}, {"assets", "[" + hls("/a.m3u8") + "]"}});
  import_film("pdf0hls001", {{"type", R"("PdfDocument")"}, {"assets", "[" + hls("/a.m3u8") + "]"}});
  for (const auto& [id, status] :
       {std::pair("f41led0001", 404), {"pr0cess001", 501}, {"pdf0hls001", 501}})
    EXPECT_EQ(ask(of(id)).status, status) << id;
}

TEST_F(Manifests, EachResponseCountsForTheAccountOfTheMedia) {
  const std::string tag = ask(of("l4unchf1lm")).header("ETag");
  for (const auto& [asked, account] : {std::pair(Ask(of("l4unchf1lm")), 1001),
                                       {Ask(of("l4unchf1lm")).with("If-None-Match", tag), 1001},
                                       {Ask(of("xss0title1")), 1002},
                                       {Ask("HEAD " + of("l4unchf1lm")), 0},
                                       {Ask(of("mp4only001")), 0},
                                       {Ask(of("unknown000")), 0},
                                       {Ask(film()), 0}})
    EXPECT_EQ(ask(asked).counts_for, account) << asked.method << asked.target;
}

TEST_F(Manifests, OembedM7ListsSegmentedCaptionsAsSubtitlesOfEveryVariant) {
  const auto captions = [](const std::string& url, const std::string& language,
                           const std::string& label, const std::string& more = "") {
    return R"({"type":"captions","url":")" + url + R"(","language":")" + language +
           R"(","label":")" + label + '"' + more + "}";
  };
  const std::string variants =
      hls("/a.m3u8", R"("bandwidth":2)") + "," + hls("/b.m3u8", R"("bandwidth":1)");
  const auto track = [](const std::string& name, const std::string& language,
                        const std::string& choice, const std::string& uri) {
    return "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"captions\",NAME=\"" + name + "\",LANGUAGE=\"" +
           language + "\"," + choice + ",FORCED=NO,URI=\"" + uri + "\"\n";
  };
  EXPECT_EQ(
      manifest(variants + "," + captions("/side.vtt", "fr", "Side file") + "," +
               captions("/en/index.m3u8", "en", "English") + "," +
               captions("https://cdn.example/en.m3u8?t=1", "EN", "English, plain") + "," +
               captions("/de/1.m3u8", "de", "Deutsch, einfach") + "," +
               captions("/de/2.m3u8", "de", "Deutsch", ",\"default\":true")),
      kHead + track("English", "en", "DEFAULT=NO,AUTOSELECT=YES", kEmbedHost + "/en/index.m3u8") +
          track("English, plain", "EN", "DEFAULT=NO,AUTOSELECT=NO",
                "https://cdn.example/en.m3u8?t=1") +
          track("Deutsch, einfach", "de", "DEFAULT=NO,AUTOSELECT=NO", kEmbedHost + "/de/1.m3u8") +
          track("Deutsch", "de", "DEFAULT=YES,AUTOSELECT=YES", kEmbedHost + "/de/2.m3u8") +
          "#EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES=\"captions\"\n" + kEmbedHost +
          "/b.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2,SUBTITLES=\"captions\"\n" + kEmbedHost +
          "/a.m3u8\n");
  EXPECT_EQ(manifest(variants + "," + captions("/side.vtt", "en", "English", ",\"default\":true")),
            manifest(variants));
  EXPECT_TRUE(manifest(captions("/en.m3u8", "en", "English")).starts_with("{\"error\""))
      << "captions alone are no manifest";
}

TEST_F(Manifests, OembedM7DataForPlayersListsCaptionsAndStoryboard) {
  import_film(
      "capt10n001",
      {{"assets",
        R"([{"type":"captions","url":"/d/en.vtt","language":"en","label":"English <1>","default":true},)"
        R"({"type":"captions","url":"https://h/de.m3u8","language":"de","label":"Deutsch"},)"
        R"({"type":"mp4","url":"/d/360p.mp4","bandwidth":1},)"
        R"({"type":"mp4","url":"/d/720p.mp4","bandwidth":2},)"
        R"({"type":"storyboard","url":"/d/storyboard.vtt"}])"}});
  import_playlist("pl4ycapt10", {"aud10only1", "capt10n001"});
  const std::string whole = ask("/embed/medias/capt10n001.json").body;
  std::string data = whole;
  const std::size_t ticket = data.find(R"("viewing":)");
  ASSERT_NE(ticket, std::string::npos) << data;
  data.erase(ticket, sizeof(R"("viewing":"12345678",)") - 1);
  EXPECT_EQ(data, R"({"id":"capt10n001","title":"Launch film","width":1920,"height":1080,)"
                  R"("duration":8.008,"poster":")" +
                      kEmbedHost +
                      R"(/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360",)" +
                      R"("player_color":"54bbff",)" + R"("mp4":")" + kEmbedHost +
                      R"(/d/360p.mp4","captions":[{"url":")" + kEmbedHost +
                      R"(/d/en.vtt","language":"en","label":"English \u003c1\u003e",)" +
                      R"("default":true,"segmented":false},{"url":"https://h/de.m3u8",)" +
                      R"("language":"de","label":"Deutsch","default":false,"segmented":true}],)" +
                      R"("storyboard":")" + kEmbedHost + R"(/d/storyboard.vtt","url":")" +
                      kEmbedHost + R"(/medias/capt10n001"})");
  const Answer playlist = ask("/embed/playlists/pl4ycapt10.json");
  EXPECT_EQ(playlist.body, R"({"id":"pl4ycapt10","title":"The list","videos":[)" + whole + "]}");
  EXPECT_EQ(playlist.header("Cache-Control"), "public, max-age=60");
  EXPECT_EQ(value_of(ask("/embed/medias/l4unchf1lm.json"), "manifest"),
            kEmbedHost + of("l4unchf1lm"));
  const std::string nothing = "nothing to play";
  expect({
      {"an unknown media", "/embed/medias/unknown000.json", 404, kJson},
      {"no video", "/embed/medias/aud10only1.json", 501, kJson, {nothing}},
      {"an unknown playlist", "/embed/playlists/unknown000.json", 404, kJson},
      {"a playlist without a video", "/embed/playlists/pl4ynov1d0.json", 501, kJson, {nothing}},
  });
}

}  // namespace
}  // namespace svc::rules
