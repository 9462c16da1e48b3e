// ImportWrite: writes the lines that an ImportCheck accepted.
//
// Equal records are not written again, so a second run changes nothing. Lines are written kind by
// kind, in batches: each batch is read from the store, compared, and its differences are written
// before the next batch is read. So a written record never refers to a missing record, even after
// an interruption.
//
// Passwords and secrets are written for new users and applications only. Existing ones keep theirs,
// and deleted applications stay deleted. With CredentialReset, the import overwrites all of these.
// Users who are disabled stay disabled in any case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/password_hash.h"
#include "ctl/import/check.h"
#include "oauth/stores.h"
#include "stores/access/client_registry.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/commit.h"
#include "stores/catalog/index_build.h"
#include "stores/catalog/uploads.h"

namespace svc::ctl {

// Where resets are recorded before they are written: password.reset per batch of users,
// secret.reset and client.restored per application.
struct CredentialReset {
  oauth::Audit& audit;
  std::string detail;  // the operator and the file
};

// After an import that was not finished.
inline constexpr std::string_view kRunAgain =
    "all written records are complete. Run the import again for the rest";

// Credentials that differ from those of the file and were kept.
struct KeptCredentials {
  std::uint64_t passwords = 0;
  std::uint64_t passwords_not_compared = 0;  // possibly equal to those of the file
  std::uint64_t secrets = 0;                 // applications that kept their secrets
  std::uint64_t deleted = 0;                 // applications that were not restored
  Problems lines;                            // all but the passwords that were not compared
};

struct Written {
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t deleted = 0;  // and not written

  std::uint64_t total() const { return added + changed + unchanged + deleted; }
};

class ImportWrite {
 public:
  // With `cache`, deletes the cached renderings of each changed media. `cache` and `reset` are on
  // the loop of `store`.
  //
  // `keys` may be null if no line is an application. Without `reset`, existing credentials stay.
  // All must outlive the object.
  ImportWrite(LineFile& file, const Store& store, const base::KeyRing* keys, base::Entropy& entropy,
              redis::Store* cache = nullptr, const CredentialReset* reset = nullptr,
              const base::HashCost& cost = {});

  // Returns false if `progress` stopped it, between two batches. Throws base::Unavailable if the
  // store fails, std::runtime_error if the file changed, or if another client changed a user or an
  // application, took a user's email address, or deleted a project, after this import read it.
  bool run(const ImportCheck& check, const Progress& progress);

  const Written& written(Kind kind) const { return written_[static_cast<std::size_t>(kind)]; }
  const KeptCredentials& kept() const { return kept_; }

  // The comparison of a plain password hashes it, with scrypt for a third of a second. So an import
  // compares at most this many.
  static constexpr std::uint64_t kComparedPasswords = 20;

 private:
  // Records that differ from the stored ones.
  using Changes = std::vector<Pending*>;

  // Throws std::runtime_error if the line has changed since it was checked.
  CatalogLine read_again(const LineFile::Line& at);
  void take(const LineFile::Line& at, Batch& batch);
  void move_password_hashes(const Batch& batch);
  void write_batch(Kind kind, Batch& batch);
  // These make the new record from the line and the stored record. Returns false if an
  // application stays deleted. Throws std::runtime_error if the credentials of the stored record
  // cannot be read, as they could when the file was checked.
  bool make(Pending& pending, media::Account& account);
  bool make(Pending& pending, UserLine& user);
  bool make(Pending& pending, ApplicationLine& application);
  bool make(Pending& pending, media::Media& media);
  bool make(Pending&, auto&) { return true; }
  void keep(std::uint64_t& count, const Pending& pending, std::string what);
  void record_resets();

  // Returns the key that another client changed, "" if none, of each record.
  std::vector<std::string> write_records(Kind kind, const Changes& changes);
  void write_indexed(const Changes& changes);
  void set(const Changes& changes);
  loop::Task<> commit(media::AccountId account, Changes changes);
  loop::Task<std::string> missing_project(const Changes& changes);
  loop::Task<stores::IndexedRecord> add(Pending& pending, stores::Commit& commit);
  // Makes the record again of the line and the stored record, which another client has changed.
  loop::Task<> make_again(Pending& pending);
  loop::Task<std::string> write_user(const Pending& pending, const UserLine& user);
  loop::Task<std::string> write_application(const Pending& pending);
  // Returns what svc-keeper is to mark once the records are written.
  std::vector<media::Guarded> guarded_by(const Changes& changes);
  void drop_renderings(const Changes& changes);

  LineFile& file_;
  const Store store_;
  const base::KeyRing* keys_;
  base::Entropy& entropy_;
  const base::HashCost cost_;
  redis::Store* const cache_;
  const CredentialReset* const reset_;
  text::json::Document document_;
  KeptCredentials kept_;
  std::uint64_t compared_ = 0;  // passwords
  // Of the batch that is being compared.
  std::vector<media::ContactId> password_resets_;
  struct ClientReset {
    oauth::EventName what;
    const oauth::Client* client;
  };
  std::vector<ClientReset> client_resets_;
  std::uint64_t bytes_ = 0;  // size of the lines that were read
  std::array<Written, kKinds> written_{};
  stores::IndexLoad unindexed_{store_.redis};
  stores::CatalogRegistry catalog_{store_.redis};
  stores::ClientRegistry clients_{store_.redis};
  stores::Uploads uploads_{store_.redis};
  const base::SystemClock clock_;
};

}  // namespace svc::ctl
