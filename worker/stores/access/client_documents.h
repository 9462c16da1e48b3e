// Client ID metadata documents in Redis, fetched by svc-courier.
//
//   worker                        Redis                          svc-courier
//   find() ── function: limits ─▶ courier:queue:{courier} ─────▶ next()
//     ▲                                                            │ fetch
//     └─── invalidation, GET ──── courier:document:<sha256> ◀──── put()
//
// The courier writes what it fetched, and each worker judges it again. Only a document that is
// fresh serves later requests; a refusal only those that waited for it (CIMD §5.2).
//
// A document that was fetched once is known: its fetches are counted apart from all others, so that
// nobody can make this service refuse it by asking for what does not exist.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "cache/invalidation_feed.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "oauth/document_client.h"
#include "oauth/stores.h"
#include "redis/connection_settings.h"
#include "redis/store.h"
#include "redis/store_tracking.h"

namespace svc::stores {

// A record of courier:document. Its text: one line `<name> <fresh until> <document|refused>`, then
// the rest.
struct FetchedDocument {
  std::string name;              // random, so that a waiting worker tells it from the one before
  std::int64_t fresh_until = 0;  // seconds since 1970
  bool is_refused = false;
  std::string text;  // the document, or why there is none

  std::string to_text() const;
  static std::optional<FetchedDocument> parse(std::string_view text);
};

// For a worker.
class ClientDocuments : public oauth::ClientDocuments, private cache::InvalidationListener {
 public:
  // Fetches in kWindow of documents that are not known: for a user, for clients at one address
  // group, and from one host. One user alone reaches only the first.
  static constexpr std::int64_t kMostPerContact = 10;
  static constexpr std::int64_t kMostPerAddress = 30;
  static constexpr std::int64_t kMostPerHost = 60;
  static constexpr std::int64_t kMostOfContact = 60;  // of a user, with those of known documents
  static constexpr std::int64_t kWindow = 60;         // seconds
  // Fetches of a known document while its last copy is kept. Beyond that the copy serves.
  static constexpr std::int64_t kMostAgain = 10;
  static constexpr std::size_t kMostWaiting = 64;            // requests per worker
  static constexpr std::size_t kMostWaitingPerContact = 20;  // the same of one user

  // `settings`: those of the store, for the connection that receives invalidations, which is opened
  // when the first request waits. All references outlive it.
  ClientDocuments(redis::Store& store, const redis::ConnectionSettings& settings,
                  const oauth::DocumentRules& rules, const base::WallClock& clock,
                  loop::Loop& loop);

  loop::Task<Found> find(std::string url, Asker asker) override;

  // Asks for a fetch, unless one is due.
  struct Asked {
    std::int64_t wait = 0;     // seconds; 0: a fetch is due now
    bool copy_serves = false;  // instead of waiting
  };
  loop::Task<Asked> ask(std::string url, Asker asker);

 private:
  struct Waiter;

  loop::Task<std::optional<FetchedDocument>> read(std::string key);
  Found judge(const std::string& url, const FetchedDocument& fetched) const;
  bool is_crowded(media::ContactId contact) const;
  void invalidated(std::string_view key) override;
  void all_invalidated() override { wake_all(); }
  void feed_began() override { wake_all(); }
  void wake_all();

  redis::Store& store_;
  const oauth::DocumentRules rules_;
  const base::WallClock& clock_;
  loop::Loop& loop_;
  std::list<Waiter*> waiting_;
  bool is_tracking_ = false;
  redis::StoreTracking tracking_;  // last: it calls the others
};

// For svc-courier.
class DocumentJobs {
 public:
  static constexpr std::int64_t kMostFresh = 1000;    // documents stored for later requests
  static constexpr std::int64_t kMostKnown = 10'000;  // the least recently fetched is forgotten

  // `waiting` is a connection of its own: next() blocks it. Its timeout is longer than kBlock.
  static constexpr std::int64_t kBlock = 10;  // seconds
  DocumentJobs(redis::Store& store, redis::Store& waiting, base::Entropy& entropy,
               const base::WallClock& clock)
      : store_(store), waiting_(waiting), entropy_(entropy), clock_(clock) {}

  // Returns the URL of the next document to fetch; nullopt if none was asked for within kBlock, or
  // if nobody waits for it any more. Throws base::Unavailable.
  loop::Task<std::optional<std::string>> next();
  // Stores what the fetch returned: a document for `fresh` seconds, or a refusal.
  loop::Task<> put_document(std::string url, std::string text, std::int64_t fresh);
  loop::Task<> put_refusal(std::string url, std::string why);

 private:
  loop::Task<> put(std::string url, FetchedDocument fetched, std::int64_t fresh);
  loop::Task<> note_known(std::string digest);

  redis::Store& store_;
  redis::Store& waiting_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
};

}  // namespace svc::stores
