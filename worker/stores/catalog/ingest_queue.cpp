#include "stores/catalog/ingest_queue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "base/number.h"
#include "media/media.h"
#include "stores/catalog/commit.h"
#include "stores/keys.h"
#include "text/rfc3339.h"

namespace svc::stores {
namespace {

constexpr std::string_view kGroup = "ingest";
constexpr const char* kProgressLifetime = "3600";  // seconds after the last report
constexpr const char* kJobsPerRead = "500";
constexpr const char* kLastPerRead = "499";  // the index of the last

bool begins_with(const redis::ErrorReply& error, std::string_view word) {
  return std::string_view(error.what()).starts_with(word);
}

// Reads a whole stream, in batches. Ids of entries that are not jobs are added to `unreadable`.
loop::Task<std::vector<IngestJob>> read_all(redis::Store& store, std::string_view key,
                                            std::vector<std::string>& unreadable) {
  std::vector<IngestJob> jobs;
  std::string from = "-";
  while (true) {
    redis::Store::Call call = store.read({"XRANGE", key, from, "+", "COUNT", kJobsPerRead});
    const redis::Reply reply = co_await call;
    if (reply.size() == 0) co_return jobs;
    for (std::size_t i = 0; i < reply.size(); ++i) {
      const std::string id(reply.at(i).at(0).text().value_or(""));
      from = "(" + id;
      if (auto job = IngestJob::of(reply.at(i))) {
        jobs.push_back(std::move(*job));
      } else {
        unreadable.push_back(id);
      }
    }
  }
}

}  // namespace

loop::Task<> IngestQueue::open() {
  try {
    // 0: from the first job, because jobs may be older than the group.
    redis::Store::Call call =
        store_.command({"XGROUP", "CREATE", keys::kIngestJobs, kGroup, "0", "MKSTREAM"});
    co_await call;
  } catch (const redis::ErrorReply& error) {
    if (!begins_with(error, "BUSYGROUP")) throw;
  }
}

loop::Task<> IngestQueue::take_in() {
  while (true) {
    redis::Store::Call call = store_.read({"LRANGE", keys::kIngestIncoming, "0", kLastPerRead});
    const redis::Reply reply = co_await call;
    if (reply.size() == 0) co_return;
    for (std::size_t i = 0; i < reply.size(); ++i) {
      const std::string text(reply.at(i).text().value_or(""));
      std::string added;
      if (const auto job = IngestJob::from_text(text)) {
        added = co_await add(*job);
      } else {
        base::log::warn("ingest.unreadable_job", {{"job", keys::kIngestIncoming}});
      }
      redis::Store::Call removing = store_.command({"LREM", keys::kIngestIncoming, "1", text});
      const redis::Reply removed = co_await removing;
      // Another consumer has added it.
      if (removed.integer() != 0 || added.empty()) continue;
      co_await drop(std::move(added));
    }
  }
}

loop::Task<std::string> IngestQueue::add(IngestJob job) {
  const std::vector<std::string> fields = job.to_fields();
  std::vector<std::string_view> words{"XADD", keys::kIngestJobs, "*"};
  words.insert(words.end(), fields.begin(), fields.end());
  redis::Store::Call adding = store_.command(words);
  const redis::Reply reply = co_await adding;
  co_return std::string(reply.text().value_or(""));
}

loop::Task<IngestQueue::Claims> IngestQueue::claims() {
  Claims found;
  std::string from = "-";
  while (true) {
    redis::Store::Call call =
        store_.command({"XPENDING", keys::kIngestJobs, kGroup, from, "+", kJobsPerRead});
    const redis::Reply reply = co_await call;
    if (reply.size() == 0) co_return found;
    for (std::size_t i = 0; i < reply.size(); ++i) {
      const redis::ReplyView entry = reply.at(i);
      const std::string id(entry.at(0).text().value_or(""));
      found[id] = {std::string(entry.at(1).text().value_or("")),
                   std::chrono::milliseconds(entry.at(2).integer()), entry.at(3).integer()};
      from = "(" + id;
    }
  }
}

std::vector<const IngestJob*> IngestQueue::order(const std::vector<IngestJob>& jobs,
                                                 const Claims& claims) const {
  std::vector<const IngestJob*> begun;  // here
  std::vector<const IngestJob*> free;
  std::unordered_map<std::int64_t, int> active;  // per account, elsewhere
  for (const IngestJob& job : jobs) {
    const auto claim = claims.find(job.id);
    if (claim != claims.end() && claim->second.consumer == consumer_) {
      begun.push_back(&job);
    } else if (claim == claims.end() || claim->second.idle >= kClaim) {
      free.push_back(&job);
    } else {
      ++active[job.account.value()];
    }
  }
  const auto rank = [&](const IngestJob* job) {
    const auto elsewhere = active.find(job->account.value());
    const auto turn = last_turns_.find(job->account.value());
    const auto taken = taken_.find(job->account.value());
    const auto minutes = taken == taken_.end()
                             ? std::chrono::minutes(0)
                             : std::chrono::floor<std::chrono::minutes>(taken->second);
    return std::tuple(elsewhere == active.end() ? 0 : elsewhere->second, minutes,
                      turn == last_turns_.end() ? 0 : turn->second);
  };
  std::stable_sort(free.begin(), free.end(), [&](const IngestJob* one, const IngestJob* other) {
    return rank(one) < rank(other);
  });
  begun.insert(begun.end(), free.begin(), free.end());
  return begun;
}

void IngestQueue::count(const IngestJob& job, std::chrono::duration<double> taken) {
  const double kept = std::exp2(-taken / std::chrono::duration<double>(kForgotten));
  for (auto& [account, sum] : taken_) sum *= kept;
  std::erase_if(taken_, [](const auto& each) { return each.second < std::chrono::seconds(1); });
  taken_[job.account.value()] += taken;
}

// FORCE: also a job that was never begun. Redis refuses if another consumer has
// renewed its claim since.
loop::Task<bool> IngestQueue::claim(const IngestJob& job, std::chrono::milliseconds idle) {
  const std::string least = std::to_string(idle.count());
  const std::string deliveries = std::to_string(job.deliveries);
  redis::Store::Call call = store_.command({"XCLAIM", keys::kIngestJobs, kGroup, consumer_, least,
                                            job.id, "RETRYCOUNT", deliveries, "FORCE", "JUSTID"});
  const redis::Reply reply = co_await call;
  co_return reply.size() != 0;
}

loop::Task<std::optional<IngestJob>> IngestQueue::next(Wanted wanted) {
  co_await take_in();
  std::vector<std::string> unreadable;
  const std::vector<IngestJob> jobs = co_await read_all(store_, keys::kIngestJobs, unreadable);
  for (const std::string& id : unreadable) {
    base::log::warn("ingest.unreadable_job", {{"job", id}});
    co_await drop(id);
  }
  if (jobs.empty()) co_return std::nullopt;
  const Claims begun = co_await claims();
  for (const IngestJob* const each : order(jobs, begun)) {
    if (!wanted(*each)) continue;
    IngestJob job = *each;
    const auto before = begun.find(job.id);
    const bool is_ours = before != begun.end() && before->second.consumer == consumer_;
    job.deliveries = (before == begun.end() ? 0 : before->second.deliveries) + 1;
    const std::chrono::milliseconds idle = is_ours ? std::chrono::milliseconds(0) : kClaim;
    if (!co_await claim(job, idle)) continue;
    last_turns_[job.account.value()] = ++turn_;
    co_return job;
  }
  co_return std::nullopt;
}

loop::Task<> IngestQueue::renew(IngestJob job) {
  redis::Store::Call call =
      store_.command({"XCLAIM", keys::kIngestJobs, kGroup, consumer_, "0", job.id, "JUSTID"});
  co_await call;
}

loop::Task<> IngestQueue::put_back(IngestJob job) {
  const std::string deliveries = std::to_string(job.deliveries - 1);
  redis::Store::Call call = store_.command({"XCLAIM", keys::kIngestJobs, kGroup, consumer_, "0",
                                            job.id, "RETRYCOUNT", deliveries, "JUSTID"});
  co_await call;
}

loop::Task<> IngestQueue::hand_over(IngestJob job) {
  const std::string deliveries = std::to_string(job.deliveries - 1);
  const std::string idle = std::to_string(kClaim.count());
  redis::Store::Call call =
      store_.command({"XCLAIM", keys::kIngestJobs, kGroup, consumer_, "0", job.id, "IDLE", idle,
                      "RETRYCOUNT", deliveries, "JUSTID"});
  co_await call;
}

loop::Task<> IngestQueue::set_progress(media::HashedId media, double progress) {
  const std::string key = keys::ingest_progress(media);
  const std::string thousandths =
      std::to_string(static_cast<int>(std::clamp(progress, 0.0, 1.0) * 1000));
  redis::Store::Call call = store_.command({"SET", key, thousandths, "EX", kProgressLifetime});
  co_await call;
}

// Deleted first: an entry that is only acknowledged would be begun again.
loop::Task<> IngestQueue::drop(std::string id) {
  redis::Store::Call deleting = store_.command({"XDEL", keys::kIngestJobs, id});
  co_await deleting;
  redis::Store::Call acknowledging = store_.command({"XACK", keys::kIngestJobs, kGroup, id});
  co_await acknowledging;
}

loop::Task<> IngestQueue::finish(IngestJob job) {
  co_await drop(job.id);
  const std::string key = keys::ingest_progress(job.media);
  redis::Store::Call call = store_.command({"DEL", key});
  co_await call;
}

loop::Task<> IngestQueue::forget_upload(media::AccountId account, media::HashedId media) {
  Commit commit(account);
  commit.list_upload(media, std::nullopt);
  commit.list_failed(media, std::nullopt);
  commit.weigh(Commit::Weight::LargeRecord, media, 0);
  commit.weigh(Commit::Weight::Files, media, 0);
  co_await commit.run(store_, Commit::Size::Less, redis::Durability::Primary);
}

loop::Task<> IngestQueue::end_jobs_of(std::unordered_set<std::string> media) {
  co_await take_in();
  std::vector<IngestJob> ready = co_await waiting();
  for (IngestJob& job : ready) {
    if (!media.contains(job.media.value()) || job.id.empty()) continue;
    co_await forget_upload(job.account, job.media);
    co_await finish(std::move(job));
  }
  std::vector<IngestJob> failed = co_await dead();
  for (IngestJob& job : failed) {
    if (!media.contains(job.media.value())) continue;
    co_await forget_upload(job.account, job.media);
    co_await forget(std::move(job));
  }
}

loop::Task<> IngestQueue::list_failed(const media::Media& media) {
  Commit commit(media.account);
  commit.list_upload(media.id, std::nullopt);
  commit.list_failed(media.id, text::seconds_of_rfc3339(media.created).value_or(0));
  co_await commit.run(store_, Commit::Size::More, redis::Durability::Primary);
}

loop::Task<> IngestQueue::list_again(const media::Media& media) {
  Commit commit(media.account);
  commit.list_failed(media.id, std::nullopt);
  commit.list_upload(media.id, text::seconds_of_rfc3339(media.created).value_or(0));
  co_await commit.run(store_, Commit::Size::More, redis::Durability::Primary);
}

loop::Task<> IngestQueue::weigh(const media::Media& media) {
  const std::size_t size = to_record(media, &media).size();
  Commit commit(media.account);
  commit.weigh(Commit::Weight::LargeRecord, media.id,
               size > media::Uploads::kSmallRecord ? size : 0);
  co_await commit.run(store_, Commit::Size::More, redis::Durability::Primary);
}

loop::Task<> IngestQueue::count_bytes(media::AccountId account, media::HashedId media,
                                      std::uint64_t bytes) {
  Commit commit(account);
  commit.weigh(Commit::Weight::Files, media, bytes);
  co_await commit.run(store_, Commit::Size::More, redis::Durability::Primary);
}

loop::Task<> IngestQueue::bury(IngestJob job) {
  const std::vector<std::string> fields = job.to_fields();
  std::vector<std::string_view> words{"XADD", keys::kIngestDead, "*"};
  words.insert(words.end(), fields.begin(), fields.end());
  redis::Store::Call adding = store_.command(words);
  co_await adding;
  co_await finish(std::move(job));
}

loop::Task<std::vector<IngestJob>> IngestQueue::waiting() {
  // In this order: a job that is moved between the two reads is then in both replies, rather than
  // missing.
  redis::Store::Call call = store_.read({"LRANGE", keys::kIngestIncoming, "0", "-1"});
  const redis::Reply incoming = co_await call;
  std::vector<std::string> unreadable;
  std::vector<IngestJob> jobs = co_await read_all(store_, keys::kIngestJobs, unreadable);
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    auto job = IngestJob::from_text(incoming.at(i).text().value_or(""));
    if (job && std::ranges::find(jobs, job->media, &IngestJob::media) == jobs.end())
      jobs.push_back(std::move(*job));
  }
  co_return jobs;
}

loop::Task<std::vector<IngestJob>> IngestQueue::dead() {
  std::vector<std::string> unreadable;
  std::vector<IngestJob> jobs = co_await read_all(store_, keys::kIngestDead, unreadable);
  co_return jobs;
}

loop::Task<> IngestQueue::revive(IngestJob job) {
  job.reason.clear();
  job.is_refused = false;
  co_await add(std::move(job));
}

loop::Task<> IngestQueue::forget(IngestJob dead) {
  redis::Store::Call call = store_.command({"XDEL", keys::kIngestDead, dead.id});
  co_await call;
}

loop::Task<std::vector<FilesJob>> IngestQueue::files_jobs(std::size_t most, std::string after) {
  const std::string count = std::to_string(most);
  const std::string from = after.empty() ? "-" : "(" + after;
  redis::Store::Call call =
      store_.read({"XRANGE", keys::kIngestDeletions, from, "+", "COUNT", count});
  const redis::Reply reply = co_await call;
  std::vector<FilesJob> found;
  for (std::size_t i = 0; i < reply.size(); ++i) found.push_back(FilesJob::of(reply.at(i)));
  co_return found;
}

loop::Task<> IngestQueue::finish(FilesJob job) {
  redis::Store::Call call = store_.command({"XDEL", keys::kIngestDeletions, job.id});
  co_await call;
}

}  // namespace svc::stores
