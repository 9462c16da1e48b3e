#include "stores/client_documents.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/address_group.h"
#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "redis/script.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

constexpr std::int64_t kDelivered = 10;  // seconds: until those that wait have read it
// Seconds of the mark, if the courier dies before it deletes it. A job waits 6 s, and a fetch
// takes 5.
constexpr std::int64_t kAsked = 20;
constexpr std::int64_t kMostQueued = 1000;
constexpr std::string_view kDocumentWord = "document";
constexpr std::string_view kRefusedWord = "refused";

// KEYS mark of a fetch that is due, fetches for the address, fetches from the host, queue
// ARGV maximum for the address, maximum for the host, their seconds, seconds of the mark, the job,
//     maximum of jobs
// Returns the seconds to wait, 0 if the fetch is due.
const redis::Script kAskForDocument(R"(
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
for i = 2, 3 do
  if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[i - 1]) then
    return math.max(redis.call('TTL', KEYS[i]), 1)
  end
end
for i = 2, 3 do
  if redis.call('INCR', KEYS[i]) == 1 then redis.call('EXPIRE', KEYS[i], ARGV[3]) end
end
redis.call('SET', KEYS[1], '1', 'EX', ARGV[4])
redis.call('RPUSH', KEYS[4], ARGV[5])
redis.call('LTRIM', KEYS[4], -tonumber(ARGV[6]), -1)
return 0)",
                                    ":");

std::string digest_of(std::string_view url) { return base::to_hex(base::sha256(url)); }

}  // namespace

std::string FetchedDocument::to_text() const {
  std::string out = name + " " + std::to_string(fresh_until) + " ";
  out += is_refused ? kRefusedWord : kDocumentWord;
  return out + "\n" + text;
}

std::optional<FetchedDocument> FetchedDocument::parse(std::string_view text) {
  const std::size_t end = text.find('\n');
  const std::size_t first = text.find(' ');
  if (end == std::string_view::npos || first > end) return std::nullopt;
  FetchedDocument fetched;
  fetched.name = text.substr(0, first);
  std::string_view line = text.substr(first + 1, end - first - 1);
  const auto until = base::take_number<std::int64_t>(line);
  if (!until || !line.starts_with(' ')) return std::nullopt;
  line.remove_prefix(1);
  if (line != kRefusedWord && line != kDocumentWord) return std::nullopt;
  fetched.fresh_until = *until;
  fetched.is_refused = line == kRefusedWord;
  fetched.text = text.substr(end + 1);
  return fetched;
}

// ---- ClientDocuments ----

// A request that waits for a record. `changes` counts, because a change can come while the record
// is being read.
struct ClientDocuments::Waiter {
  Waiter(std::list<Waiter*>& all, std::string its_key, loop::Loop& loop)
      : key(std::move(its_key)), changed(loop), list(all), place(all.insert(all.end(), this)) {}
  ~Waiter() { list.erase(place); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void wake() {
    ++changes;
    changed.happen();
  }

  const std::string key;
  std::uint64_t changes = 0;
  loop::Event changed;
  std::list<Waiter*>& list;
  const std::list<Waiter*>::iterator place;
};

ClientDocuments::ClientDocuments(redis::Store& store, const redis::ConnectionSettings& settings,
                                 const oauth::DocumentRules& rules, const base::WallClock& clock,
                                 loop::Loop& loop)
    : store_(store),
      rules_(rules),
      clock_(clock),
      loop_(loop),
      tracking_(store, settings, {keys::kCourierDocument}, *this, loop) {}

void ClientDocuments::invalidated(std::string_view key) {
  for (Waiter* const waiter : waiting_) {
    if (waiter->key == key) waiter->wake();
  }
}

void ClientDocuments::wake_all() {
  for (Waiter* const waiter : waiting_) waiter->wake();
}

loop::Task<std::optional<FetchedDocument>> ClientDocuments::read(std::string key) {
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  co_return FetchedDocument::parse(reply.text().value_or(""));
}

loop::Task<std::optional<oauth::ClientDocuments::TooMany>> ClientDocuments::ask(
    std::string url, std::string address) {
  std::vector<std::string> keys{
      keys::courier_asked(digest_of(url)), keys::courier_address(base::address_group(address)),
      keys::courier_host(oauth::document_host(url)), std::string(keys::kCourierQueue)};
  std::vector<std::string> arguments{std::to_string(kMostPerAddress),
                                     std::to_string(kMostPerHost),
                                     std::to_string(kWindow),
                                     std::to_string(kAsked),
                                     std::to_string(clock_.now()) + " " + url,
                                     std::to_string(kMostQueued)};
  loop::Task<redis::Reply> asking =
      store_.eval(kAskForDocument, std::move(keys), std::move(arguments));
  const redis::Reply wait = co_await asking;
  if (wait.integer() == 0) co_return std::nullopt;
  co_return TooMany{wait.integer()};
}

oauth::ClientDocuments::Found ClientDocuments::judge(const std::string& url,
                                                     const FetchedDocument& fetched) const {
  if (fetched.is_refused) return fetched.text;
  auto read = oauth::read_client_document(url, fetched.text, rules_.scopes);
  if (!read) return read.error();
  return std::move(*read);
}

loop::Task<oauth::ClientDocuments::Found> ClientDocuments::find(std::string url,
                                                                std::string address) {
  const std::string key = keys::courier_document(digest_of(url));
  loop::Task<std::optional<FetchedDocument>> reading = read(key);
  const std::optional<FetchedDocument> before = co_await reading;
  if (before && before->fresh_until > clock_.now()) co_return judge(url, *before);
  if (waiting_.size() >= kMostWaiting) co_return TooMany{oauth::kWaitForDocument.count()};
  if (!std::exchange(is_tracking_, true)) tracking_.start();
  Waiter waiter(waiting_, key, loop_);
  loop::Task<std::optional<TooMany>> asking = ask(url, std::move(address));
  const std::optional<TooMany> refused = co_await asking;
  if (refused) co_return *refused;
  const base::TimePoint until = loop_.clock().now() + oauth::kWaitForDocument;
  while (true) {
    const std::uint64_t changes = waiter.changes;
    loop::Task<std::optional<FetchedDocument>> again = read(key);
    const std::optional<FetchedDocument> fetched = co_await again;
    if (fetched && (!before || fetched->name != before->name)) co_return judge(url, *fetched);
    if (loop_.clock().now() >= until) co_return NoAnswer{};
    if (waiter.changes != changes) continue;
    loop::Event::Next next(waiter.changed, until);
    co_await next;
  }
}

// ---- DocumentJobs ----

loop::Task<std::optional<std::string>> DocumentJobs::next() {
  const std::string seconds = std::to_string(kBlock);
  redis::Store::Call call = waiting_.command({"BLPOP", keys::kCourierQueue, seconds});
  const redis::Reply reply = co_await call;
  std::string_view job = reply.at(1).text().value_or("");
  const auto asked = base::take_number<std::int64_t>(job);
  if (!asked || !job.starts_with(' ')) co_return std::nullopt;
  std::string url(job.substr(1));
  if (clock_.now() - *asked <= oauth::kWaitForDocument.count()) co_return url;
  const std::string mark = keys::courier_asked(digest_of(url));
  redis::Store::Call unmarking = store_.command({"DEL", mark});
  co_await unmarking;
  co_return std::nullopt;
}

loop::Task<> DocumentJobs::put(std::string url, FetchedDocument fetched, std::int64_t fresh) {
  std::array<unsigned char, 8> bytes{};
  entropy_.fill(bytes);
  fetched.name = base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  fetched.fresh_until = fresh > 0 ? clock_.now() + fresh : 0;
  const std::string digest = digest_of(url);
  const std::string key = keys::courier_document(digest);
  const std::string text = fetched.to_text();
  const std::string seconds = std::to_string(std::max(fresh, kDelivered));
  // First, so that a request which has read this result does not take its fetch for a later one,
  // and wait for another result. Between both, a second fetch may begin.
  const std::string mark = keys::courier_asked(digest);
  redis::Store::Call unmarking = store_.command({"DEL", mark});
  co_await unmarking;
  redis::Store::Call setting = store_.command({"SET", key, text, "EX", seconds});
  co_await setting;
  if (fresh == 0) co_return;
  const std::string now = std::to_string(clock_.now());
  redis::Store::Call listing = store_.command({"ZADD", keys::kCourierDocuments, now, digest});
  co_await listing;
  redis::Store::Call counting = store_.read({"ZCARD", keys::kCourierDocuments});
  const redis::Reply count = co_await counting;
  if (count.integer() <= kMostFresh) co_return;
  const std::string surplus = std::to_string(count.integer() - kMostFresh);
  redis::Store::Call taking = store_.command({"ZPOPMIN", keys::kCourierDocuments, surplus});
  const redis::Reply oldest = co_await taking;
  for (std::size_t i = 0; i < oldest.size(); i += 2) {
    const std::string old = keys::courier_document(oldest.at(i).text().value_or(""));
    redis::Store::Call removing = store_.command({"DEL", old});
    co_await removing;
  }
}

loop::Task<> DocumentJobs::put_document(std::string url, std::string text, std::int64_t fresh) {
  FetchedDocument fetched;
  fetched.text = std::move(text);
  return put(std::move(url), std::move(fetched), fresh);
}

loop::Task<> DocumentJobs::put_refusal(std::string url, std::string why) {
  FetchedDocument fetched;
  fetched.is_refused = true;
  fetched.text = std::move(why);
  return put(std::move(url), std::move(fetched), 0);
}

}  // namespace svc::stores
