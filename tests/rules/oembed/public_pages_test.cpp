// oembed.md, Discovery; the public pages of media (pages-W9, W10, W25).
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/digest.h"
#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

using PublicPagesOnTheWire = OembedRules;
using PublicPages = OembedRules;
using namespace std::string_literals;

TEST_F(PublicPagesOnTheWire, EachPageLinksToItsOembedResponseAndItsPlayer) {
  const auto discovery = [](const std::string& type, const std::string& page,
                            const std::string& format) {
    return "type=\"" + type + "\" href=\"https://oembed.svc.example/oembed?url=" +
           text::percent_encode(kEmbedHost + page) + "&amp;format=" + format + "\"";
  };
  for (const auto& [path, page, player] :
       {std::tuple("/medias/l4unchf1lm", "/medias/l4unchf1lm", "/embed/iframe/l4unchf1lm"),
        {"/medias/l4unchf1lm/manage", "/medias/l4unchf1lm", "/embed/iframe/l4unchf1lm"},
        {"/embed/iframe/l4unchf1lm", "/medias/l4unchf1lm", "/embed/iframe/l4unchf1lm"},
        {"/embed/playlists/pl4yl1st01", "/embed/playlists/pl4yl1st01",
         "/embed/playlists/pl4yl1st01"}}) {
    const std::string frame = kEmbedHost + player;
    expect_page(path, {discovery("application/json+oembed", page, "json"),
                       discovery("text/xml+oembed", page, "xml"),
                       discovery("application/xml+oembed", page, "xml"),
                       "<link rel=\"iframely player\" type=\"text/html\" href=\"" + frame + "\"",
                       "name=\"twitter:player\" content=\"" + frame + "\"",
                       "property=\"og:video:url\" content=\"" + frame + "\""});
    EXPECT_EQ(ask(frame).status, 200);
  }
}

TEST_F(PublicPagesOnTheWire, APageWithoutAVideoExplainsIt) {
  for (const auto& [path, status] : {std::pair("/medias/nobodyhasthis", 404),
                                     {"/medias/aud10only1", 501},
                                     {"/embed/iframe/qu3u3d0001", 501},
                                     {"/medias/", 404},
                                     {"/embed/iframe/%3Cscript%3E", 404},
                                     {"/embed/playlists/pl4yempty0", 501},
                                     {"/embed/playlists/l4unchf1lm", 404}}) {
    SCOPED_TRACE(path);
    const Answer page = ask(path);
    EXPECT_EQ(page.status, status);
    EXPECT_EQ(page.type, kHtml);
    EXPECT_TRUE(page.has("<meta name=\"robots\"")) << page.body;
    for (const char* none : {"<video", "<script>"}) EXPECT_FALSE(page.has(none)) << page.body;
    // In a frame no link could be followed.
    EXPECT_EQ(count(page.body, "<a class=\"button primary\" href=\"https://app.svc.example/\""),
              std::string_view(path).starts_with("/embed/") ? 0u : 1u);
    EXPECT_EQ(page.header("Cache-Control"), "public, max-age=10");
  }
}

// The text of that field of the page.
std::string text_in(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find('>', page.find("<textarea id=\"" + id + '"')) + 1;
  const std::string text = unescaped(page.substr(begin, page.find("</textarea>", begin) - begin));
  return text.starts_with('\n') ? text.substr(1) : text;
}

TEST_F(PublicPages, PagesW120AnUnlistedFilmIsOnlyFoundByWhoKnowsIt) {
  import_film("unlisted01", {{"visibility", R"("unlisted")"}});
  import_film("listed0001");
  const std::string player = "/embed/iframe/";
  for (const std::string path : {"/medias/", player.c_str()}) {
    const Answer hidden = ask(path + "unlisted01"), listed = ask(path + "listed0001");
    EXPECT_EQ(hidden.status, 200) << path;
    EXPECT_FALSE(hidden.has("application/ld+json")) << path;
    // For users who paste its address into an editor.
    for (const char* discovery : {"application/json+oembed", "text/xml+oembed", "iframely player"})
      EXPECT_TRUE(hidden.has(discovery) && listed.has(discovery)) << path << discovery;
    EXPECT_TRUE(hidden.has("<meta name=\"robots\" content=\"noindex\">")) << path;
    EXPECT_FALSE(listed.has("<meta name=\"robots\"")) << path;
    // For previews of a link in a message.
    EXPECT_TRUE(hidden.has("property=\"og:title\"")) << path;
  }
  // A consumer that has the address gets the same code as for any other film.
  EXPECT_EQ(ask(film("", "unlisted01")).status, 200);
  // An import without the field keeps it.
  import_film("unlisted01", {{"name", R"("Renamed")"}});
  EXPECT_TRUE(ask("/medias/unlisted01").has("noindex"));
  import_film("unlisted01", {{"visibility", R"("public")"}});
  EXPECT_FALSE(ask("/medias/unlisted01").has("noindex"));
}

TEST_F(PublicPages, PagesW171SaysWhatThereIsInsteadOfAFilm) {
  import_film("queued0001", {{"status", R"("queued")"}});
  import_film("working001", {{"status", R"("processing")"}});
  import_film("failed0001", {{"status", R"("failed")"}});
  import_film("picture001", {{"type", R"("Image")"}});
  import_film("document01", {{"type", R"("PdfDocument")"}});
  import_film("silent0001", {{"type", R"("Audio")"}});
  import_playlist("nothing001", {"picture001"});
  struct Case {
    std::string path;
    int status;
    std::string title, text;
  };
  const std::string owner = "\u2068Acme Films\u2069";
  std::vector<Case> cases{{"/embed/playlists/nothing001", 501, "Nothing to play here",
                           "This playlist of " + owner + " has nothing that can be played."}};
  for (const char* const folder : {"/medias/", "/embed/iframe/", "/m/"}) {
    const auto add = [&](const std::string& id, int status, const std::string& title,
                         const std::string& text) {
      cases.push_back({folder + id, status, title, text});
    };
    const std::string pending =
        owner + " has uploaded it, and it is still being processed. It will play here soon.";
    add("queued0001", 501, "This video is not ready yet", pending);
    add("working001", 501, "This video is not ready yet", pending);
    add("failed0001", 404, "This video cannot be played",
        "Its file could not be processed. " + owner + " can upload it again.");
    add("picture001", 501, "This is a picture",
        owner + " has uploaded a picture, which does not play.");
    add("document01", 501, "This is a document",
        owner + " has uploaded a document, which does not play.");
    add("silent0001", 501, "Nothing to play here",
        owner + " has uploaded a file that does not play.");
    add("nobodyhasthis", 404, "No such video", "It may have been removed by its owner.");
  }
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    const Answer page = ask(c.path);
    EXPECT_EQ(page.status, c.status);
    EXPECT_TRUE(page.has("<h1>" + c.title + "</h1>")) << page.body;
    EXPECT_TRUE(page.has("<p>" + c.text + "</p>")) << page.body;
    EXPECT_FALSE(page.has("embed-codes"));
    EXPECT_FALSE(page.has("/settings"));
    EXPECT_EQ(page.has("href=\"https://app.svc.example/\">Start page</a>"),
              !c.path.starts_with("/embed/"));
  }
}

TEST_F(PublicPages, PagesW172PagesOfFilmsAreInTheLanguageOfTheBrowser) {
  import_film("queued0001", {{"status", R"("queued")"}});
  struct Case {
    std::string target, accepted, language, text;
  };
  for (const int time : {1, 2}) {
    SCOPED_TRACE(time == 1 ? "made" : "kept");
    for (const Case& c : {
             Case{"/medias/l4unchf1lm", "", "en", ">Share</h2>"},
             Case{"/medias/l4unchf1lm", "fr-CA,en;q=0.5", "fr", ">Partager</h2>"},
             Case{"/medias/l4unchf1lm", "nl, ja", "ja", ">共有</h2>"},
             Case{"/medias/l4unchf1lm?time=4", "fr", "fr", ">Partager</h2>"},
             Case{"/medias/queued0001", "de", "de", "<h1>Dieses Video ist noch nicht bereit</h1>"},
             Case{"/embed/iframe/queued0001", "de", "de",
                  "<h1>Dieses Video ist noch nicht bereit</h1>"},
             Case{"/embed/iframe/queued0001", "pl", "pl",
                  "<h1>Ten film nie jest jeszcze gotowy</h1>"},
             Case{"/embed/iframe/queued0001?lang=es", "pl", "es",
                  "<h1>Este vídeo aún no está listo</h1>"},
             Case{"/embed/iframe/queued0001?lang=tlh", "pl", "pl",
                  "<h1>Ten film nie jest jeszcze gotowy</h1>"},
             Case{"/embed/playlists/nobodyhasthis", "fr", "fr", "<html lang=\"fr\" dir=\"ltr\">"},
         }) {
      SCOPED_TRACE(c.target + " " + c.accepted);
      const Answer page = ask(Ask(c.target).with("Accept-Language", c.accepted));
      EXPECT_TRUE(page.has(c.text)) << page.body;
      EXPECT_TRUE(page.has("<html lang=\"" + c.language + "\""));
      EXPECT_EQ(page.header("Content-Language"), c.language);
      EXPECT_EQ(page.header("Vary"), "Accept-Language");
      const bool is_kept = time == 2 || c.target.ends_with("=tlh");
      EXPECT_EQ(page.cache, is_kept ? http::CacheUse::Memory : http::CacheUse::Miss);
    }
  }
  // The frame of a film is the same in each language: its player loads its own words.
  const Answer frame = ask(Ask("/embed/iframe/l4unchf1lm").with("Accept-Language", "fr"));
  EXPECT_EQ(frame.header("Vary"), "none");
  EXPECT_EQ(ask(Ask("/embed/iframe/l4unchf1lm").with("Accept-Language", "de")).cache,
            http::CacheUse::Memory);
}

TEST_F(PublicPages, PagesW173ThePageOfAFilmIsItsOwners) {
  const auto account = [&](const std::string& name, const std::string& more) {
    stores().import(R"({"kind":"account","id":1001,"name":")" + name +
                    R"(","host":"acme.svc.localhost","url":"https://acme.svc.localhost",)"
                    R"("oauth_enabled":true)" +
                    more + "}\n");
    forget();
    return ask("/medias/l4unchf1lm");
  };
  const Answer plain = account("Acme <Films>", "");
  EXPECT_TRUE(plain.has("<span class=\"brand\"><bdi>Acme &lt;Films&gt;</bdi></span>"))
      << plain.body;
  for (const char* const of_host : {"class=\"places\"", "class=\"menu", "/settings",
                                    "class=\"logo\"", "<style>", "/developers"})
    EXPECT_FALSE(plain.has(of_host)) << of_host;
  const Answer own = account("Acme", R"(,"logo":"/files/l0g0/original.png","colour":"FFEE00")");
  EXPECT_TRUE(
      own.has("<img class=\"logo\" src=\"" + kEmbedHost + "/files/l0g0/original.png\" alt=\"\">"))
      << own.body;
  const std::size_t begin = own.body.find("<style>") + 7;
  const std::string style = own.body.substr(begin, own.body.find("</style>") - begin);
  EXPECT_TRUE(style.starts_with(":root { --accent: #ffee00; --accent-text: #000000; --link: #"))
      << style;
  EXPECT_TRUE(own.header("Content-Security-Policy")
                  .find("style-src " + kEmbedHost + " 'sha256-" +
                        base::base64_encode_unpadded(base::sha256(style)) + "=';") !=
              std::string::npos)
      << own.header("Content-Security-Policy");
  EXPECT_TRUE(account("Acme", R"(,"logo":"https://cdn.example/logo.svg")")
                  .has("src=\"https://cdn.example/logo.svg\""));
}

TEST_F(PublicPages, PagesW9HasWhatSearchEnginesAndOtherSitesRead) {
  import_film("hostile001", {{"name", R"("</script><script>alert(1)</script> & \"q\"")"},
                             {"description", R"("<p>One &amp; <b>two</b></p>")"},
                             {"assets", R"([{"type":"mp4","url":"/d/360p.mp4","bandwidth":1,)"
                                        R"("width":640,"height":360}])"}});
  const std::string file = kEmbedHost + "/d/360p.mp4";
  expect_page(
      "/medias/hostile001",
      {R"(<meta property="og:description" content="One &amp; two">)",
       "<meta property=\"og:video\" content=\"" + file + "\">",
       R"(<meta property="og:video:type" content="video/mp4">)",
       R"(<meta property="og:video:type" content="text/html">)",
       R"x(media="(aspect-ratio: 1920/1080)">)x",
       R"(<script type="application/ld+json">{"@context":"https://schema.org","@type":"VideoObject",)"
       R"x("name":"\u003c/script\u003e\u003cscript\u003ealert(1)\u003c/script\u003e \u0026 \"q\"",)x"
       R"("description":"One \u0026 two",)",
       R"("uploadDate":"2026-03-01T10:00:00Z","duration":"PT8.008S","url":")" + kEmbedHost +
           R"(/medias/hostile001","embedUrl":")" + kEmbedHost +
           R"(/embed/iframe/hostile001","contentUrl":")" + file +
           R"(","width":1920,"height":1080}</script>)"});
  import_film("plain");
  const Answer plain = ask("/medias/plain");
  for (const char* part : {"og:description", "\"og:video\"", "contentUrl", "\"description\""})
    EXPECT_FALSE(plain.has(part)) << part;
}

TEST_F(PublicPages, PagesW9HasTheRatioOfTheVideoAndWhatToShare) {
  expect_page(
      "/medias/p0rtrait99",
      {R"(%20width=%224320%22%20height=%227680%22/%3E" alt="">)",
       R"x(media="(aspect-ratio: 1080/1920)">)x",
       "value=\"" + kEmbedHost + "/medias/p0rtrait99\" readonly",
       R"(data-copy="page-link" data-copied="Copied")", "hidden>Copy the link</button>",
       "&lt;iframe src=&quot;" + kEmbedHost + "/embed/iframe/p0rtrait99&quot;",
       "style=&quot;border:0;height:auto;aspect-ratio:9/16;max-width:360px;width:100%&quot;",
       R"(data-copy="embed-code" data-copied="Copied")", "hidden>Copy the embed code</button>",
       R"(<span class="brand"><bdi>Acme Films</bdi></span>)"});
  expect_page("/embed/iframe/mp4only001",
              {R"(type="video/mp4")", kEmbedHost + "/deliveries/clipmp4/360p.mp4"});
}

TEST_F(PublicPages, PagesW92PostersAndTagsHaveTheRatioOfTheVideo) {
  struct Film {
    std::string width, height, size;
  };
  for (const Film& row : {Film{"1080", "1920", "360x640"},
                          {"1920", "804", "640x268"},
                          {"1920", "1080", "640x360"},
                          {"1000", "1000", "640x640"},
                          {"320", "240", "320x240"},
                          {"null", "null", "640x360"}}) {
    SCOPED_TRACE(row.size);
    import_film(
        "ratio",
        {{"width", row.width}, {"height", row.height}, {"thumbnail", R"({"url":"/poster.jpg"})"}});
    const std::string poster = kEmbedHost + "/poster.jpg?image_crop_resized=" + row.size;
    const std::size_t x = row.size.find('x');
    for (const char* page : {"/medias/ratio", "/embed/iframe/ratio"}) {
      expect_page(page, {"property=\"og:image\" content=\"" + poster + "\"",
                         "property=\"og:image:width\" content=\"" + row.size.substr(0, x) + "\"",
                         "property=\"og:video:height\" content=\"" + row.size.substr(x + 1) + "\"",
                         "name=\"twitter:player:width\" content=\"" + row.size.substr(0, x) + "\"",
                         "name=\"twitter:image\" content=\"" + poster + "\""});
    }
    expect_page("/embed/iframe/ratio", {" poster=\"" + poster + "\""});
  }
}

TEST_F(PublicPages, PagesW93AFrameNamesTheMediaPageAsItsCanonicalAddress) {
  const auto canonical = [](const std::string& path) {
    return "<link rel=\"canonical\" href=\"" + kEmbedHost + path + "\">";
  };
  for (const auto& [page, path] :
       {std::pair("/embed/iframe/l4unchf1lm?autoPlay=true", "/medias/l4unchf1lm"),
        {"/medias/l4unchf1lm/manage", "/medias/l4unchf1lm"},
        {"/embed/playlists/pl4yl1st01", "/embed/playlists/pl4yl1st01"}}) {
    expect_page(page, {canonical(path)});
    EXPECT_EQ(count(ask(page).body, "rel=\"canonical\""), 1u);
  }
}

TEST_F(PublicPages, PagesW88AnAudioWithAFileHasACodeAPageAndAPlayer) {
  const std::string sound =
      R"({"type":"mp4","url":"/files/s0und00001/sound.m4a","bandwidth":128000})";
  const Keys audio{{"type", R"("Audio")"},
                   {"width", "null"},
                   {"height", "null"},
                   {"name", R"("A talk")"},
                   {"assets", "[" + sound + "]"}};
  import_film("s0und00001", audio);
  const Answer data = ask("/embed/medias/s0und00001.json");
  EXPECT_TRUE(data.has(R"("audio":true,"width":640,"height":240)")) << data.body;
  EXPECT_TRUE(data.has("/files/s0und00001/sound.m4a"));
  expect({
      {"its code",
       film("", "s0und00001"),
       200,
       kJson,
       {R"("type":"rich")", R"(title=\"A talk Audio\")", R"("width":640,"height":240)"}},
      {"another width",
       film("width=320", "s0und00001"),
       200,
       kJson,
       {R"("width":320,"height":120)"}},
      {"in XML", film("format=xml", "s0und00001"), 200, kXml, {"<type>rich</type>"}},
      {"its page",
       "/medias/s0und00001",
       200,
       kHtml,
       {R"("@type":"AudioObject","name":"A talk")", "/embed/iframe/s0und00001"}},
      {"its player", "/embed/iframe/s0und00001", 200, kHtml, {"/files/s0und00001/sound.m4a"}},
      {"its manifest", "/embed/medias/s0und00001.m3u8", 501, kJson, {"no manifest"}},
      {"a film", film(), 200, kJson, {R"("type":"video")"}},
  });
  EXPECT_FALSE(ask("/embed/medias/l4unchf1lm.json").has("\"audio\""));
  Keys busy = audio;
  busy["status"] = R"("processing")";
  import_film("s0und00002", busy);
  EXPECT_EQ(ask(film("", "s0und00002")).status, 501);
  import_playlist("m1xed00001", {"s0und00001", "l4unchf1lm"});
  const Answer playlist = ask("/embed/playlists/m1xed00001.json");
  const std::size_t sound_at = playlist.body.find("\"id\":\"s0und00001\"");
  EXPECT_LT(sound_at, playlist.body.find("\"id\":\"l4unchf1lm\"")) << playlist.body;
  import_playlist("s0unds0001", {"s0und00001"});
  expect({
      {"the size of the video",
       list("", "m1xed00001"),
       200,
       kJson,
       {R"("type":"video")", R"("width":640,"height":360)", "/deliveries/l4unchf1lm/poster.jpg"}},
      {"without a video",
       list("", "s0unds0001"),
       200,
       kJson,
       {R"("type":"rich")", R"("width":640,"height":240)"}},
      {"its player", "/embed/playlists/s0unds0001", 200, kHtml, {"/files/s0und00001/sound.m4a"}},
  });
}

TEST_F(PublicPages, PagesW89TheTranscriptOfAFileIsMadeByAScript) {
  const auto page_of = [&](const std::string& captions) {
    import_film("capt10nf1l", {{"assets", "[" + captions + "]"}});
    return ask("/medias/capt10nf1l");
  };
  const auto captions = [](const std::string& url, const std::string& more) {
    return R"({"type":"captions","url":")" + url + "\"," + more + "}";
  };
  const Answer page = page_of(
      captions("https://files.example/de.vtt", R"("language":"de","label":"Deutsch")") + "," +
      captions("https://files.example/en.vtt",
               R"("language":"en","label":"English","default":true)"));
  EXPECT_TRUE(
      page.has("<details class=\"times\" hidden data-captions=\"https://files.example/en.vtt\">"
               "<summary>Transcript</summary>\n"))
      << page.body;
  EXPECT_TRUE(page.has("<div class=\"transcript\" lang=\"en\"></div>")) << page.body;
  EXPECT_TRUE(page.has("/assets/film.js"));
  const auto policy = [](const Answer& answer) {
    return std::string(answer.header("Content-Security-Policy"));
  };
  EXPECT_TRUE(policy(page).ends_with("; connect-src https://files.example")) << policy(page);
  for (const std::string& none :
       {std::string(), captions("/captions/index.m3u8", R"("language":"en","label":"English")")}) {
    const Answer without = page_of(none);
    EXPECT_FALSE(without.has("data-captions")) << none;
    EXPECT_EQ(policy(without).find("connect-src"), std::string::npos) << none;
  }
}

TEST_F(PublicPages, PagesW154ThePosterOfAPlayerHasTheSizeOfOne) {
  const auto poster = [&](const std::string& id, const Keys& keys) {
    import_film(id, keys);
    return value_of(ask("/embed/medias/" + id + ".json"), "poster");
  };
  const auto picture = [](const std::string& url, const std::string& size) {
    return Keys{{"thumbnail", R"({"url":")" + url + R"(","width":4000,"height":3000})"},
                {"width", size},
                {"height", "1080"}};
  };
  struct Row {
    std::string name, url, width, shown;
  };
  for (const Row& row : std::vector<Row>{
           {"set", "/files/p1cture001/still-1-0.jpg", "1920", "?image_crop_resized=640x360"},
           {"upload", "/files/p1cture001/original.png", "1920", "?image_crop_resized=640x360"},
           {"portrait", "/files/p1cture001/poster.jpg", "608", "?image_crop_resized=360x640"},
           {"elsewhere", "https://cdn.example/a.jpg?signature=1", "1920", ""}}) {
    SCOPED_TRACE(row.name);
    const std::string url = row.url.starts_with('/') ? kEmbedHost + row.url : row.url;
    EXPECT_EQ(poster("p0ster0001", picture(row.url, row.width)), url + row.shown);
  }
}

TEST_F(PublicPages, OembedM7ChaptersAreInTheDataForPlayersAndOnThePage) {
  const auto with_chapters = [&](const std::string& chapters) {
    import_film("ch4pter001", {{"assets", R"([{"type":"chapters","chapters":)" + chapters + "}]"}});
  };
  with_chapters(R"([{"at":0,"title":"The \"start\""},{"at":4500,"title":"<b>End</b>"}])");
  EXPECT_TRUE(
      ask("/embed/medias/ch4pter001.json")
          .has(R"("chapters":[{"at":0,"title":"The \"start\""},{"at":4.5,"title":"\u003cb)"));
  expect_page("/medias/ch4pter001", {"<h2 id=\"chapters\">Chapters</h2>",
                                     "<a href=\"?time=4\">0:04</a>", "&lt;b&gt;End&lt;/b&gt;"});
  EXPECT_FALSE(ask("/medias/l4unchf1lm").has("Chapters"));
}

TEST_F(PublicPages, PagesW25FramesAllowTheHostsOfTheirFiles) {
  import_film(
      "f0reign001",
      {{"assets",
        R"([{"type":"hls","url":"https://cdn.example:8443/a/index.m3u8","bandwidth":1},)"
        R"({"type":"mp4","url":"https://cdn.example:8443/a.mp4","bandwidth":1},)"
        R"({"type":"mp4","url":"/deliveries/a.mp4","bandwidth":1},)"
        R"({"type":"captions","url":"http://[2001:db8::1]/a.vtt","language":"en","label":"E"},)"
        R"({"type":"storyboard","url":"https://my_boards.example/a.vtt"}])"}});
  import_playlist("f0reign001", {"l4unchf1lm", "f0reign001"});
  const std::string all = kEmbedHost + " http: https: https://cdn.example:8443";
  const auto policy = [&](const std::string& path) {
    return ask(path).header("Content-Security-Policy");
  };
  for (const auto& [path, hosts] : {std::pair("/embed/iframe/f0reign001", all),
                                    {"/embed/playlists/f0reign001", all},
                                    {"/embed/iframe/l4unchf1lm", kEmbedHost},
                                    {"/embed/iframe/unknown000", kEmbedHost}}) {
    EXPECT_TRUE(policy(path).ends_with("; media-src " + hosts + " blob:; connect-src " + hosts))
        << policy(path);
    EXPECT_EQ(policy(path).find("frame-ancestors"), std::string::npos) << path;
  }
  for (const char* path : {"/medias/l4unchf1lm", "/embed-codes"})
    EXPECT_NE(policy(path).find("frame-ancestors 'none'"), std::string::npos) << path;
  std::string assets;
  for (int i = 0; i < 60; ++i) {
    const std::string host = std::string(50, 'h') + std::to_string(i) + ".example";
    assets += (i == 0 ? "" : ",") + R"({"type":"mp4","bandwidth":1,"url":"https://)"s + host +
              "/a.mp4\"}";
  }
  import_film("f0reign001", {{"assets", "[" + assets + "]"}});
  EXPECT_TRUE(policy("/embed/iframe/f0reign001").ends_with("connect-src " + kEmbedHost + " https:"))
      << "too many hosts: their schemes";
}

class WithAnAssetBase : public OembedRules {
 protected:
  WithAnAssetBase()
      : OembedRules({"--asset-base=https://cdn.example/films",
                     "--amp-script-url=https://amp.example/player.js"}) {}
};

TEST_F(WithAnAssetBase, PagesW25TheAssetBaseIsAnOriginInThePolicy) {
  EXPECT_TRUE(ask("/embed/iframe/l4unchf1lm")
                  .header("Content-Security-Policy")
                  .ends_with("connect-src " + kEmbedHost + " https://cdn.example"));
}

TEST_F(WithAnAssetBase, PagesW10HasAmpOnlyIfThereIsAComponent) {
  const std::string script = "src=&quot;https://amp.example/player.js&quot;";
  const std::string player = "amp-svc-player data-media-hashed-id=&quot;l4unchf1lm&quot;";
  expect_page("/embed-codes", {script});
  expect_page("/embed-codes?url=l4unchf1lm", {player});
  EXPECT_FALSE(ask("/embed-codes?url=pl4yl1st01").has("amp-svc-player")) << "for videos only";
}

TEST_F(PublicPagesOnTheWire, PagesW10ThePageOfEmbedCodesIsFilledWithTheChosenVideo) {
  const Answer empty = ask("/embed-codes");
  for (const char* text :
       {"Iframe, responsive", "Web component, responsive", "Async, responsive",
        "Popover, 150 × 100", "Iframe, 640 × 360", "Async, 640 × 360",
        "height:auto;aspect-ratio:16/9;width:100%", "aspect-ratio:16/9;max-width:640px;width:100%",
        "and <code>TITLE</code>, where there is one", "svc_async_ID",
        "svc-player media-id=&quot;ID&quot;", "Replace <code>ID</code>"})
    EXPECT_TRUE(empty.has(text)) << text;
  EXPECT_FALSE(empty.has("amp-svc-player"));
  for (const auto& [pasted, shows] :
       {std::pair("l4unchf1lm", "svc_async_l4unchf1lm"),
        {"pl4yl1st01", "The launch films"},
        {"+pl4yl1st01+", "The launch films"},
        {"https%3A%2F%2Fsvc.localhost%2Fm%2Fl4unchf1lm", "svc_async_l4unchf1lm"}}) {
    const Answer page = ask("/embed-codes?url=" + std::string(pasted));
    EXPECT_TRUE(page.has(shows)) << pasted << page.body;
    for (const char* none : {"svc_async_ID", "TITLE"}) EXPECT_FALSE(page.has(none)) << pasted;
  }
}

TEST_F(PublicPagesOnTheWire, PagesW10ShowsTheOembedResponseAndAPreview) {
  struct Choice {
    std::string query, preview;
  };
  const std::string frame = "<iframe src=\"" + kEmbedHost + "/embed/iframe/l4unchf1lm";
  for (const Choice& row : {
           Choice{"", R"(%20width=%222560%22%20height=%221440%22/%3E" alt="">)" + frame + "\" "},
           {"&width=320", "%20width=%22320%22%20height=%22180%22"},
           {"&embedType=web_component", "%20width=%222560%22%20height=%221440%22"},
           {"&embedType=async&playerColor=%23ff0000&muted=true",
            frame + "?muted=true&amp;playerColor=ff0000\""},
           {"&embedType=async_popover", R"(image_crop_resized=150x100" alt="Thumbnail")"},
           {"&embedType=open_graph_tags", R"(image_crop_resized=640x360" alt="Thumbnail")"},
       }) {
    SCOPED_TRACE(row.query);
    const std::string page = ask("/embed-codes?url=l4unchf1lm" + row.query).body;
    EXPECT_NE(page.find(row.preview), std::string::npos) << page;
    std::string query = row.query;
    if (const std::size_t mark = query.find("%23"); mark != std::string::npos) query.erase(mark, 3);
    const Answer answer = ask(oembed_of(kEmbedHost + "/medias/l4unchf1lm") + query);
    if (row.query.find("_") != std::string::npos) {
      EXPECT_EQ(text_in(page, "code"), value_of(answer, "html"));
    }
    EXPECT_NE(unescaped(page).find(answer.body.substr(0, 24)), std::string::npos);
  }
}

TEST_F(PublicPages, PagesW90CodesOfPagesAreResponsiveInTheRatioOfTheVideo) {
  import_film("p0rtrait00", {{"name", R"("High")"}, {"width", "1080"}, {"height", "1920"}});
  const auto iframe = [](const std::string& src, const std::string& title, const std::string& size,
                         const std::string& style, const std::string& more = "") {
    return "<iframe src=\"" + kEmbedHost + src + "\" title=\"" + title + " Video\" " + size +
           " style=\"border:0;height:auto;aspect-ratio:" + style +
           ";width:100%\" frameborder=\"0\" allow=\"autoplay; fullscreen; picture-in-picture\" "
           "allowfullscreen" +
           more + "></iframe>";
  };
  const std::string wide = "/embed/iframe/l4unchf1lm";
  const std::string high = "/embed/iframe/p0rtrait00";
  struct Code {
    std::string query, code;
  };
  for (const Code& row : {
           Code{"l4unchf1lm", iframe(wide, "Launch film", R"(width="640" height="360")", "16/9")},
           {"l4unchf1lm&videoFoam=true",
            iframe(wide, "Launch film", R"(width="640" height="360")", "16/9")},
           {"l4unchf1lm&width=400&muted=true",
            iframe(wide + "?muted=true", "Launch film", R"(width="400" height="225")",
                   "16/9;max-width:400px")},
           {"l4unchf1lm&autoPlay=true&playbar=false",
            iframe(wide + "?autoPlay=true&amp;playbar=false", "Launch film",
                   R"(width="640" height="360")", "16/9")},
           {"p0rtrait00",
            iframe(high, "High", R"(width="360" height="640")", "9/16;max-width:360px")},
           {"pl4yl1st01", iframe("/embed/playlists/pl4yl1st01", "The launch films",
                                 R"(width="640" height="360")", "16/9")},
           {"l4unchf1lm&embedType=async&handle=a.b&muted=true",
            "<script src=\"" + kEmbedHost +
                "/assets/external/E-v1.js\" async></script>\n<div class=\"svc_embed "
                "svc_async_l4unchf1lm videoFoam=true handle=a.b muted=true\" "
                "style=\"aspect-ratio:16/9;width:100%\">&nbsp;</div>"},
           {"pl4yl1st01&embedType=async&width=400",
            "<div id=\"svc_pl4yl1st01\" class=\"svc_embed\" "
            "style=\"aspect-ratio:16/9;max-width:400px;width:100%\" data-video-width=\"400\" "
            "data-video-height=\"225\">&nbsp;</div>\n<script charset=\"ISO-8859-1\" src=\"" +
                kEmbedHost +
                "/assets/external/playlist-v1.js\"></script>\n<script>\nsvcPlaylist = "
                "svc.playlist(\"pl4yl1st01\", {});\n</script>"},
       })
    EXPECT_EQ(text_in(ask("/embed-codes?url=" + row.query).body, "code"), row.code) << row.query;
  for (const char* id : {"l4unchf1lm", "p0rtrait00"}) {
    EXPECT_EQ(text_in(ask("/medias/" + std::string(id)).body, "embed-code"),
              text_in(ask("/embed-codes?url=" + std::string(id)).body, "code"));
  }
  EXPECT_TRUE(ask(film()).has(R"(width=\"640\" height=\"360\")")) << "oEmbed stays (oembed-S1)";
}

TEST_F(PublicPages, PagesW10RefusesValuesAndNamesTheReason) {
  struct Value {
    std::string query, field, reason;  // without a field: it is accepted
  };
  for (const Value& row : {
           Value{"width=0", "width",
                 "Width, in pixels: must be a whole number of pixels from 1 to 10,000."},
           {"height=9x", "height", "Height, in pixels: must be a whole number"},
           {"playerColor=red", "playerColor", "must be six hexadecimal digits"},
           {"playerColor=%23%23ff000", "playerColor", "must be six hexadecimal digits"},
           {"stillUrl=javascript:alert(1)", "stillUrl", "must be the address of a picture"},
           {"stillUrl=https://x.example/a.jpg", "", ""},
           {"time=1m30", "", ""},
           {"time=1s30m", "time", "must be a time such as"},
           {"time=soon", "time", "must be a time such as"},
           {"volume=1.5", "volume", "must be a number from 0 to 1"},
           {"volume=0.5", "", ""},
           {"qualityMin=1", "qualityMin", "must be a whole number of lines"},
           {"qualityMin=720&qualityMax=360", "qualityMax", "must not be below the lowest quality"},
           {"qualityMin=720&qualityMax=720", "", ""},
           {"handle=document.title", "handle", "must be a free JavaScript name"},
           {"handle=app.player", "", ""},
           {"embedType=nonsense", "embedType", "The type must be one of this list."},
           {"muted=perhaps", "muted", "Muted: must be true or false."},
           {"preload=all", "preload", "must be one of its list"},
           {"preload=auto&endVideoBehavior=loop&playbar=false", "", ""},
       }) {
    SCOPED_TRACE(row.query);
    const Answer page = ask("/embed-codes?url=l4unchf1lm&" + row.query);
    EXPECT_EQ(page.has("<textarea id=\"code\""), row.field.empty());
    if (row.field.empty()) continue;
    const std::size_t summary = page.body.find("<li><a href=\"#" + row.field + "\">");
    ASSERT_NE(summary, std::string::npos) << page.body;
    EXPECT_NE(page.body.find(row.reason, summary), std::string::npos);
    EXPECT_TRUE(page.has("id=\"" + row.field + "\"")) << "the link leads there";
  }
}

TEST_F(PublicPages, PagesW10ExplainsAMissingCode) {
  import_film("f41l3d0001", {{"status", R"("failed")"}});
  for (const auto& [pasted, reason] :
       {std::pair("aud10only1", "This audio has no file that can be played."),
        {"qu3u3d0001", "still being processed"},
        {"f41l3d0001", "There is no video or playlist"},
        {"unknown000", "There is no video or playlist"},
        {"pl4ynov1d0", "has nothing that can be played"},
        {"https://evil.example/medias/l4unchf1lm", "This is not the address of"},
        {"", "Enter the address or the id"}}) {
    const Answer page = ask("/embed-codes?url=" + std::string(pasted));
    EXPECT_TRUE(page.has(reason)) << pasted << page.body;
    EXPECT_FALSE(page.has("<textarea id=\"code\"")) << pasted;
  }
}

}  // namespace
}  // namespace svc::rules
