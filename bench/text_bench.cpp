// What formats cost: JSON in and out, and escapes, on texts as the catalog has them.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "text/json.h"
#include "text/markup.h"

namespace {

using namespace svc;

constexpr std::string_view kPlain = "A film about how we work together, and why it matters";
constexpr std::string_view kUnicode = "Żółta łódź — ビデオ 🎬 \"quoted\" & <tagged>";

void BM_WritesAJsonString(benchmark::State& state, std::string_view text) {
  std::string out;
  for (auto _ : state) {
    out.clear();
    text::json::append_string(out, text);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(BM_WritesAJsonString, Plain, kPlain);
BENCHMARK_CAPTURE(BM_WritesAJsonString, WithEscapes, kUnicode);

void BM_EscapesHtml(benchmark::State& state) {
  std::string out;
  for (auto _ : state) {
    out.clear();
    text::append_html_escaped(out, kUnicode);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_EscapesHtml);

void BM_EscapesXml(benchmark::State& state) {
  std::string out;
  for (auto _ : state) {
    out.clear();
    text::append_xml_escaped(out, kUnicode);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_EscapesXml);

void BM_ParsesJson(benchmark::State& state, text::json::Origin origin) {
  constexpr std::string_view kText =
      R"({"id":"l4unchf1lm","account_id":1001,"type":"Video","name":"Launch \"film\" & more","status":"ready","duration":16.43,"width":1920,"height":1080})";
  text::json::Document document;
  for (auto _ : state) benchmark::DoNotOptimize(document.parse(kText, origin));
}
BENCHMARK_CAPTURE(BM_ParsesJson, FromOutside, text::json::Origin::Outside);
BENCHMARK_CAPTURE(BM_ParsesJson, OfOurs, text::json::Origin::Ours);

}  // namespace
