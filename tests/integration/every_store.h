// EveryStore: writes a key of every kind, and lists every function of every
// store. Keys, entropy and clock are fixed, so two instances write the same.
#pragma once

#include <fcntl.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/key_ring.h"
#include "base/unique_fd.h"
#include "cache/invalidation_feed.h"
#include "ctl/import/check.h"
#include "ctl/import/write.h"
#include "embed/renderings.h"
#include "embed/subjects.h"
#include "fakes/fixed_entropy.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "integration/redis_server.h"
#include "loop/all.h"
#include "loop/loop.h"
#include "media/reads.h"
#include "oauth/account_token.h"
#include "oauth/token_family.h"
#include "stores/access/account_tokens.h"
#include "stores/access/client_documents.h"
#include "stores/access/client_registry.h"
#include "stores/access/clients.h"
#include "stores/access/factors.h"
#include "stores/access/form_limit.h"
#include "stores/access/grant_inspection.h"
#include "stores/access/grants.h"
#include "stores/access/login_attempts.h"
#include "stores/access/passkeys.h"
#include "stores/access/public_applications.h"
#include "stores/access/repetitions.h"
#include "stores/access/resource_servers.h"
#include "stores/access/sessions.h"
#include "stores/access/standings.h"
#include "stores/audit_trail.h"
#include "stores/catalog/account_end.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/guard_queue.h"
#include "stores/catalog/ingest_queue.h"
#include "stores/catalog/library_stores.h"
#include "stores/catalog/renderings.h"
#include "stores/catalog/usage.h"
#include "stores/stores.h"

namespace svc::embed {
struct EmbedRequest;
}

namespace svc::integration {

class EveryStore {
 public:
  struct Action {
    std::string name;
    std::function<void()> run;
  };

  explicit EveryStore(const RedisServer& server) : EveryStore(server.settings()) {}
  explicit EveryStore(const redis::ConnectionSettings& settings)
      : EveryStore(settings, settings, settings) {}
  // Those with the same address share a store.
  EveryStore(const redis::ConnectionSettings& state, const redis::ConnectionSettings& catalog,
             const redis::ConnectionSettings& cache)
      : stores_(state, catalog, loop_),
        cache_(cache, loop_),
        documents_(catalog_store_, catalog, limits_.documents, time_, loop_) {}

  redis::Store& state() { return state_; }
  redis::Store& catalog() { return catalog_store_; }
  redis::Store& cache() { return cache_; }
  // Runs a task to its end; returns its value or throws its exception.
  template <class T>
  T run(loop::Task<T> task) {
    return loop_.run_until_done(std::move(task));
  }
  const base::KeyRing& keys() const { return keys_; }
  base::Entropy& entropy() { return entropy_; }

  // Writes at least one key of every kind.
  void write();

  // Writes a pool's counts of a media on a day of 2026.
  void count_views(std::chrono::sys_days day);

  // Returns Redis' reply to ECHO.
  std::string echo(redis::Store& channel, std::string_view word);

  // Every function of every store; those that only read come first.
  std::vector<Action> actions();

 private:
  // "": kMedia.
  media::Media upload(const std::string& id = "") const;
  static media::UploadPlace upload_place();
  media::PosterFiles poster_files() const;
  void swap_files();
  loop::Task<> index_many();
  void set_captions(const std::string& version, const std::string& webvtt);
  void make_account_token();
  void make_factor();
  void make_passkey();
  login::Passkey passkey();
  void take_document_job();
  void begin_family();
  void rotate();
  void keep(const media::HashedId& id, std::string_view variant,
            const embed::Renderings::Found& rendering);
  static loop::Task<std::string> text_of(redis::Store::Call& call);

  class UpFeed : public cache::InvalidationFeed {
   public:
    explicit UpFeed(const base::Clock& clock) : clock_(clock) {}
    bool is_up() const override { return true; }
    base::TimePoint received_until() const override { return clock_.now(); }

   private:
    const base::Clock& clock_;
  };

  static constexpr media::ContactId kContact{501};
  static constexpr media::AccountId kAccount{1001};
  static constexpr oauth::Holder kHolder{kContact, kAccount};
  static constexpr const char* kAddress = "192.0.2.1";
  static constexpr const char* kEmail = "olivia@acme.example";
  const oauth::ClientId kClient{"app-1"};
  const media::HashedId kMedia = *media::HashedId::parse("l4unchf1lm");
  const media::HashedId kSecond = *media::HashedId::parse("cinema2391");
  const media::HashedId kOther = *media::HashedId::parse("0th3rf1lm");
  const media::HashedId kPlaylist = *media::HashedId::parse("pl4yl1st01");

  static void must(bool was, const char* what);

  static oauth::Client client(const std::string& id);
  // An access token that an application has for itself.
  oauth::Token issue_own();

  // Every type of embed code, and every part of a variant.
  std::vector<embed::EmbedRequest> requests() const;

  // Every field of every kind of import line.
  void import();

  static loop::Task<bool> see_all(const stores::AuditEntry&) { co_return true; }

  const fakes::TemporaryDirectory directory_;
  const base::SteadyClock steady_;
  const fakes::ManualWallClock time_;
  fakes::FixedEntropy entropy_;
  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, '1'));
  const oauth::Limits limits_;
  loop::Loop loop_{steady_};
  stores::Stores stores_;
  redis::Store& state_ = stores_.state();
  redis::Store& catalog_store_ = stores_.catalog();
  redis::Store cache_;
  UpFeed feed_{steady_};
  media::Reads reads_;
  stores::Catalog catalog_{catalog_store_};
  stores::LibraryStores library_{catalog_store_};
  stores::IngestQueue queue_{catalog_store_, "host-1"};
  stores::GuardQueue guards_{catalog_store_};
  stores::Clients clients_{catalog_store_, state_};
  stores::ClientRegistry registered_{catalog_store_};
  stores::ClientDocuments documents_;
  fakes::FixedEntropy document_names_;
  stores::DocumentJobs document_jobs_{catalog_store_, catalog_store_, document_names_, time_};
  stores::PublicApplications public_{catalog_store_};
  stores::ResourceServers servers_{catalog_store_, clients_};
  stores::Grants grants_{state_, catalog_store_, keys_, limits_, time_, entropy_};
  stores::AccountTokens account_tokens_{catalog_store_, keys_, time_};
  stores::Factors factors_{catalog_store_};
  stores::Passkeys passkeys_{catalog_store_};
  stores::Standings standings_{catalog_store_};
  stores::GrantInspection inspection_{state_, keys_, limits_, time_};
  stores::Sessions sessions_{state_, keys_, entropy_, time_, {}};
  stores::LoginAttempts attempts_{state_, keys_, time_};
  stores::FormLimit form_limit_{state_};
  stores::Repetitions repetitions_{catalog_store_};
  stores::AuditTrail trail_{catalog_store_};
  stores::Usage usage_{catalog_store_};
  static constexpr std::chrono::sys_days kWatched{std::chrono::days{20'544}};  // 1 April 2026
  stores::Renderings renderings_{cache_, feed_, {.of_media = true}, "configuration", steady_};
  oauth::AccountToken account_token_{};
  oauth::Token code_{};
  oauth::Token access_{};
  oauth::Token refresh_{};
  oauth::Token family_access_{};
  oauth::Token family_refresh_{};
  oauth::Token own_access_{};
  std::string session_secret_;
  int document_ = 0;  // its number
};

}  // namespace svc::integration
