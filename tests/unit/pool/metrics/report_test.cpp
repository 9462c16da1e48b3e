#include "pool/metrics/report.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>

#include "text/json.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

const base::TimePoint kReportTime{1000s};

// A pool that has run for 100 s, with a busy worker and a draining worker.
void fill(Scoreboard& board) {
  PoolSlot& pool = board.pool();
  pool.pid = 10;
  pool.started = base::Duration(900s).count();
  pool.workers = 1;
  pool.generation = 2;
  pool.asked = 3;
  pool.answer_reload(ReloadOutcome::Refused, "svc.conf:3: unknown key \"a\"",
                     base::Duration(990s).count(), 2);
  pool.retired = 5;
  pool.deaths[SIGABRT] = 1;
  pool.deaths[death::kNoHeartbeat] = 4;
  pool.most_active = 7;

  board.slot(0).pid = 11;
  board.slot(0).generation = 2;
  board.slot(0).requests = 3;
  board.slot(0).stores[0] = StoreState::Up;
  board.slot(0).stores[1] = StoreState::Up;
  board.slot(0).begin_request("/oembed", base::Duration(998s).count());
  board.slot(1).pid = 12;
  board.slot(1).generation = 1;
  board.slot(1).stores[0] = StoreState::Away;
  board.slot(1).phase = Phase::Draining;

  Counters& first = board.counters(0);
  first.accepted = 2;
  const std::size_t oembed = board.endpoint("/oembed");
  first.count(oembed, 200, 80us);
  first.count(oembed, 404, 3s);
  board.counters(1).count(oembed, 200, 250us);
  board.counters(1).count(kEndpoints - 1, 404, 1us);
  // A different endpoint, so that the others have no error.
  const std::size_t medias = board.endpoint("/medias/");
  first.count(medias, 501, 90us);
  for (const int status : {500, 501, 502, 503, 507}) board.counters(1).count(medias, status, 90us);
  first.stores[0].trips.count(400us);
  add(first.stores[0].failures, 6);
  first.stores[1].trips.count(80us);
  add(first.cache[static_cast<std::size_t>(http::CacheUse::Memory)], 5);
  add(first.cache[static_cast<std::size_t>(http::CacheUse::Redis)], 3);
  add(first.cache[static_cast<std::size_t>(http::CacheUse::Miss)], 2);
  add(first.cache[static_cast<std::size_t>(http::CacheUse::Handover)], 5);
  add(first.cache[static_cast<std::size_t>(http::CacheUse::Stale)], 1);
  add(first.watch_refusals[static_cast<std::size_t>(http::WatchRefusal::EndedLink)], 6);
  add(first.viewings[static_cast<std::size_t>(http::Viewing::Counted)], 15);
  add(first.viewings[static_cast<std::size_t>(http::Viewing::Ticket)], 17);
  add(first.slow, 4);
  add(board.counters(1).refused, 12);
  add(first.refused, 1);
  board.slot(0).in_flight = 14;
  board.slot(1).in_flight = 1;
  board.slot(1).queued = 16;
  board.slot(0).cache_entries = 7;
  board.slot(0).cache_bytes = 700;
  add(first.cache_evicted, 8);
  add(first.cache_rejected, 9);
  add(first.cache_invalidated, 10);
  add(first.cache_invalidations, 11);
}

TEST(Report, AddsUpTheCountersOfAllWorkers) {
  Scoreboard board(3);
  fill(board);
  const Report report = look(board, "embed", kReportTime, 5000);
  EXPECT_EQ(report.pid, 10);
  EXPECT_EQ(report.start_since, 100);
  EXPECT_EQ(report.start_time, 4900);
  EXPECT_EQ(report.active, 1u);
  EXPECT_EQ(report.leaving, 1u);
  EXPECT_EQ(report.idle, 0u);
  EXPECT_EQ(report.total, 2u);
  EXPECT_EQ(report.most_active, 7u);
  EXPECT_EQ(report.requests, 10u);
  EXPECT_EQ(report.statuses, (std::array<std::uint64_t, 5>{0, 2, 0, 2, 6}));
  ASSERT_EQ(report.endpoints.size(), 3u);
  EXPECT_EQ(report.endpoints[0].name, "/oembed");
  EXPECT_EQ(report.endpoints[0].durations.buckets.front(), 1u) << "80 us";
  EXPECT_EQ(report.endpoints[0].durations.buckets[1], 1u) << "250 us: a bound is in its bucket";
  EXPECT_EQ(report.endpoints[0].durations.buckets.back(), 1u) << "3 s";
  EXPECT_EQ(report.endpoints[2].name, "other");
  EXPECT_EQ(report.server_errors, (Report::ServerErrors{2, 1, 1, 2})) << "501, 503, 507, others";
  EXPECT_EQ(report.endpoints[0].server_errors, Report::ServerErrors{});
  EXPECT_EQ(report.endpoints[1].server_errors, (Report::ServerErrors{2, 1, 1, 2}));
  EXPECT_EQ(report.deaths,
            (std::map<std::string, std::uint64_t>{{"ABRT", 1}, {"no-heartbeat", 4}}));
  EXPECT_EQ(report.in_flight, 15u);
  EXPECT_EQ(report.queued, 16u);
  EXPECT_EQ(report.stores[0].up, 1u);
  EXPECT_EQ(report.stores[0].away, 1u);
  EXPECT_EQ(report.stores[1].up, 1u);
  EXPECT_EQ(report.stores[1].not_asked, 1u);
  EXPECT_EQ(report.reloads_answered, 2u);
  EXPECT_EQ(report.reload_since, 10);
  EXPECT_EQ(report.queue, std::nullopt) << "not known";
}

TEST(Report, IsJsonWithTheNamesOfPhpFpm) {
  Scoreboard board(3);
  fill(board);
  board.pool().queue = 1;
  const std::string json = to_json(look(board, "embed", kReportTime, 5000));
  const std::string errors = R"("5xx":6},"server_errors":{"501":2,"503":1,"507":1,"other":2})";
  const std::size_t of_pool = json.find(errors);
  EXPECT_NE(json.find(errors, of_pool + 1), std::string::npos) << "and of the endpoint: " << json;
  text::json::Document document;
  const auto parsed = document.parse(json);
  ASSERT_TRUE(parsed) << parsed.error();
  const auto integer = [&](const char* key) { return parsed->find(key)->integer(); };
  EXPECT_EQ(integer("accepted_conn"), 2);
  EXPECT_EQ(integer("listen_queue"), 1);
  EXPECT_TRUE(parsed->find("max_listen_queue")->is_null());
  EXPECT_EQ(integer("active_processes"), 1);
  EXPECT_EQ(integer("slow_requests"), 4);
  EXPECT_EQ(integer("in_flight"), 15);
  EXPECT_EQ(integer("queued"), 16);
  EXPECT_EQ(integer("refused"), 13);
  const auto cache = *parsed->find("cache");
  const auto of = [&](const char* level, const char* key) {
    return cache.find(level)->find(key)->integer();
  };
  EXPECT_EQ(parsed->find("store")->find("failures")->integer(), 6);
  EXPECT_EQ(parsed->find("catalog")->find("up")->integer(), 1);
  EXPECT_EQ(of("memory", "hits"), 5);
  EXPECT_EQ(of("memory", "misses"), 11) << "handed over, from Redis, made anew, old";
  EXPECT_EQ(of("memory", "stale"), 1);
  EXPECT_EQ(of("memory", "entries"), 7);
  EXPECT_EQ(of("memory", "bytes"), 700);
  EXPECT_EQ(of("memory", "evicted"), 8);
  EXPECT_EQ(of("memory", "rejected"), 9);
  EXPECT_EQ(of("memory", "invalidated"), 10);
  EXPECT_EQ(of("memory", "invalidations"), 11);
  EXPECT_EQ(of("handover", "hits"), 5);
  EXPECT_EQ(of("handover", "misses"), 6);
  EXPECT_EQ(of("redis", "hits"), 3);
  EXPECT_EQ(of("redis", "misses"), 3);
  EXPECT_EQ(parsed->find("reload")->find("text")->string(), "svc.conf:3: unknown key \"a\"");
  const auto process = parsed->find("processes")->at(0);
  EXPECT_EQ(process.find("phase")->string(), "handling");
  EXPECT_EQ(process.find("path")->string(), "/oembed");
  EXPECT_EQ(process.find("seconds")->number(), 2);
}

TEST(Report, IsOpenMetricsWithBucketsThatAddUp) {
  Scoreboard board(3);
  fill(board);
  const std::string text = to_openmetrics(look(board, "embed", kReportTime, 5000));
  for (const char* line : {
           "# TYPE svc_requests counter\n",
           "svc_requests_total{pool=\"embed\",endpoint=\"/oembed\",status=\"2xx\"} 2\n",
           "svc_request_duration_seconds_bucket{pool=\"embed\",endpoint=\"/oembed\",le=\"0.0001\"} "
           "1\n",
           "svc_request_duration_seconds_bucket{pool=\"embed\",endpoint=\"/oembed\",le=\"2.5\"} "
           "2\n",
           "svc_request_duration_seconds_bucket{pool=\"embed\",endpoint=\"/oembed\",le=\"+Inf\"} "
           "3\n",
           "svc_request_duration_seconds_count{pool=\"embed\",endpoint=\"/oembed\"} 3\n",
           "svc_slow_requests_total{pool=\"embed\"} 4\n",
           "svc_store_workers{pool=\"embed\",redis=\"state\",store=\"away\"} 1\n",
           "svc_store_workers{pool=\"embed\",redis=\"catalog\",store=\"up\"} 1\n",
           "svc_store_failures_total{pool=\"embed\",redis=\"state\"} 6\n",
           "svc_store_failures_total{pool=\"embed\",redis=\"catalog\"} 0\n",
           "svc_store_trip_seconds_count{pool=\"embed\",redis=\"catalog\"} 1\n",
           "# TYPE svc_in_flight_requests gauge\n",
           "svc_in_flight_requests{pool=\"embed\"} 15\n",
           "svc_queued_requests{pool=\"embed\"} 16\n",
           "svc_refused_requests_total{pool=\"embed\"} 13\n",
           "svc_server_errors_total{pool=\"embed\",endpoint=\"/medias/\",status=\"501\"} 2\n",
           "svc_server_errors_total{pool=\"embed\",endpoint=\"/medias/\",status=\"503\"} 1\n",
           "svc_server_errors_total{pool=\"embed\",endpoint=\"/medias/\",status=\"other\"} 2\n",
           "svc_worker_deaths_total{pool=\"embed\",reason=\"ABRT\"} 1\n",
           "svc_last_reload_successful{pool=\"embed\"} 0\n",
           "svc_cache_lookups_total{pool=\"embed\",level=\"redis\",result=\"miss\"} 3\n",
           "svc_cache_stale_total{pool=\"embed\"} 1\n",
           "svc_watch_refusals_total{pool=\"embed\",reason=\"ended_link\"} 6\n",
           "svc_viewing_counted_total{pool=\"embed\"} 15\n",
           "svc_viewing_dropped_total{pool=\"embed\",reason=\"ticket\"} 17\n",
           "svc_cache_entries{pool=\"embed\"} 7\n",
           "svc_cache_evicted_total{pool=\"embed\"} 8\n",
           "svc_cache_rejected_total{pool=\"embed\"} 9\n",
           "svc_cache_invalidations_total{pool=\"embed\"} 11\n",
       }) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(
      to_openmetrics(look(Scoreboard(1), "embed", kReportTime, 5000)).find("redis=\"catalog\""),
      std::string::npos)
      << "no Redis of its own";
  EXPECT_EQ(text.find("listen_queue"), std::string::npos) << "not known, so not said";
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

}  // namespace
}  // namespace svc::pool
