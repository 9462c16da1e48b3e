// Cost of an oEmbed response, function by function, with inputs as clients send them.
#include <benchmark/benchmark.h>

#include "embed/dimensions.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/identifier_path.h"
#include "embed/media_url.h"
#include "embed/rendering.h"
#include "hls/multivariant_playlist.h"
#include "media/media.h"
#include "text/form.h"
#include "text/json.h"

namespace {

using namespace svc;

embed::Site site() {
  return {"https://app.svc.example",
          "https://api.svc.example",
          "https://embed.svc.example",
          "https://fast.svc.example",
          "https://fast.svc.example",
          "svc.example",
          "svc.test",
          "svc",
          "https://app.svc.example",
          ""};
}

// As the catalog stores it: five renditions, a name with characters that need escapes.
constexpr std::string_view kRecord =
    R"({"id":"l4unchf1lm","account_id":1001,"type":"Video","name":"Launch \"film\" & more","status":"ready","duration":16.43,"width":1920,"height":1080,"player_color":"54bbff","thumbnail":{"url":"/deliveries/l4unchf1lm/poster.jpg","width":1920,"height":1080}}
{"project_id":"prj1launch","description":"\u003cp\u003eThe film that every example embeds.\u003c/p\u003e","created":"2026-03-01T10:00:00Z","updated":"2026-06-10T08:30:00Z","assets":[{"type":"hls","url":"/deliveries/l4unchf1lm/1080p/index.m3u8","width":1920,"height":1080,"bandwidth":5605600,"average_bandwidth":4400000,"codecs":"avc1.640028,mp4a.40.2","frame_rate":29.97},{"type":"hls","url":"/deliveries/l4unchf1lm/720p/index.m3u8","width":1280,"height":720,"bandwidth":2962400,"average_bandwidth":2300000,"codecs":"avc1.64001f,mp4a.40.2","frame_rate":29.97},{"type":"hls","url":"/deliveries/l4unchf1lm/540p/index.m3u8","width":960,"height":540,"bandwidth":1870000,"average_bandwidth":1450000,"codecs":"avc1.64001f,mp4a.40.2","frame_rate":29.97},{"type":"hls","url":"/deliveries/l4unchf1lm/360p/index.m3u8","width":640,"height":360,"bandwidth":915200,"average_bandwidth":700000,"codecs":"avc1.64001e,mp4a.40.2","frame_rate":29.97},{"type":"hls","url":"/deliveries/l4unchf1lm/224p/index.m3u8","width":400,"height":224,"bandwidth":395200,"average_bandwidth":300000,"codecs":"avc1.640014,mp4a.40.2","frame_rate":29.97}]})";

media::Media load(text::json::Document& document, media::Detail detail) {
  return *media::media_from_stored(document, kRecord, detail);
}

void BM_LoadsMedia(benchmark::State& state, media::Detail detail) {
  text::json::Document document;
  for (auto _ : state) benchmark::DoNotOptimize(load(document, detail));
}
BENCHMARK_CAPTURE(BM_LoadsMedia, ForAnEmbed, media::Detail::Embed);
BENCHMARK_CAPTURE(BM_LoadsMedia, WithItsAssets, media::Detail::All);

void BM_RecognisesOneUrl(benchmark::State& state) {
  const embed::Site where = site();
  const embed::MediaUrls urls(where);
  const std::string url =
      "https://acme.svc.example/medias/l4unchf1lm?embedType=async&videoFoam=true";
  for (auto _ : state) benchmark::DoNotOptimize(urls.recognise(url));
}
BENCHMARK(BM_RecognisesOneUrl);

void BM_RefusesALookAlike(benchmark::State& state) {
  const embed::Site where = site();
  const embed::MediaUrls urls(where);
  const std::string url = "https://svc.example.evil.example/medias/l4unchf1lm";
  for (auto _ : state) benchmark::DoNotOptimize(urls.recognise(url));
}
BENCHMARK(BM_RefusesALookAlike);

void BM_ParsesTheQuery(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        text::Form::parse("url=https%3A%2F%2Facme.svc.example%2Fmedias%2Fl4unchf1lm%3FembedType%"
                          "3Dasync&maxwidth=640&format=json"));
  }
}
BENCHMARK(BM_ParsesTheQuery);

void BM_ReadsTheRequest(benchmark::State& state) {
  const embed::MediaUrl url{embed::MediaKind::Media, "l4unchf1lm",
                            "embedType=async&videoFoam=true&playerColor=ff0000"};
  const text::Form form = text::Form::parse("maxwidth=640&autoPlay=true");
  for (auto _ : state) benchmark::DoNotOptimize(embed::read_embed_request(url, form));
}
BENCHMARK(BM_ReadsTheRequest);

void BM_FitsTheSize(benchmark::State& state) {
  const embed::SizeRequest asked{{}, {}, 640, 400};
  const media::Dimensions native{1920, 1080};
  for (auto _ : state) benchmark::DoNotOptimize(embed::fit(asked, native));
}
BENCHMARK(BM_FitsTheSize);

void BM_ChecksACallback(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(embed::is_identifier_path("player.embeds.show", 128));
  }
}
BENCHMARK(BM_ChecksACallback);

void BM_BuildsAnEmbedCode(benchmark::State& state, const char* query) {
  const embed::Site where = site();
  text::json::Document document;
  const embed::Embeddable subject = embed::embeddable(load(document, media::Detail::Embed));
  const embed::EmbedRequest request = embed::read_embed_request(
      {embed::MediaKind::Media, "l4unchf1lm", {}}, text::Form::parse(query));
  const media::Dimensions size = embed::fit(request.size, subject.native);
  for (auto _ : state) {
    benchmark::DoNotOptimize(embed::build_embed_code(request, subject, size, where));
  }
}
BENCHMARK_CAPTURE(BM_BuildsAnEmbedCode, Iframe, "maxwidth=640&autoPlay=true");
BENCHMARK_CAPTURE(BM_BuildsAnEmbedCode, Async, "embedType=async&width=640&playerColor=ff0000");
BENCHMARK_CAPTURE(BM_BuildsAnEmbedCode, Popover, "embedType=async_popover");
BENCHMARK_CAPTURE(BM_BuildsAnEmbedCode, Responsive, "embedType=async&videoFoam=true");
BENCHMARK_CAPTURE(BM_BuildsAnEmbedCode, WebComponent, "embedType=web_component&playerColor=ff0000");
BENCHMARK_CAPTURE(BM_BuildsAnEmbedCode, OpenGraphTags, "embedType=open_graph_tags");

void render_one(benchmark::State& state, embed::Format format, std::string_view query) {
  const embed::Site where = site();
  text::json::Document document;
  const embed::Embeddable subject = embed::embeddable(load(document, media::Detail::Embed));
  const embed::EmbedRequest request = embed::read_embed_request(
      {embed::MediaKind::Media, "l4unchf1lm", {}}, text::Form::parse(query));
  for (auto _ : state) {
    benchmark::DoNotOptimize(embed::render(format, request, subject, where, std::nullopt));
  }
}
void BM_RendersJson(benchmark::State& state, const char* query) {
  render_one(state, embed::Format::Json, query);
}
BENCHMARK_CAPTURE(BM_RendersJson, Iframe, "maxwidth=640&autoPlay=true");
BENCHMARK_CAPTURE(BM_RendersJson, Async, "embedType=async&width=640&playerColor=ff0000");
BENCHMARK_CAPTURE(BM_RendersJson, Popover, "embedType=async_popover");
BENCHMARK_CAPTURE(BM_RendersJson, Responsive, "embedType=async&videoFoam=true");
BENCHMARK_CAPTURE(BM_RendersJson, WebComponent, "embedType=web_component&playerColor=ff0000");
BENCHMARK_CAPTURE(BM_RendersJson, OpenGraphTags, "embedType=open_graph_tags");
void BM_RendersXml(benchmark::State& state, const char* query) {
  render_one(state, embed::Format::Xml, query);
}
BENCHMARK_CAPTURE(BM_RendersXml, Iframe, "maxwidth=640&autoPlay=true");

void BM_BuildsAManifest(benchmark::State& state) {
  text::json::Document document;
  const media::Media media = load(document, media::Detail::All);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        hls::MultivariantPlaylist::of(media, "https://fast.svc.example")->to_text());
  }
}
BENCHMARK(BM_BuildsAManifest);

}  // namespace
