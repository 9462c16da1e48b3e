#include "media/media.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/unwritable.h"
#include "fakes/json_fields.h"

namespace svc::media {
namespace {

using fakes::JsonFields;

const JsonFields kAsset{{"type", R"("hls")"},
                        {"url", R"("/deliveries/a/1080p/index.m3u8")"},
                        {"width", "1920"},
                        {"height", "1080"},
                        {"bandwidth", "5605600"},
                        {"average_bandwidth", "4400000"},
                        {"codecs", R"("avc1.640028,mp4a.40.2")"},
                        {"frame_rate", "29.97"}};

const JsonFields kMedia{
    {"id", R"("l4unchf1lm")"},
    {"account_id", "1001"},
    {"project_id", R"("prj-1_x")"},
    {"type", R"("Video")"},
    {"name", R"("Launch film")"},
    {"description", R"("\u003cp\u003eThe film.\u003c/p\u003e")"},
    {"status", R"("ready")"},
    {"duration", "16.43"},
    {"width", "1920"},
    {"height", "1080"},
    {"player_color", R"("54bbff")"},
    {"thumbnail", R"({"url":"/deliveries/a/poster.jpg","width":1920,"height":1080})"},
    {"created", R"("2026-03-01T10:00:00Z")"},
    {"updated", R"("2026-06-10T08:30:00+02:00")"},
    {"assets", "[" + kAsset.text() + "]"}};

// Captions as an asset of an import line, and as they are stored.
const JsonFields kEnglish{{"url", R"("/d/en.vtt")"},
                          {"language", R"("en")"},
                          {"label", R"("English")"},
                          {"default", "true"}};
const JsonFields kGerman{{"url", R"("https://h/de/index.m3u8?t=1")"},
                         {"language", R"("de-CH")"},
                         {"label", R"("Deutsch, Schweiz")"},
                         {"default", "false"}};
std::string imported(const JsonFields& captions) {
  return R"({"type":"captions",)" + captions.text().substr(1);
}

std::string times(int count, const std::string& entry) {
  std::string list = "[" + entry;
  while (--count > 0) list += "," + entry;
  return list + "]";
}

// The stored form of an import record whose values are written as to_record()
// writes them.
std::string two_lines(const JsonFields& record) {
  return record
             .only({"id", "account_id", "type", "name", "status", "duration", "width", "height",
                    "player_color", "thumbnail", "visibility", "allowed_domains"})
             .text() +
         "\n" + record.only({"project_id", "description", "created", "updated", "assets"}).text();
}

base::Result<Media, std::string> read_stored(std::string_view text, Detail detail = Detail::All) {
  text::json::Document document;
  return media_from_stored(document, text, detail);
}

// A line of an import file.
base::Result<Media, std::string> read_media(const std::string& json) {
  text::json::Document document;
  const auto value = document.parse(json);
  if (!value) return base::Refusal{"not JSON: " + value.error()};
  text::JsonRecord record(*value);
  record.be_strict();
  record.allow_only(kMediaKeys);
  return media_from_record(record);
}

// A record that is written but cannot be read would make the media unavailable.
TEST(MediaRecord, RoundTripsByteForByte) {
  struct Case {
    std::string_view name;
    JsonFields record;
    bool is_canonical = true;  // as to_record() writes it
  };
  const JsonFields sound{{"type", R"("mp4")"},   {"url", R"("https://h/a.mp4")"},
                         {"width", "null"},      {"height", "null"},
                         {"bandwidth", "64000"}, {"codecs", R"("")"}};
  for (const Case& c : {
           Case{"everything there", kMedia},
           Case{"no project", kMedia.without("project_id")},
           Case{"no duration", kMedia.without("duration")},
           Case{"a whole number of seconds", kMedia.with("duration", "16")},
           Case{"a duration of zero", kMedia.with("duration", "0")},
           Case{"no size", kMedia.with("width", "null").with("height", "null")},
           Case{"no colour", kMedia.with("player_color", R"("")")},
           Case{"no thumbnail", kMedia.without("thumbnail")},
           Case{"no name", kMedia.with("name", R"("")")},
           Case{"no description", kMedia.with("description", R"("")")},
           Case{"no assets", kMedia.with("assets", "[]")},
           Case{"an asset of sound alone", kMedia.with("assets", "[" + sound.text() + "]")},
           Case{"two assets",
                kMedia.with("assets", "[" + kAsset.text() + "," + sound.text() + "]")},
           Case{"the most assets", kMedia.with("assets", times(64, kAsset.text()))},
           Case{"another type", kMedia.with("type", R"("PdfDocument")")},
           Case{"queued", kMedia.with("status", R"("queued")")},
           Case{"processing", kMedia.with("status", R"("processing")")},
           Case{"failed", kMedia.with("status", R"("failed")")},
           Case{"unlisted", kMedia.with("visibility", R"("unlisted")")},
           Case{"for two sites", kMedia.with("allowed_domains", R"(["a.example","b.example"])")},
           Case{"for all sites", kMedia.with("allowed_domains", "[]")},
           Case{"public, as if it were absent", kMedia.with("visibility", R"("public")"), false},
           Case{"a hostile name",
                kMedia.with("name", R"("\u003c/script\u003e\u0026\"\\\n\u2028é陈😀")")},
           Case{"null for everything that may be",
                kMedia.with("project_id", "null")
                    .with("duration", "null")
                    .with("description", "null")
                    .with("player_color", "null")
                    .with("thumbnail", "null"),
                false},
           Case{"a thumbnail without a size", kMedia.with("thumbnail", R"({"url":"/p.jpg"})"),
                false},
           Case{"a thumbnail of null size",
                kMedia.with("thumbnail", R"({"url":"/p.jpg","width":null,"height":null})"), false},
           Case{"a duration of many decimals", kMedia.with("duration", "16.43219"), false},
           Case{"the longest duration", kMedia.with("duration", "10000000"), false},
           Case{"the slowest frame rate",
                kMedia.with("assets", "[" + kAsset.with("frame_rate", "0.001").text() + "]"),
                false},
           Case{"a frame rate just above it",
                kMedia.with("assets", "[" + kAsset.with("frame_rate", "0.0014").text() + "]"),
                false},
           Case{"the fastest frame rate",
                kMedia.with("assets", "[" + kAsset.with("frame_rate", "1000").text() + "]"), false},
       }) {
    SCOPED_TRACE(c.name);
    const auto media = read_media(c.record.text());
    if (!media) {
      ADD_FAILURE() << media.error();
      continue;
    }
    const std::string written = to_record(*media);
    if (c.is_canonical) {
      EXPECT_EQ(written, two_lines(c.record));
    }
    const auto stored = read_stored(written);
    if (!stored) {
      ADD_FAILURE() << stored.error();
      continue;
    }
    EXPECT_EQ(to_record(*stored), written);
  }
}

TEST(MediaRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name;
    JsonFields record;
    std::string_view error;
  };
  const auto asset = [](const std::string& key, const std::string& json) {
    return kMedia.with("assets", "[" + kAsset.text() + "," + kAsset.with(key, json).text() + "]");
  };
  for (const Case& c : {
           Case{"no id", kMedia.without("id"), "id is missing"},
           Case{"an empty id", kMedia.with("id", R"("")"), "id must be 1 to 64 letters and digits"},
           Case{"an id with a dash", kMedia.with("id", R"("a-b")"),
                "id must be 1 to 64 letters and digits"},
           Case{"a number for an id", kMedia.with("id", "7"), "id must be a string"},
           Case{"a long id", kMedia.with("id", "\"" + std::string(65, 'a') + "\""),
                "id is longer than 64 bytes"},
           Case{"no account", kMedia.without("account_id"), "account_id is missing"},
           Case{"account 0", kMedia.with("account_id", "0"),
                "account_id must be an integer from 1 to 9007199254740991"},
           Case{"an account past 2^53", kMedia.with("account_id", "9007199254740992"),
                "account_id must be an integer from 1 to 9007199254740991"},
           Case{"an empty project", kMedia.with("project_id", R"("")"),
                "project_id must be 1 to 64 letters, digits, '_' and '-'"},
           Case{"a project with a slash", kMedia.with("project_id", R"("a/b")"),
                "project_id must be 1 to 64 letters, digits, '_' and '-'"},
           Case{"no type", kMedia.without("type"), "type is missing"},
           Case{"an empty type", kMedia.with("type", R"("")"), "type must not be empty"},
           Case{"a long type", kMedia.with("type", "\"" + std::string(65, 'a') + "\""),
                "type is longer than 64 bytes"},
           Case{"no name", kMedia.without("name"), "name is missing"},
           Case{"a long name", kMedia.with("name", "\"" + std::string(2049, 'a') + "\""),
                "name is longer than 2048 bytes"},
           Case{"a long description",
                kMedia.with("description", "\"" + std::string(65537, 'a') + "\""),
                "description is longer than 65536 bytes"},
           Case{"no status", kMedia.without("status"), "status is missing"},
           Case{"an unknown status", kMedia.with("status", R"("READY")"),
                "status must be one of queued, processing, ready, failed"},
           Case{"a negative duration", kMedia.with("duration", "-0.1"),
                "duration must be a number from 0 to 10000000"},
           Case{"an endless duration", kMedia.with("duration", "10000000.1"),
                "duration must be a number from 0 to 10000000"},
           Case{"a text for a duration", kMedia.with("duration", R"("16")"),
                "duration must be a number from 0 to 10000000"},
           Case{"width 0", kMedia.with("width", "0"), "width must be an integer from 1 to 32768"},
           Case{"a large height", kMedia.with("height", "32769"),
                "height must be an integer from 1 to 32768"},
           Case{"half a pixel", kMedia.with("width", "1920.5"),
                "width must be an integer from 1 to 32768"},
           Case{"a width alone", kMedia.without("height"),
                "height is missing: width and height must be set together"},
           Case{"a height alone", kMedia.with("width", "null"),
                "width is missing: width and height must be set together"},
           Case{"an unknown visibility", kMedia.with("visibility", R"("secret")"),
                "visibility must be one of public, unlisted, private"},
           Case{"a short colour", kMedia.with("player_color", R"("54bbf")"),
                "player_color must be six hex digits or empty"},
           Case{"a colour with a number sign", kMedia.with("player_color", R"("#54bbf")"),
                "player_color must be six hex digits or empty"},
           Case{"a long colour", kMedia.with("player_color", R"("54bbff0")"),
                "player_color is longer than 6 bytes"},
           Case{"a text for a thumbnail", kMedia.with("thumbnail", R"("/p.jpg")"),
                "thumbnail must be an object or null"},
           Case{"a thumbnail without a URL", kMedia.with("thumbnail", R"({"width":1,"height":1})"),
                "thumbnail: url is missing"},
           Case{"a thumbnail's scheme",
                kMedia.with("thumbnail", R"({"url":"javascript:x","width":1,"height":1})"),
                "thumbnail: url must be an absolute http(s) URI or a path that begins with one "
                "slash"},
           Case{"a thumbnail's width alone",
                kMedia.with("thumbnail", R"({"url":"/p.jpg","width":1})"),
                "thumbnail: height is missing: width and height must be set together"},
           Case{"a thumbnail's unknown key",
                kMedia.with("thumbnail", R"({"url":"/p.jpg","size":1})"),
                "thumbnail: size is an unknown key; the allowed keys are url, width, height"},
           Case{"no creation", kMedia.without("created"), "created is missing"},
           Case{"a date for a time", kMedia.with("created", R"("2026-03-01")"),
                std::string_view("created must be an RFC 3339 time such as 2026-03-01T10:00:00Z")},
           Case{"no update", kMedia.without("updated"), "updated is missing"},
           Case{"a day that is not", kMedia.with("updated", R"("2026-02-30T10:00:00Z")"),
                std::string_view("updated must be an RFC 3339 time such as 2026-03-01T10:00:00Z")},
           Case{"no assets", kMedia.without("assets"), "assets is missing"},
           Case{"too many assets", kMedia.with("assets", times(65, kAsset.text())),
                "assets has more than 64 entries"},
           Case{"an object for assets", kMedia.with("assets", "{}"), "assets must be an array"},
           Case{"an asset that is none", kMedia.with("assets", "[7]"),
                "assets[0]: must be a JSON object"},
           Case{"an asset's type", asset("type", R"("dash")"),
                "assets[1]: type must be one of hls, mp4, captions, chapters, storyboard"},
           Case{"an asset's URL", asset("url", R"("a/b.m3u8")"),
                "assets[1]: url must be an absolute http(s) URI or a path that begins with one "
                "slash"},
           Case{"a line feed in an asset's URL", asset("url", R"("/a\n#EXT-X-KEY")"),
                "assets[1]: url must be an absolute http(s) URI or a path that begins with one "
                "slash"},
           Case{"an asset's height alone", asset("width", "null"),
                "assets[1]: width is missing: width and height must be set together"},
           Case{"an asset's bandwidth", asset("bandwidth", "0"),
                "assets[1]: bandwidth must be an integer from 1 to 9007199254740991"},
           Case{"an asset's average", asset("average_bandwidth", R"("much")"),
                "assets[1]: average_bandwidth must be an integer from 1 to 9007199254740991"},
           Case{"a quote in codecs", asset("codecs", R"("avc1\",URI=\"x")"),
                "assets[1]: codecs must be a list of RFC 6381 codec names"},
           Case{"a frame rate of zero", asset("frame_rate", "0"),
                "assets[1]: frame_rate must be a number from 0.001 to 1000"},
           Case{"an asset's unknown key", asset("bitrate", "1"),
                "assets[1]: bitrate is an unknown key; the allowed keys are type, url, width, "
                "height, bandwidth, average_bandwidth, codecs, frame_rate"},
           Case{"an unknown key", kMedia.with("title", R"("x")"),
                "title is an unknown key; the allowed keys are kind, id, account_id, project_id, "
                "type, "
                "name, description, status, duration, width, height, player_color, thumbnail, "
                "visibility, "
                "allowed_domains, "
                "created, "
                "updated, assets"},
       }) {
    SCOPED_TRACE(c.name);
    const auto media = read_media(c.record.text());
    EXPECT_EQ(media ? "accepted" : media.error(), c.error);
  }
}

TEST(MediaRecord, ReadsCaptionsAmongTheAssetsAndStoresThemApart) {
  const auto media =
      read_media(kMedia
                     .with("assets", "[" + imported(kEnglish) + "," + kAsset.text() + "," +
                                         imported(kGerman.without("default")) + "]")
                     .text());
  ASSERT_TRUE(media) << media.error();
  ASSERT_EQ(media->assets.size(), 1u);
  ASSERT_EQ(media->captions.size(), 2u);
  const Captions& english = media->captions[0];
  EXPECT_EQ(english.url, "/d/en.vtt");
  EXPECT_EQ(english.language, "en");
  EXPECT_EQ(english.label, "English");
  EXPECT_TRUE(english.by_default);
  EXPECT_FALSE(english.is_segmented());
  EXPECT_FALSE(media->captions[1].by_default);
  EXPECT_TRUE(media->captions[1].is_segmented());

  std::string stored = two_lines(kMedia);
  stored.replace(stored.size() - 1, 1,
                 ",\"captions\":[" + kEnglish.text() + "," + kGerman.text() + "]}");
  EXPECT_EQ(to_record(*media), stored);
  const auto again = read_stored(stored);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(to_record(*again), stored);
  const auto older = read_stored(two_lines(kMedia));
  ASSERT_TRUE(older) << older.error();
  EXPECT_TRUE(older->captions.empty());
}

TEST(MediaRecord, CaptionsAreSegmentedIfThePathEndsInM3u8) {
  for (const auto& [url, segmented] :
       {std::pair("/a.m3u8", true), std::pair("https://h/a.m3u8?x=1", true),
        std::pair("/a.m3u8#x", true), std::pair("/a.vtt", false),
        std::pair("/a.vtt?f=.m3u8", false), std::pair("/m3u8", false), std::pair("/", false)}) {
    SCOPED_TRACE(url);
    EXPECT_EQ((Captions{url, "en", "English", false}.is_segmented()), segmented);
  }
}

TEST(MediaRecord, RefusesHostileCaptions) {
  struct Case {
    std::string_view name;
    JsonFields captions;
    std::string_view error;
  };
  const std::string_view url =
      "assets[1]: url must be an absolute http(s) URI or a path that begins with one slash";
  const std::string_view language =
      "assets[1]: language must be a BCP 47 language tag such as en or pt-BR";
  const std::string_view label =
      "assets[1]: label must have a visible character, and no control character or double quote";
  for (const Case& c : {
           Case{"a second one", kGerman, "accepted"},
           Case{"no URL", kGerman.without("url"), "assets[1]: url is missing"},
           Case{"a script", kGerman.with("url", R"("javascript:alert`1`")"), url},
           Case{"data", kGerman.with("url", R"("data:text/vtt,WEBVTT")"), url},
           Case{"another host's path", kGerman.with("url", R"("//h/a.vtt")"), url},
           Case{"a quote in the URL", kGerman.with("url", R"("/a\",X=\"")"), url},
           Case{"a line feed in the URL", kGerman.with("url", R"("/a\n#EXT-X-KEY")"), url},
           Case{"no language", kGerman.without("language"), "assets[1]: language is missing"},
           Case{"an empty language", kGerman.with("language", R"("")"), language},
           Case{"a name for a language", kGerman.with("language", R"("German language")"),
                language},
           Case{"a quote in the language", kGerman.with("language", R"("de\",X=\"")"), language},
           Case{"no label", kGerman.without("label"), "assets[1]: label is missing"},
           Case{"an empty label", kGerman.with("label", R"("")"), label},
           Case{"a blank label", kGerman.with("label", R"("  ")"), label},
           Case{"a quote in the label", kGerman.with("label", R"("de\",X=\"")"), label},
           Case{"a line feed in the label", kGerman.with("label", R"("a\n#EXT-X-KEY")"), label},
           Case{"a carriage return in the label", kGerman.with("label", R"("a\rb")"), label},
           Case{"a zero byte in the label", kGerman.with("label", R"("a\u0000b")"), label},
           Case{"a C1 control in the label", kGerman.with("label", R"("a\u0085b")"), label},
           Case{"a line separator in the label", kGerman.with("label", R"("a\u2028b")"), label},
           Case{"a direction override", kGerman.with("label", R"("a\u202eb")"), label},
           Case{"the longest label", kGerman.with("label", "\"" + std::string(128, 'a') + "\""),
                "accepted"},
           Case{"a long label", kGerman.with("label", "\"" + std::string(129, 'a') + "\""),
                "assets[1]: label is longer than 128 bytes"},
           Case{"the same label", kGerman.with("label", R"("English")"),
                "assets[1]: label is that of other captions of the media"},
           Case{"language and label twice",
                kGerman.with("label", R"("English")").with("language", R"("en")"),
                "assets[1]: label is that of other captions of the media"},
           Case{"the same language", kGerman.with("language", R"("en")"), "accepted"},
           Case{"two defaults", kGerman.with("default", "true"),
                "assets[1]: default must be true for one of the media's captions only"},
           Case{"a text for a default", kGerman.with("default", R"("yes")"),
                "assets[1]: default must be true or false"},
           Case{"a size", kGerman.with("width", "1"),
                "assets[1]: width is an unknown key; the allowed keys are type, url, language, "
                "label, default"},
       }) {
    SCOPED_TRACE(c.name);
    const auto media = read_media(
        kMedia.with("assets", "[" + imported(kEnglish) + "," + imported(c.captions) + "]").text());
    EXPECT_EQ(media ? "accepted" : media.error(), c.error);
  }
}

TEST(MediaRecord, KeepsCustomizationsInStoredRecordsOnly) {
  std::string stored = two_lines(kMedia);
  stored.replace(stored.size() - 1, 1,
                 R"(,"customizations":{"autoPlay":true,"time":1000000,"volume":0.123456789}})");
  const auto media = read_stored(stored);
  ASSERT_TRUE(media) << media.error();
  EXPECT_EQ(to_record(*media), stored);
  EXPECT_TRUE(read_stored(stored, Detail::Embed)->customizations.empty());
  EXPECT_FALSE(read_media(kMedia.with("customizations", "{}").text()));
  // A newer version may have stored values of other kinds: they are left out.
  std::string newer = stored;
  newer.insert(newer.find("\"autoPlay\""), R"("a":[1],"b":null,"c":{"d":1},)");
  const auto read = read_stored(newer);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(to_record(*read), stored);
}

TEST(MediaRecord, KeepsAPosterAndFoldersInStoredRecordsOnly) {
  for (
      const std::string member :
      {R"("set_poster":{"source":"/files/a/original.png","own":{"url":"/d/poster.jpg","width":16,"height":9}})",
       R"("set_poster":{"source":"https://img.example/a.jpg"})", R"("next_poster":{"at":0})",
       R"("next_poster":{"at":5250,"failed":true})", R"("folders":["one","two"])"}) {
    std::string stored = two_lines(kMedia);
    stored.replace(stored.size() - 1, 1, "," + member + "}");
    const auto media = read_stored(stored);
    ASSERT_TRUE(media) << media.error();
    EXPECT_EQ(to_record(*media), stored);
    const std::string key = member.substr(1, member.find(':') - 2);
    EXPECT_FALSE(read_media(kMedia.with(key, member.substr(member.find(':') + 1)).text())) << key;
  }
}

TEST(MediaRecord, DropsTheMarkOfASwapThatAnEarlierVersionBegan) {
  const std::string record = two_lines(kMedia);
  std::string marked = record;
  marked.replace(marked.size() - 1, 1, R"(,"swapped_into":{"media":"one","since":1780000000}})");
  const auto media = read_stored(marked);
  ASSERT_TRUE(media) << media.error();
  EXPECT_EQ(to_record(*media), record);
}

TEST(Media, KnowsItsOwnFilesByTheirUrls) {
  const auto read = [](std::string_view url) {
    const auto file = own_file(url);
    return file ? file->folder.value() + " " + file->name : "none";
  };
  EXPECT_EQ(read("/files/abc/poster.jpg"), "abc poster.jpg");
  EXPECT_EQ(read("/files/abc/1/index.m3u8?a=/.#b"), "abc 1/index.m3u8");
  for (const char* const url :
       {"/files/abc/", "/files/abc", "/files//a", "/files/abc/../d/a", "/files/abc/.work/a",
        "/files/abc//a", "/files/no-id/a", "/files/abc/a/", "/deliveries/abc/a",
        "https://embed.example/files/abc/a", ""})
    EXPECT_EQ(read(url), "none") << url;
  EXPECT_EQ(url_of_file(*HashedId::parse("abc"), "1/index.m3u8"), "/files/abc/1/index.m3u8");
}

TEST(MediaRecord, ReadsAStoryboardAmongTheAssetsAndStoresItApart) {
  const std::string storyboard = R"({"type":"storyboard","url":"/d/storyboard.vtt"})";
  const auto with_assets = [](const std::string& more) {
    return read_media(kMedia.with("assets", "[" + kAsset.text() + "," + more + "]").text());
  };
  const auto media = with_assets(storyboard);
  ASSERT_TRUE(media) << media.error();
  EXPECT_EQ(media->assets.size(), 1u);
  EXPECT_EQ(media->storyboard, "/d/storyboard.vtt");
  std::string stored = two_lines(kMedia);
  stored.replace(stored.size() - 1, 1, R"(,"storyboard":{"url":"/d/storyboard.vtt"}})");
  EXPECT_EQ(to_record(*media), stored);
  const auto again = read_stored(stored);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->storyboard, media->storyboard);

  for (const auto& [assets, error] :
       {std::pair(storyboard + "," + storyboard,
                  "assets[2]: type must be storyboard for one of the media's assets only"),
        std::pair(std::string(R"({"type":"storyboard"})"), "assets[1]: url is missing"),
        std::pair(std::string(R"({"type":"storyboard","url":"//h/a.vtt"})"),
                  "assets[1]: url must be an absolute http(s) URI or a path that begins with one "
                  "slash"),
        std::pair(std::string(R"({"type":"storyboard","url":"/a","label":"a"})"),
                  "assets[1]: label is an unknown key; the allowed keys are type, url")}) {
    SCOPED_TRACE(assets);
    const auto refused = with_assets(assets);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), error);
  }
}

TEST(MediaRecord, ReadsChaptersAmongTheAssetsAndStoresThemApart) {
  const auto with_chapters = [](const std::string& list) {
    return read_media(kMedia
                          .with("assets", "[" + kAsset.text() +
                                              R"(,{"type":"chapters","chapters":)" + list + "}]")
                          .text());
  };
  const std::string list = R"([{"at":0,"title":"Begin"},{"at":4500,"title":"End"}])";
  const auto media = with_chapters(list);
  ASSERT_TRUE(media) << media.error();
  EXPECT_EQ(media->assets.size(), 1u);
  EXPECT_EQ(media->chapters, (std::vector<Chapter>{{0, "Begin"}, {4500, "End"}}));
  std::string stored = two_lines(kMedia);
  stored.replace(stored.size() - 1, 1, R"(,"chapters":)" + list + "}");
  EXPECT_EQ(to_record(*media), stored);
  const auto again = read_stored(stored);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->chapters, media->chapters);
  std::string many;
  for (std::size_t i = 0; i <= kMaxChapters; ++i)
    many += (i == 0 ? "" : ",") + (R"({"at":)" + std::to_string(i)) + R"(,"title":"x"})";
  for (const std::string& refused :
       {std::string("7"), std::string(R"([{"at":0}])"), std::string(R"([{"at":-1,"title":"x"}])"),
        std::string(R"([{"at":5,"title":"x"},{"at":5,"title":"y"}])"),
        std::string(R"([{"at":0,"title":" "}])"), "[" + many + "]"})
    EXPECT_FALSE(with_chapters(refused)) << refused;
}

TEST(MediaRecord, StoredRecordsMayHaveUnknownKeys) {
  const std::string newer = two_lines(kMedia);
  const std::size_t end = newer.find('\n');
  const auto media = read_stored("{\"plays\":7," + newer.substr(1, end) + "{\"marks\":[1]," +
                                 newer.substr(end + 2));
  ASSERT_TRUE(media) << media.error();
  EXPECT_EQ(to_record(*media), newer);
}

TEST(MediaRecord, DetailEmbedReadsOnlyTheFirstLine) {
  const std::string whole = two_lines(kMedia);
  // The second line is not parsed.
  const std::string first = whole.substr(0, whole.find('\n') + 1);
  const auto media = read_stored(first + "nonsense", Detail::Embed);
  ASSERT_TRUE(media) << media.error();
  EXPECT_EQ(media->id.value(), "l4unchf1lm");
  EXPECT_EQ(media->name, "Launch film");
  EXPECT_EQ(media->status, Status::Ready);
  EXPECT_EQ(media->duration, 16.43);
  EXPECT_EQ(media->native, (Dimensions{1920, 1080}));
  EXPECT_EQ(media->player_color, "54bbff");
  EXPECT_EQ(media->thumbnail->url, "/deliveries/a/poster.jpg");
  EXPECT_EQ(media->project, std::nullopt);
  EXPECT_EQ(media->description, "");
  EXPECT_EQ(media->created, "");
  EXPECT_TRUE(media->assets.empty());
  EXPECT_FALSE(read_stored(first + "nonsense", Detail::All));
}

TEST(MediaRecord, RefusesBrokenStoredRecords) {
  const std::string whole = two_lines(kMedia);
  const std::size_t end = whole.find('\n');
  for (const std::string& text :
       {std::string(), std::string("nonsense"), std::string("\n"), std::string("{}\n{}"),
        whole.substr(0, end), whole.substr(0, end - 1) + whole.substr(end),
        whole.substr(0, whole.size() - 1), whole.substr(end), whole + "x",
        "[]\n" + whole.substr(end + 1), two_lines(kMedia.with("status", R"("new")")),
        two_lines(kMedia.without("name")), two_lines(kMedia.with("created", "1"))}) {
    SCOPED_TRACE(text);
    const auto media = read_stored(text);
    ASSERT_FALSE(media);
    EXPECT_NE(media.error(), "");
  }
}

// Writers refuse records that readers refuse: each later request for the media would fail.
TEST(MediaRecord, IsNotWrittenIfItCouldNotBeRead) {
  Media fine;
  fine.id = *HashedId::parse("a1");
  fine.account = {7};
  fine.type = "Video";
  fine.created = fine.updated = "2026-03-01T10:00:00Z";
  EXPECT_FALSE(to_record(fine).empty());
  struct Case {
    std::string field;
    void (*change)(Media& media);
  };
  for (const Case& c : std::vector<Case>{
           {"name", [](Media& media) { media.name = std::string(2049, 'n'); }},
           {"name", [](Media& media) { media.name = std::string(2048, '\xff'); }},
           {"description", [](Media& media) { media.description = std::string(65'537, 'd'); }},
           {"type", [](Media& media) { media.type = ""; }},
           {"created", [](Media& media) { media.created = "yesterday"; }},
           {"player_color", [](Media& media) { media.player_color = "red"; }},
           {"thumbnail: url",
            [](Media& media) {
              media.thumbnail = Thumbnail{"x", {}};
            }},
           {"captions[0]: label",
            [](Media& media) {
              media.captions = {Captions{"/a", "de", "a\tb"}};
            }},
           {"captions[1]: label",
            [](Media& media) {
              media.captions = {Captions{"/a", "de", "A"}, Captions{"/b", "fr", "A"}};
            }},
           {"captions[0]: language",
            [](Media& media) {
              media.captions = {Captions{"/a", "?", "A"}};
            }},
           {"chapters[0]: title",
            [](Media& media) {
              media.chapters = {Chapter{0, "a\tb"}};
            }},
           {"chapters[0]: title",
            [](Media& media) {
              media.chapters = {Chapter{0, "a\u200eb"}};
            }},
           {"chapters[0]: title",
            [](Media& media) {
              media.chapters = {Chapter{0, "\u2028"}};
            }},
           {"chapters[1]: at",
            [](Media& media) {
              media.chapters = {Chapter{5, "A"}, Chapter{5, "B"}};
            }},
           {"storyboard: url", [](Media& media) { media.storyboard = "x"; }},
           {"failure", [](Media& media) { media.failure = std::string(1025, 'f'); }},
           {"the record would not",
            [](Media& media) {
              media.customizations = {
                  {"volume", OptionValue(std::numeric_limits<double>::infinity())}};
            }},
       }) {
    Media media = fine;
    c.change(media);
    std::string why = "written";
    try {
      static_cast<void>(to_record(media));
    } catch (const base::Unwritable& refused) {
      why = refused.what();
    }
    if (c.field.starts_with("the record")) {
      EXPECT_NE(why, "written") << c.field;  // the parser names a position
    } else {
      EXPECT_EQ(why.substr(0, c.field.size() + 1), c.field + " ");
    }
  }
}

TEST(MediaRecord, TheAccountIsFoundInARecordThatCannotBeRead) {
  text::json::Document document;
  struct Case {
    std::string text;
    std::int64_t account;  // 0: none
  };
  for (const Case& c : std::vector<Case>{{R"({"id":"a","account_id":7})", 7},
                                         {R"({"name":3,"account_id":7})"
                                          "\ngarbage",
                                          7},
                                         {R"({"account_id":"7"})", 0},
                                         {R"({"account_id":0})", 0},
                                         {"[7]", 0},
                                         {"garbage", 0},
                                         {"", 0}}) {
    const auto account = account_in_stored(document, c.text);
    EXPECT_EQ(account ? account->value() : 0, c.account) << c.text;
  }
}

}  // namespace
}  // namespace svc::media
