#include "stores/access/repetitions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "stores/access/repetitions.lua.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// Of the grant and the name, so that all records of an account are in one slot.
std::string digest_of(const oauth::Repetitions::Owner& owner, std::string_view name) {
  return base::to_hex(base::sha256(owner.grant.value() + "\n" + std::string(name)).substr(0, 16));
}

// nullopt: no record.
std::optional<Repetitions::Begun> begun_in(std::string_view record) {
  using State = oauth::Repetitions::State;
  const std::size_t end = record.find('\n');
  std::string_view line = record.substr(0, end);
  const bool is_kept = line.starts_with("kept ");
  if (end == std::string_view::npos || (!is_kept && !line.starts_with("running ")))
    return std::nullopt;
  const auto next = [&line] { line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1); };
  next();
  next();
  Repetitions::Begun begun{.state = is_kept ? State::Kept : State::Running,
                           .body = std::string(line.substr(0, line.find(' ')))};
  if (is_kept) begun.response = record.substr(end + 1);
  return begun;
}

bool has_ended(std::string_view record, std::int64_t now) {
  record.remove_prefix(std::min(record.find(' '), record.size() - 1) + 1);
  return base::parse_number<std::int64_t>(record.substr(0, record.find(' '))).value_or(0) <= now;
}

}  // namespace

loop::Task<Repetitions::Begun> Repetitions::begin(const Owner& owner, std::string_view name,
                                                  std::string_view body, std::string_view request,
                                                  std::int64_t now) {
  // Written by a worker of an earlier version.
  auto asking = store_.get(keys::repetition_of_grant(owner.grant, name));
  const std::string digest = digest_of(owner, name);
  functions::BeginRepetition beginning{.record = keys::repetition(owner.account, digest),
                                       .names = keys::repetitions(owner.account),
                                       .bytes = keys::repetition_bytes(owner.account),
                                       .name = digest,
                                       .body = body,
                                       .request = request,
                                       .now = now,
                                       .ends = now + kRunning,
                                       .most_names = kMostNames,
                                       .most_bytes = kMostBytes,
                                       .of_name = kNameBytes,
                                       .of_response = kMostKept,
                                       .seconds = kRunning,
                                       .longest = kKept};
  const redis::Reply reply = co_await store_.call(std::move(beginning));  // sends both
  const redis::Reply earlier = co_await asking;
  const std::string_view text = reply.text().value_or("");
  const std::string_view of_earlier = earlier.text().value_or("");
  if (!of_earlier.empty() && !has_ended(of_earlier, now)) {
    if (auto begun = begun_in(of_earlier)) co_return *std::move(begun);
  }
  if (text == "full") {
    const std::int64_t wait = co_await until_one_ends(owner.account, now);
    co_return Begun{.state = State::Full, .retry_after = wait};
  }
  if (auto begun = begun_in(text)) co_return *std::move(begun);
  co_return Begun{.state = State::New, .body = std::string(body)};
}

loop::Task<std::int64_t> Repetitions::until_one_ends(media::AccountId account, std::int64_t now) {
  const std::string key = keys::repetitions(account);
  redis::Store::Call asking = store_.read({"ZRANGE", key, "0", "0", "WITHSCORES"});
  const redis::Reply first = co_await asking;
  const std::int64_t ends = first.size() < 2 ? now : first.at(1).number();
  co_return std::clamp<std::int64_t>(ends - now, 1, kKept);
}

loop::Task<> Repetitions::end(const Owner& owner, std::string_view name, std::string_view body,
                              std::string_view request, std::string_view response,
                              std::int64_t now) {
  const std::string digest = digest_of(owner, name);
  functions::EndRepetition ending{.record = keys::repetition(owner.account, digest),
                                  .names = keys::repetitions(owner.account),
                                  .bytes = keys::repetition_bytes(owner.account),
                                  .name = digest,
                                  .body = body,
                                  .request = request,
                                  .response = response,
                                  .ends = now + kKept,
                                  .of_name = kNameBytes,
                                  .seconds = kKept};
  co_await store_.call(std::move(ending));
}

}  // namespace svc::stores
