// Cost of a hit in a worker's own memory: hashing the request, finding the response.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "cache/hash.h"
#include "cache/response_table.h"

namespace {

using namespace svc;

constexpr std::string_view kPath = "/oembed";

std::string query(int number) {
  return "url=http%3A%2F%2Fsvc.localhost%2Fmedias%2Fm" + std::to_string(1'000'000 + number);
}

cache::CachedResponse response(const cache::Hasher& hasher, const std::string& query) {
  cache::CachedResponse made;
  made.hash = hasher.of(kPath, query);
  made.path = kPath;
  made.query = query;
  made.status = 200;
  made.head = std::string(300, 'h');
  made.body = std::string(800, 'b');
  made.made_from = {made.hash + 1};
  return made;
}

void BM_HitsTheCache(benchmark::State& state) {
  constexpr int kAnswers = 1000;
  const cache::Hasher hasher{42};
  cache::ResponseTable table(16 << 20, 100'000, nullptr);
  for (int i = 0; i < kAnswers; ++i) table.put(response(hasher, query(i)));
  const std::string asked = query(kAnswers / 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.find(hasher.of(kPath, asked), kPath, asked));
  }
}
BENCHMARK(BM_HitsTheCache);

void BM_MissesTheCache(benchmark::State& state) {
  const cache::Hasher hasher{42};
  cache::ResponseTable table(16 << 20, 100'000, nullptr);
  for (int i = 0; i < 1000; ++i) table.put(response(hasher, query(i)));
  const std::string asked = query(5000);
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.find(hasher.of(kPath, asked), kPath, asked));
  }
}
BENCHMARK(BM_MissesTheCache);

void BM_KeepsAnAnswerInAFullCache(benchmark::State& state) {
  const cache::Hasher hasher{42};
  cache::ResponseTable table(1 << 20, 100'000, nullptr);
  int number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    cache::CachedResponse made = response(hasher, query(number++));
    state.ResumeTiming();
    benchmark::DoNotOptimize(table.put(std::move(made)));
  }
}
BENCHMARK(BM_KeepsAnAnswerInAFullCache);

}  // namespace
