#include "redis/ingest_queue.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "redis/keys.h"

namespace svc::redis {
namespace {

constexpr std::string_view kGroup = "ingest";
constexpr const char* kProgressLifetime = "3600";  // seconds after the last report
constexpr const char* kBatch = "500";

bool begins_with(const ErrorReply& error, std::string_view word) {
  return std::string_view(error.what()).starts_with(word);
}

}  // namespace

loop::Task<> IngestQueue::open() {
  try {
    // 0: from the first job, because jobs may be older than the group.
    Store::Call call =
        store_.command({"XGROUP", "CREATE", keys::kIngestJobs, kGroup, "0", "MKSTREAM"});
    co_await call;
  } catch (const ErrorReply& error) {
    if (!begins_with(error, "BUSYGROUP")) throw;
  }
}

loop::Task<std::optional<IngestJob>> IngestQueue::next() {
  // What this consumer has begun, then what is new.
  const std::array<std::string_view, 2> from{"0", ">"};
  for (const std::string_view id : from) {
    Store::Call call = store_.command(
        {"XREADGROUP", "GROUP", kGroup, consumer_, "COUNT", "1", "STREAMS", keys::kIngestJobs, id});
    const Reply reply = co_await call;
    const ReplyView entry = reply.at(0).at(1).at(0);
    auto job = IngestJob::of(entry);
    if (job) {
      loop::Task<std::optional<IngestJob>> counted = with_deliveries(std::move(*job));
      co_return co_await counted;
    }
    // No job of ours, or one whose entry was deleted.
    if (const auto broken = entry.at(0).text()) {
      base::log::warn("ingest.unreadable_job", {{"job", *broken}});
      loop::Task<> dropping = drop(std::string(*broken));
      co_await dropping;
    }
    if (id == ">") break;
    const std::string idle = std::to_string(kClaim.count());
    Store::Call claiming = store_.command(
        {"XAUTOCLAIM", keys::kIngestJobs, kGroup, consumer_, idle, "0-0", "COUNT", "1"});
    const Reply claimed = co_await claiming;
    auto lost = IngestJob::of(claimed.at(1).at(0));
    if (lost) {
      loop::Task<std::optional<IngestJob>> counted = with_deliveries(std::move(*lost));
      co_return co_await counted;
    }
  }
  co_return std::nullopt;
}

loop::Task<std::optional<IngestJob>> IngestQueue::with_deliveries(IngestJob job) {
  Store::Call call = store_.command({"XPENDING", keys::kIngestJobs, kGroup, job.id, job.id, "1"});
  const Reply reply = co_await call;
  job.deliveries = std::max<std::int64_t>(1, reply.at(0).at(3).integer());
  co_return job;
}

loop::Task<> IngestQueue::renew(IngestJob job) {
  Store::Call call =
      store_.command({"XCLAIM", keys::kIngestJobs, kGroup, consumer_, "0", job.id, "JUSTID"});
  co_await call;
}

loop::Task<> IngestQueue::put_back(IngestJob job) {
  const std::string deliveries = std::to_string(job.deliveries - 1);
  Store::Call call = store_.command({"XCLAIM", keys::kIngestJobs, kGroup, consumer_, "0", job.id,
                                     "RETRYCOUNT", deliveries, "JUSTID"});
  co_await call;
}

loop::Task<> IngestQueue::set_progress(media::HashedId media, double progress) {
  const std::string key = keys::ingest_progress(media);
  const std::string thousandths =
      std::to_string(static_cast<int>(std::clamp(progress, 0.0, 1.0) * 1000));
  Store::Call call = store_.command({"SET", key, thousandths, "EX", kProgressLifetime});
  co_await call;
}

loop::Task<> IngestQueue::drop(std::string id) {
  // Acknowledged first: an entry that is deleted but pending would be claimed
  // for ever.
  Store::Call acknowledging = store_.command({"XACK", keys::kIngestJobs, kGroup, id});
  co_await acknowledging;
  Store::Call deleting = store_.command({"XDEL", keys::kIngestJobs, id});
  co_await deleting;
}

loop::Task<> IngestQueue::finish(IngestJob job) {
  loop::Task<> dropping = drop(job.id);
  co_await dropping;
  const std::string key = keys::ingest_progress(job.media);
  Store::Call call = store_.command({"DEL", key});
  co_await call;
}

loop::Task<> IngestQueue::bury(IngestJob job, std::string reason) {
  job.reason = std::move(reason);
  const std::vector<std::string> fields = job.to_fields();
  std::vector<std::string_view> words{"XADD", keys::kIngestDead, "MAXLEN", "~", kMaxDead, "*"};
  words.insert(words.end(), fields.begin(), fields.end());
  Store::Call adding = store_.command(words);
  co_await adding;
  loop::Task<> finishing = finish(std::move(job));
  co_await finishing;
}

namespace {

// Reads a whole stream, in batches.
loop::Task<std::vector<IngestJob>> read_all(Store& store, std::string_view key) {
  std::vector<IngestJob> jobs;
  std::string from = "-";
  while (true) {
    Store::Call call = store.read({"XRANGE", key, from, "+", "COUNT", kBatch});
    const Reply reply = co_await call;
    for (std::size_t i = 0; i < reply.size(); ++i) {
      if (auto job = IngestJob::of(reply.at(i))) jobs.push_back(std::move(*job));
    }
    if (reply.size() == 0) co_return jobs;
    from = "(" + std::string(reply.at(reply.size() - 1).at(0).text().value_or("+"));
  }
}

}  // namespace

loop::Task<std::vector<IngestJob>> IngestQueue::waiting() {
  return read_all(store_, keys::kIngestJobs);
}

loop::Task<std::vector<IngestJob>> IngestQueue::dead() {
  return read_all(store_, keys::kIngestDead);
}

loop::Task<> IngestQueue::revive(IngestJob job) {
  job.reason.clear();
  const std::vector<std::string> fields = job.to_fields();
  std::vector<std::string_view> words{"XADD", keys::kIngestJobs, "*"};
  words.insert(words.end(), fields.begin(), fields.end());
  Store::Call adding = store_.command(words);
  co_await adding;
  loop::Task<> forgetting = forget(std::move(job));
  co_await forgetting;
}

loop::Task<> IngestQueue::forget(IngestJob dead) {
  Store::Call call = store_.command({"XDEL", keys::kIngestDead, dead.id});
  co_await call;
}

}  // namespace svc::redis
