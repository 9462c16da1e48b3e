// api.md: the files of a media are replaced by those of another one.
#include <gtest/gtest.h>

#include <algorithm>

#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::swaps {
namespace {

constexpr std::string_view kNewText = "1\n00:00:01,000 --> 00:00:02,000\nNew words\n";

media::Asset hls(const std::string& url, int height) {
  media::Asset asset;
  asset.type = media::AssetType::Hls;
  asset.url = url;
  asset.size = media::Dimensions{height * 16 / 9, height};
  asset.bandwidth = 1'000'000;
  return asset;
}

class Swaps : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("all:all");
    put(film("oldfilm0001", "The film", 10, 360));
    put(film("newfilm0001", "Another cut", 20, 720));
  }
  static media::Media film(const std::string& id, const std::string& name, double duration,
                           int height) {
    media::Media one = media(id, name);
    one.description = "About " + name;
    one.duration = duration;
    one.native = media::Dimensions{height * 16 / 9, height};
    one.thumbnail = media::Thumbnail{"/files/" + id + "/poster.jpg", one.native};
    one.assets = {hls("/files/" + id + "/1/index.m3u8", height)};
    one.storyboard = "/files/" + id + "/storyboard.vtt";
    return one;
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Ask json(const std::string& line, const std::string& body) const {
    return with_token(Ask(line).with("Content-Type", "application/json").with_body(body));
  }
  Ask swap_ask(const std::string& other, const std::string& id = "oldfilm0001") const {
    return json("PUT /v1/medias/" + id + "/swap", R"({"replacement_media_id":")" + other + "\"}");
  }
  Answer swap(const std::string& other = "newfilm0001", const std::string& id = "oldfilm0001") {
    return ask(swap_ask(other, id));
  }
  Answer get(const std::string& path) { return ask(with_token(Ask(path))); }
  Answer get_media(const std::string& id = "oldfilm0001") { return get("/v1/medias/" + id); }
  void caption(const std::string& id, std::string_view text) {
    ASSERT_EQ(
        ask(with_token(Ask("POST /v1/medias/" + id + "/captions")
                           .with_form({{"language", "eng"}, {"caption_file", std::string(text)}})))
            .status,
        201);
  }

  std::string token_;
};

TEST_F(Swaps, ApiM6KeepsTheMetadataAndTakesTheFilesOfTheOther) {
  stores().import(
      R"({"kind":"playlist","id":"swaplist001","account_id":1001,"name":"A list","media_ids":["newfilm0001","oldfilm0001"]})"
      "\n");
  ASSERT_EQ(ask(json("PUT /v1/medias/oldfilm0001/customizations", R"({"autoPlay":true})")).status,
            200);
  const Answer before = get_media();
  const Answer answer = swap();
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, get_media().body);
  EXPECT_EQ(answer.header("ETag"), get_media().header("ETag"));
  for (const char* const kept :
       {R"("hashed_id":"oldfilm0001")", R"("name":"The film")", R"("description":"About The film")",
        R"("created":"2026-03-01T10:00:00Z")"})
    EXPECT_TRUE(answer.has(kept)) << kept << answer.body;
  const std::string number = before.body.substr(0, before.body.find(','));
  EXPECT_TRUE(answer.body.starts_with(number)) << number;
  for (const char* const taken :
       {R"("duration":20)", "/files/newfilm0001/1/index.m3u8", R"("height":720)",
        "/files/newfilm0001/poster.jpg", "/files/newfilm0001/storyboard.vtt"})
    EXPECT_TRUE(answer.has(taken)) << taken << answer.body;
  EXPECT_FALSE(answer.has("/files/oldfilm0001/")) << answer.body;
  EXPECT_EQ(get("/v1/medias/oldfilm0001/customizations").body, R"({"autoPlay":true})");
  EXPECT_EQ(get_media("newfilm0001").status, 404);
  const Answer list = get("/v1/medias?hashed_ids[]=newfilm0001&hashed_ids[]=oldfilm0001");
  EXPECT_FALSE(list.has(R"("hashed_id":"newfilm0001")")) << list.body;
  EXPECT_TRUE(list.has(R"("duration":20)")) << list.body;
  const Answer playlist = ask(Ask("/embed/playlists/swaplist001.json"));
  EXPECT_TRUE(playlist.has(R"("oldfilm0001")")) << playlist.body;
  EXPECT_FALSE(playlist.has(R"("id":"newfilm0001")")) << playlist.body;
  EXPECT_EQ(sorted(stores().events()).back(),
            "media.swapped 502 media oldfilm0001 replacement_media_id newfilm0001");
  EXPECT_EQ(stores().events("media.swapped"), 1u);
  EXPECT_EQ(stores().events("media.removed"), 0u) << "one event";
}

TEST_F(Swaps, ApiM6PlayersAndOembedFollow) {
  site_.listen();
  const std::string page = "https://acme.svc.localhost/medias/oldfilm0001";
  const auto oembed = [&] { return ask(Ask("/oembed?url=" + page)); };
  const auto data = [&] { return ask(Ask("/embed/medias/oldfilm0001.json")); };
  const auto manifest = [&] { return ask(Ask("/embed/medias/oldfilm0001.m3u8")); };
  EXPECT_TRUE(oembed().has("/files/oldfilm0001/poster.jpg")) << oembed().body;
  EXPECT_TRUE(data().has("/files/oldfilm0001/")) << data().body;
  EXPECT_TRUE(manifest().has("/files/oldfilm0001/1/index.m3u8")) << manifest().body;
  ASSERT_EQ(swap().status, 200);
  site_.until([&] { return oembed().has("/files/newfilm0001/poster.jpg"); });
  site_.until([&] { return data().has("/files/newfilm0001/storyboard.vtt"); });
  site_.until([&] { return manifest().has("/files/newfilm0001/1/index.m3u8"); });
  EXPECT_TRUE(oembed().has(R"("duration":20)")) << oembed().body;
  EXPECT_FALSE(data().has("/files/oldfilm0001/")) << data().body;
}

TEST_F(Swaps, ApiM6TakesCaptionsOnlyIfTheMediaHasNone) {
  caption("newfilm0001", kNewText);
  ASSERT_EQ(swap().status, 200);
  const Answer taken = get("/v1/medias/oldfilm0001/captions/eng.vtt");
  EXPECT_EQ(taken.status, 200);
  EXPECT_TRUE(taken.has("New words")) << taken.body;
  const Answer shown = get_media();
  EXPECT_TRUE(shown.has("/embed/medias/oldfilm0001/captions/")) << shown.body;
  EXPECT_FALSE(shown.has("/embed/medias/newfilm0001/")) << shown.body;

  put(film("third000001", "A third cut", 30, 360));
  caption("third000001", "1\n00:00:01,000 --> 00:00:02,000\nThird words\n");
  ASSERT_EQ(swap("third000001").status, 200);
  EXPECT_TRUE(get("/v1/medias/oldfilm0001/captions/eng.vtt").has("New words"));
}

TEST_F(Swaps, ApiM6RefusesUnsuitableReplacements) {
  media::Media sound = film("sound000001", "Sound", 5, 360);
  sound.type = "Audio";
  put(sound);
  media::Media queued = film("queued00001", "Queued", 5, 360);
  queued.status = media::Status::Queued;
  put(queued);
  media::Media theirs = film("theirs00001", "Theirs", 5, 360);
  theirs.account = {1002};
  put(theirs);
  const Answer before = get_media();
  for (const auto& [other, words] : std::vector<std::pair<std::string, std::string>>{
           {"oldfilm0001", "must be the id of another media"},
           {"sound000001", "of the type Video, as this one, not Audio"},
           {"queued00001", "that is ready"},
           {"theirs00001", "of this account"},
           {"missing0001", "of this account"},
           {"no id!", "of this account"}}) {
    const Answer answer = swap(other);
    EXPECT_EQ(answer.status, 422) << other;
    EXPECT_TRUE(answer.has(R"("replacement_media_id":[")")) << answer.body;
    EXPECT_TRUE(answer.has(words)) << other << answer.body;
  }
  EXPECT_EQ(ask(json("PUT /v1/medias/oldfilm0001/swap", "{}")).status, 422);
  EXPECT_EQ(ask(json("PUT /v1/medias/oldfilm0001/swap", R"({"replacement_media_id":7})")).status,
            422);
  EXPECT_EQ(swap("newfilm0001", "queued00001").status, 409);
  EXPECT_EQ(swap("newfilm0001", "theirs00001").status, 404);
  EXPECT_EQ(swap("newfilm0001", "missing0001").status, 404);
  EXPECT_EQ(get_media().body, before.body);
  EXPECT_EQ(get_media("newfilm0001").status, 200);
  EXPECT_EQ(stores().events("media.swapped"), 0u);
  token_ = token_of("media:upload");
  EXPECT_EQ(swap().status, 403);
}

TEST_F(Swaps, ApiM6TheSameRequestAgainIsASuccess) {
  ASSERT_EQ(swap().status, 200);
  const Answer after = get_media();
  const Answer again = swap();
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, after.body);
  EXPECT_EQ(stores().events("media.swapped"), 1u);
}

TEST_F(Swaps, ApiN6ApiM6ASwapOfAnotherVersionIsRefused) {
  const std::string tag(get_media().header("ETag"));
  EXPECT_EQ(ask(swap_ask("newfilm0001").with("If-Match", "\"other\"")).status, 412);
  EXPECT_EQ(get_media("newfilm0001").status, 200);
  const Answer swapped = ask(swap_ask("newfilm0001").with("If-Match", tag));
  EXPECT_EQ(swapped.status, 200);
  EXPECT_EQ(swapped.header("Cache-Control"), "private, no-cache");
  EXPECT_EQ(ask(swap_ask("newfilm0001").with("If-Match", tag)).status, 200)
      << "a client that got no response sends it again";
  EXPECT_EQ(ask(json("PUT /v1/medias/oldfilm0001", R"({"name":"x"})").with("If-Match", tag)).status,
            412);
}

// Each of the two would lose its files to the other.
TEST_F(Swaps, ApiM6OfCrossedSwapsAtMostOneSucceeds) {
  const std::vector<Answer> both = site_.ask_at_once(
      {swap_ask("newfilm0001", "oldfilm0001"), swap_ask("oldfilm0001", "newfilm0001")});
  const auto is_done = [](const Answer& answer) { return answer.status == 200; };
  EXPECT_LE(std::ranges::count_if(both, is_done), 1);
  int exist = 0;
  for (const char* const id : {"oldfilm0001", "newfilm0001"}) {
    const Answer media = get_media(id);
    if (media.status != 200) continue;
    ++exist;
    EXPECT_TRUE(media.has(R"("duration":20)") == media.has("/files/newfilm0001/1/")) << media.body;
  }
  EXPECT_EQ(exist, std::ranges::count_if(both, is_done) == 1 ? 1 : 2);
}

TEST_F(Swaps, ApiM6TwoMediaDoNotGetTheSameFiles) {
  put(film("third000001", "A third", 30, 360));
  const std::vector<Answer> both = site_.ask_at_once(
      {swap_ask("newfilm0001", "oldfilm0001"), swap_ask("newfilm0001", "third000001")});
  EXPECT_EQ(std::ranges::count(both, 200, &Answer::status), 1);
  const bool is_first = both[0].status == 200;
  EXPECT_EQ(get_media("oldfilm0001").has("/files/newfilm0001/"), is_first);
  EXPECT_EQ(get_media("third000001").has("/files/newfilm0001/"), !is_first);
}

TEST_F(Swaps, ApiM6KeepsThePosterThatWasSet) {
  media::Media image = media("image000001", "A picture");
  image.type = "Image";
  image.thumbnail = media::Thumbnail{"https://img.example/a.jpg", media::Dimensions{800, 600}};
  put(image);
  ASSERT_EQ(
      ask(json("PUT /v1/medias/oldfilm0001", R"({"new_still_media_id":"image000001"})")).status,
      200);
  ASSERT_EQ(swap().status, 200);
  EXPECT_TRUE(get_media().has("https://img.example/a.jpg")) << get_media().body;
  ASSERT_EQ(ask(json("PUT /v1/medias/oldfilm0001", R"({"new_still_media_id":null})")).status, 200);
  EXPECT_TRUE(get_media().has("/files/newfilm0001/poster.jpg")) << get_media().body;
}

TEST_F(Swaps, ApiN1ApiM6ItsPathAnswersAlsoWithTheSuffixJson) {
  const Answer answer = ask(
      json("PUT /v1/medias/oldfilm0001/swap.json", R"({"replacement_media_id":"newfilm0001"})"));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(ask(Ask("GET /v1/medias/oldfilm0001/swap")).header("Allow"), "PUT");
}

}  // namespace
}  // namespace svc::rules::swaps
