#include "stores/catalog/guard_queue.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

using Turn = GuardQueue::Turn;

constexpr std::size_t kGuardsAtOnce = 500;
constexpr std::string_view kNow = "0";  // the score of all

constexpr std::array<char, GuardQueue::kTurns> kLetters{'a', 'b', 'c', 'd'};
// What was taken, and is not marked yet. It is no turn's, so no process takes it.
constexpr char kBegun = 'z';
// In the order of texts, the first character after that which ends a turn or an account.
constexpr char kAfter = ' ' + 1;

// A request looks again after this time, then after twice as long.
constexpr std::chrono::milliseconds kFirstLook{5};
constexpr std::chrono::milliseconds kLooks{40};

// "<turn> ", which is before all of the turn.
std::string before_turn(char letter, char end = ' ') { return std::string{letter, end}; }
std::string before_turn(Turn turn, char end = ' ') {
  return before_turn(kLetters[static_cast<std::size_t>(turn)], end);
}

std::string guard_member(const media::Guarded& job, const std::string& turn) {
  return turn + std::to_string(job.account.value()) + " " + (job.media ? job.media->value() : "");
}
std::string guard_member(const media::Guarded& job) {
  return guard_member(job, before_turn(job.turn));
}
std::string begun_member(const media::Guarded& job) {
  return guard_member(job, before_turn(kBegun));
}

// As announced: in one turn, so that a media has one time.
std::string announced_member(const media::Guarded& job) {
  return guard_member(job, before_turn(job.turn == Turn::Again ? Turn::Again : Turn::Other));
}

// "<account> <rank> <media>", of the version before.
std::optional<media::Guarded> parse_former_member(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.size() < space + 3) return std::nullopt;
  const auto account = base::parse_number<std::int64_t>(text.substr(0, space), 0);
  if (!account) return std::nullopt;
  const std::string_view id = text.substr(space + 3);
  if (id.empty()) return media::Guarded{.account = {*account}, .turn = Turn::Again};
  const Turn turn = text[space + 1] == '0' ? Turn::Closing : Turn::Other;
  media::Guarded job{.account = {*account}, .media = media::HashedId::parse(id), .turn = turn};
  return job.media ? std::optional(std::move(job)) : std::nullopt;
}

std::optional<media::Guarded> parse_guard_member(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const auto* const letter = std::ranges::find(kLetters, text[0]);
  if (letter == kLetters.end()) return parse_former_member(text);
  const std::string_view rest = text.substr(2);
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto account = base::parse_number<std::int64_t>(rest.substr(0, space), 0);
  if (!account) return std::nullopt;
  media::Guarded job{.account = {*account},
                     .turn = static_cast<Turn>(std::distance(kLetters.begin(), letter))};
  const std::string_view id = rest.substr(space + 1);
  if (id.empty()) return job;
  job.media = media::HashedId::parse(id);
  return job.media ? std::optional(std::move(job)) : std::nullopt;
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
  return guard_time() + std::chrono::microseconds(GuardQueue::kAgain).count();
}

}  // namespace

std::int64_t guard_time() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

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
    words.push_back(guard_member(job));
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  redis::Store::Call call = store_.repeatable(views, redis::Durability::Replicated);
  co_await call;
}

loop::Task<bool> GuardQueue::are_closed(const std::vector<media::Guarded>& all) {
  redis::Store::Calls calls(store_);
  calls.read({"EXISTS", keys::kIngestGuarding});
  for (const media::Guarded& job : all) {
    // In this order: a member that is taken in between is in the second reply.
    for (const std::string& member : {guard_member(job), begun_member(job)})
      calls.read({"ZSCORE", keys::kIngestGuards, member});
  }
  const redis::Reply runs = co_await calls.next();
  bool waits = false;
  while (calls.left() > 0) {
    const redis::Reply score = co_await calls.next();
    waits = waits || score.text();
  }
  co_return !waits || runs.integer() == 0;
}

// Looks itself: an invalidation would have to reach each pool and program that closes films.
loop::Task<> GuardQueue::await_closed(std::vector<media::Guarded> all) {
  if (all.empty()) co_return;
  const base::Clock& clock = store_.clock();
  const base::TimePoint until = clock.now() + media::Uploads::kAnswerWaits;
  try {
    for (base::Duration pause = kFirstLook; clock.now() < until;
         pause = std::min<base::Duration>(2 * pause, kLooks)) {
      const bool closed = co_await are_closed(all);
      if (closed) co_return;
      loop::Sleep sleep(store_.loop(), std::min(clock.now() + pause, until));
      co_await sleep;
    }
  } catch (const base::Unavailable&) {
    // The record is written, and its marks are announced.
  }
}

loop::Task<> GuardQueue::run() {
  const std::string seconds = std::to_string(kRuns.count());
  redis::Store::Call call = store_.command({"SET", keys::kIngestGuarding, "1", "EX", seconds});
  co_await call;
}

loop::Task<std::vector<std::string>> GuardQueue::range(std::string from, std::string to,
                                                       std::size_t most) {
  const std::string count = std::to_string(most);
  redis::Store::Call call =
      store_.read({"ZRANGE", keys::kIngestGuards, from, to, "BYLEX", "LIMIT", "0", count});
  const redis::Reply reply = co_await call;
  std::vector<std::string> found;
  for (std::size_t i = 0; i < reply.size(); ++i)
    found.emplace_back(reply.at(i).text().value_or(""));
  co_return found;
}

loop::Task<> GuardQueue::remove(std::string member) {
  redis::Store::Call removing = store_.command({"ZREM", keys::kIngestGuards, member});
  co_await removing;
}

loop::Task<std::optional<Turn>> GuardQueue::first() {
  std::string from = "[" + before_turn(Turn::Awaited);
  std::string to = "(" + before_turn(kBegun);
  while (true) {
    const std::vector<std::string> found = co_await range(from, to, 1);
    if (found.empty()) co_return std::nullopt;
    if (const auto job = parse_guard_member(found.front())) co_return job->turn;
    co_await remove(found.front());  // not of this program
  }
}

loop::Task<std::optional<media::Guarded>> GuardQueue::after(media::AccountId account, Turn turn) {
  const std::string from = "(" + before_turn(turn) + std::to_string(account.value()) + kAfter;
  const std::string to = "(" + before_turn(turn, kAfter);
  while (true) {
    const std::vector<std::string> found = co_await range(from, to, 1);
    if (found.empty()) co_return std::nullopt;
    if (auto job = parse_guard_member(found.front())) co_return job;
    co_await remove(found.front());  // not of this program
  }
}

loop::Task<bool> GuardQueue::take(media::Guarded job) {
  std::vector<media::Guarded> one{job};
  co_await announce(std::move(one));
  const bool is_awaited = job.turn == Turn::Awaited;
  if (is_awaited) {
    const std::string begun = begun_member(job);
    redis::Store::Call beginning = store_.command({"ZADD", keys::kIngestGuards, kNow, begun});
    co_await beginning;
  }
  const std::string member = guard_member(job);
  redis::Store::Call removing = store_.command({"ZREM", keys::kIngestGuards, member});
  const redis::Reply removed = co_await removing;
  const bool is_ours = removed.integer() != 0;
  if (is_awaited && !is_ours) {
    co_await end(std::move(job));
  }
  co_return is_ours;
}

loop::Task<> GuardQueue::end(media::Guarded job) {
  std::string begun = begun_member(job);
  co_await remove(std::move(begun));
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
  const std::string most = std::to_string(kGuardsAtOnce);
  std::string from = "-inf";
  while (true) {
    redis::Store::Call call = store_.read({"ZRANGE", keys::kIngestGuardsAgain, from, "+inf",
                                           "BYSCORE", "LIMIT", "0", most, "WITHSCORES"});
    const redis::Reply reply = co_await call;
    std::vector<media::Guarded> found;
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
      if (auto job = parse_guard_member(reply.at(i).text().value_or("")))
        found.push_back(std::move(*job));
      from = "(" + std::string(reply.at(i + 1).text().value_or(""));
    }
    if (reply.size() == 0) break;
    co_await add(std::move(found));
  }
  const std::string first = "(" + before_turn(Turn::Awaited);
  const std::string begun = "[" + before_turn(kBegun);
  for (const auto& [low, high] : {std::pair(std::string("-"), first), {begun, "+"}}) {
    while (true) {
      const std::vector<std::string> found = co_await range(low, high, kGuardsAtOnce);
      if (found.empty()) break;
      for (const std::string& member : found) {
        std::vector<media::Guarded> former;
        if (auto job = parse_guard_member(member)) former.push_back(std::move(*job));
        co_await add(std::move(former));
        co_await remove(member);
      }
    }
  }
}

}  // namespace svc::stores
