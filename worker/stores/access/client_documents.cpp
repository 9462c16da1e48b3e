#include "stores/access/client_documents.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/address_group.h"
#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "stores/access/client_documents.lua.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// Seconds: until those that wait have read it, and those of kMostAgain. So there is a copy of a
// known document while it may not be fetched.
constexpr std::int64_t kDelivered = 10;
constexpr std::string_view kDocumentWord = "document";
constexpr std::string_view kRefusedWord = "refused";

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
  Waiter(std::list<Waiter*>& all, std::string its_key, media::ContactId who, loop::Loop& loop)
      : key(std::move(its_key)),
        contact(who),
        changed(loop),
        list(all),
        place(all.insert(all.end(), this)) {}
  ~Waiter() { list.erase(place); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void wake() {
    ++changes;
    changed.happen();
  }

  const std::string key;
  const media::ContactId contact;
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

loop::Task<ClientDocuments::Asked> ClientDocuments::ask(std::string url, Asker asker) {
  const std::string digest = digest_of(url);
  functions::AskForDocument asking{
      .asked = keys::courier_asked(digest),
      .known = keys::kCourierKnown,
      .queue = keys::kCourierQueue,
      .again = keys::courier_again(digest),
      .contact = keys::courier_contact(asker.contact),
      .address = keys::courier_address(base::address_group(asker.address)),
      .host = keys::courier_host(oauth::document_host(url)),
      .digest = digest,
      .job = std::to_string(clock_.now()) + " " + url,
      .most_again = kMostAgain,
      .again_seconds = kDelivered,
      .most_of_contact = kMostOfContact,
      .most_per_contact = kMostPerContact,
      .most_per_address = kMostPerAddress,
      .most_per_host = kMostPerHost,
      .seconds = kWindow};
  const redis::Reply wait = co_await store_.call(std::move(asking));
  co_return Asked{std::abs(wait.integer()), wait.integer() < 0};
}

bool ClientDocuments::is_crowded(media::ContactId contact) const {
  const auto own = std::ranges::count(waiting_, contact, &Waiter::contact);
  return waiting_.size() >= kMostWaiting || std::cmp_greater_equal(own, kMostWaitingPerContact);
}

oauth::ClientDocuments::Found ClientDocuments::judge(const std::string& url,
                                                     const FetchedDocument& fetched) const {
  if (fetched.is_refused) return fetched.text;
  auto read = oauth::read_client_document(url, fetched.text, rules_.scopes);
  if (!read) return read.error();
  return std::move(*read);
}

loop::Task<oauth::ClientDocuments::Found> ClientDocuments::find(std::string url, Asker asker) {
  const std::string key = keys::courier_document(digest_of(url));
  const std::optional<FetchedDocument> before = co_await read(key);
  if (before && before->fresh_until > clock_.now()) co_return judge(url, *before);
  if (is_crowded(asker.contact)) co_return TooMany{oauth::kWaitForDocument.count()};
  if (!std::exchange(is_tracking_, true)) tracking_.start();
  Waiter waiter(waiting_, key, asker.contact, loop_);
  const Asked asked = co_await ask(url, std::move(asker));
  if (asked.copy_serves && before && !before->is_refused) co_return judge(url, *before);
  if (asked.wait > 0) co_return TooMany{asked.wait};
  const base::TimePoint until = loop_.clock().now() + oauth::kWaitForDocument;
  while (true) {
    const std::uint64_t changes = waiter.changes;
    const std::optional<FetchedDocument> fetched = co_await read(key);
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
  std::string digest = digest_of(url);
  co_await note_known(std::move(digest));
  FetchedDocument fetched;
  fetched.text = std::move(text);
  co_await put(std::move(url), std::move(fetched), fresh);
}

loop::Task<> DocumentJobs::note_known(std::string digest) {
  const std::string now = std::to_string(clock_.now());
  redis::Store::Call noting = store_.command({"ZADD", keys::kCourierKnown, now, digest});
  co_await noting;
  const std::string last = std::to_string(-kMostKnown - 1);
  redis::Store::Call trimming = store_.command({"ZREMRANGEBYRANK", keys::kCourierKnown, "0", last});
  co_await trimming;
}

loop::Task<> DocumentJobs::put_refusal(std::string url, std::string why) {
  FetchedDocument fetched;
  fetched.is_refused = true;
  fetched.text = std::move(why);
  return put(std::move(url), std::move(fetched), 0);
}

}  // namespace svc::stores
