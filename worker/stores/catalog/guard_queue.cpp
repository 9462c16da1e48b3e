#include "stores/catalog/guard_queue.h"

#include <utility>

#include "base/number.h"
#include "stores/catalog/change_note.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

constexpr std::string_view kGuardsAtOnce = "500";
constexpr std::string_view kNow = "0";  // the score of all

GuardQueue::Rank rank_of(const media::Guarded& job) {
  if (!job.media) return GuardQueue::Rank::Account;
  return job.closes ? GuardQueue::Rank::Closing : GuardQueue::Rank::Other;
}

// "<account> ", which is before all of the account. After it in the same way, with the next
// character instead of the space, are those of the next account.
std::string before_all_of(media::AccountId account, char end = ' ') {
  return std::to_string(account.value()) + end;
}

std::string before_rank(media::AccountId account, GuardQueue::Rank rank, char end = ' ') {
  return before_all_of(account) + std::to_string(static_cast<int>(rank)) + end;
}

std::string guard_member(const media::Guarded& job, GuardQueue::Rank rank) {
  return before_rank(job.account, rank) + (job.media ? job.media->value() : "");
}

// As announced: in one rank, so that a media has one time.
std::string announced_member(const media::Guarded& job) {
  return guard_member(job, job.media ? GuardQueue::Rank::Other : GuardQueue::Rank::Account);
}

std::optional<media::Guarded> parse_guard_member(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.size() < space + 3) return std::nullopt;
  const auto account = base::parse_number<std::int64_t>(text.substr(0, space), 0);
  if (!account) return std::nullopt;
  const auto rank = static_cast<GuardQueue::Rank>(text[space + 1] - '0');
  media::Guarded job{.account = {*account}, .closes = rank == GuardQueue::Rank::Closing};
  if (rank == GuardQueue::Rank::Account) return job;
  job.media = media::HashedId::parse(text.substr(space + 3));
  if (!job.media) return std::nullopt;
  return job;
}

std::vector<media::Guarded> guarded_of(const redis::Reply& reply) {
  std::vector<media::Guarded> all;
  for (std::size_t i = 0; i < reply.size(); ++i) {
    if (auto job = parse_guard_member(reply.at(i).text().value_or("")))
      all.push_back(std::move(*job));
  }
  return all;
}

// The scores of readers end in .5: no writer's is the same.
std::string between(std::int64_t time) { return std::to_string(time) + ".5"; }

std::int64_t in_a_minute() {
  return note_time() + std::chrono::microseconds(GuardQueue::kAgain).count();
}

}  // namespace

loop::Task<> GuardQueue::announce(std::vector<media::Guarded> all) {
  if (all.empty()) co_return;
  std::vector<std::string> words{"ZADD", std::string(keys::kIngestGuardsAgain), "GT"};
  std::int64_t time = in_a_minute();
  for (const media::Guarded& job : all) {
    words.push_back(std::to_string(time++));
    words.push_back(announced_member(job));
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  redis::Store::Call call = store_.repeatable(views, redis::Durability::Replicated);
  co_await call;
}

loop::Task<> GuardQueue::add(std::vector<media::Guarded> all) {
  if (all.empty()) co_return;
  std::vector<std::string> words{"ZADD", std::string(keys::kIngestGuards)};
  for (const media::Guarded& job : all) {
    words.emplace_back(kNow);
    words.push_back(guard_member(job, rank_of(job)));
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  redis::Store::Call call = store_.repeatable(views, redis::Durability::Replicated);
  co_await call;
}

loop::Task<std::optional<media::AccountId>> GuardQueue::account_after(media::AccountId account) {
  const std::string after = "(" + before_all_of(account, ' ' + 1);
  for (const std::string_view from : {std::string_view(after), std::string_view("-")}) {
    redis::Store::Call call =
        store_.read({"ZRANGE", keys::kIngestGuards, from, "+", "BYLEX", "LIMIT", "0", "1"});
    const redis::Reply reply = co_await call;
    if (reply.size() == 0) continue;
    const std::string member(reply.at(0).text().value_or(""));
    if (const auto job = parse_guard_member(member)) co_return job->account;
    // Not of this program.
    redis::Store::Call removing = store_.command({"ZREM", keys::kIngestGuards, member});
    co_await removing;
  }
  co_return std::nullopt;
}

loop::Task<std::optional<media::Guarded>> GuardQueue::first_of(media::AccountId account,
                                                               Rank rank) {
  const std::string from = "[" + before_rank(account, rank);
  const std::string to = "(" + before_rank(account, rank, ' ' + 1);
  redis::Store::Call call =
      store_.read({"ZRANGE", keys::kIngestGuards, from, to, "BYLEX", "LIMIT", "0", "1"});
  const redis::Reply reply = co_await call;
  const std::vector<media::Guarded> found = guarded_of(reply);
  if (found.empty()) co_return std::nullopt;
  co_return found.front();
}

loop::Task<bool> GuardQueue::take(media::Guarded job) {
  std::vector<media::Guarded> one{job};
  co_await announce(std::move(one));
  const std::string member = guard_member(job, rank_of(job));
  redis::Store::Call removing = store_.command({"ZREM", keys::kIngestGuards, member});
  const redis::Reply removed = co_await removing;
  co_return removed.integer() != 0;
}

loop::Task<std::vector<media::Guarded>> GuardQueue::waiting(std::size_t most) {
  const std::string last = std::to_string(most - 1);
  redis::Store::Call call = store_.read({"ZRANGE", keys::kIngestGuards, "0", last});
  const redis::Reply reply = co_await call;
  co_return guarded_of(reply);
}

loop::Task<std::optional<GuardQueue::Due>> GuardQueue::due(std::int64_t now) {
  const std::string until = std::to_string(now);
  redis::Store::Call asking = store_.read({"ZRANGE", keys::kIngestGuardsAgain, "-inf", until,
                                           "BYSCORE", "LIMIT", "0", "1", "WITHSCORES"});
  const redis::Reply first = co_await asking;
  if (first.size() < 2) co_return std::nullopt;
  Due due{std::string(first.at(1).text().value_or(""))};
  redis::Store::Call reading =
      store_.read({"ZRANGE", keys::kIngestGuardsAgain, due.time, due.time, "BYSCORE"});
  const redis::Reply all = co_await reading;
  due.all = guarded_of(all);
  co_return due;
}

loop::Task<> GuardQueue::forget(std::string time) {
  redis::Store::Call call =
      store_.command({"ZREMRANGEBYSCORE", keys::kIngestGuardsAgain, time, time});
  co_await call;
}

loop::Task<std::string> GuardQueue::postpone(media::Guarded job, std::int64_t until) {
  std::string time = between(until);
  const std::string member = announced_member(job);
  redis::Store::Call call =
      store_.command({"ZADD", keys::kIngestGuardsAgain, "XX", "GT", time, member});
  co_await call;
  co_return time;
}

loop::Task<> GuardQueue::add_announced() {
  std::string from = "-inf";
  while (true) {
    redis::Store::Call call = store_.read({"ZRANGE", keys::kIngestGuardsAgain, from, "+inf",
                                           "BYSCORE", "LIMIT", "0", kGuardsAtOnce, "WITHSCORES"});
    const redis::Reply reply = co_await call;
    std::vector<media::Guarded> found;
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
      if (auto job = parse_guard_member(reply.at(i).text().value_or("")))
        found.push_back(std::move(*job));
      from = "(" + std::string(reply.at(i + 1).text().value_or(""));
    }
    if (reply.size() == 0) co_return;
    co_await add(std::move(found));
  }
}

}  // namespace svc::stores
