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
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/password_hash.h"
#include "ctl/import/check.h"
#include "ctl/import/line_file.h"
#include "ctl/store.h"
#include "loop/task.h"
#include "oauth/stores.h"
#include "stores/catalog_index.h"
#include "stores/client_registry.h"
#include "stores/project_registry.h"
#include "stores/uploads.h"

namespace svc::ctl {

// Where resets are recorded before they are written: password.reset per batch of users,
// secret.reset and client.restored per application.
struct CredentialReset {
  oauth::Audit& audit;
  std::string detail;  // the operator and the file
};

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
  struct Pending {
    CatalogLine line;
    std::size_t number;  // the line's
    std::string key;
    std::string tombstone{};                   // key of an application's tombstone
    std::optional<std::string_view> before{};  // the stored record
    std::string_view deleted{};                // value of the tombstone
    std::string former_email{};
    std::string value{};  // the new record
    // Of a user: the hash that is stored, and its key.
    std::string password_key{};
    std::string password_before{};
    // Of a media, as its line has them.
    std::optional<media::Visibility> visibility{};
    std::optional<media::AllowedDomains> allowed_domains{};
    std::vector<media::Chapter> chapters{};
    std::optional<media::Media> guarded_before{};  // what guard_of() needs of the stored record
  };
  using Batch = std::vector<Pending>;

  Batch read_batch(const ImportCheck::Lines& lines, std::size_t& at);
  loop::Task<bool> write(const ImportCheck& check, const Progress& progress);
  loop::Task<> write_batch(Kind kind, Batch batch);
  loop::Task<> move_password_hashes(const Batch& batch);
  static bool changes_password(const Pending& pending);
  // Both return the key that another client changed, "" if none, of each record.
  loop::Task<std::vector<std::string>> write_records(const std::vector<Pending*>& changes);
  loop::Task<> write_indexed(Kind kind, const std::vector<Pending*>& changes);
  // Returns what svc-ingest is to mark once the records are written.
  loop::Task<std::vector<media::Guarded>> guarded_by(Kind kind,
                                                     const std::vector<Pending*>& changes);
  loop::Task<std::map<std::int64_t, media::SiteRule>> rules_of(std::set<std::int64_t> accounts);
  // Keeps the fields that only applications set, by the API (api-N11), and those that the line
  // lacks. An unreadable stored record is overwritten.
  void keep_from_api(Pending& pending, std::string_view before);
  // Begins to use the projects of these media. Throws std::runtime_error if a project was deleted.
  loop::Task<std::vector<media::ProjectUses::Use>> use_projects(
      const std::vector<Pending*>& changes);
  loop::Task<std::optional<media::ProjectUses::Use>> use_project(std::string id);
  loop::Task<bool> end_use(media::ProjectUses::Use use);
  // Overwrites an existing media, and keeps the fields that an application sets at the same time.
  loop::Task<> exchange(Pending& pending);
  loop::Task<std::string> write_user(const Pending& pending);
  loop::Task<std::string> write_application(const Pending& pending);
  // Returns as write_application(), without the index of public applications.
  loop::Task<std::string> write_listed(const Pending& pending, const oauth::Client& client);
  loop::Task<> drop_renderings(const std::vector<Pending*>& changes);
  // Make the new record. Unreadable: the credentials of the stored record cannot be read.
  enum class Finished { Whole, StaysDeleted, Unreadable };
  Finished finish(Pending& pending);
  Finished finish_user(Pending& pending);
  Finished finish_application(Pending& pending);
  void keep(std::uint64_t& count, const Pending& pending, std::string what);
  loop::Task<> audit_resets();

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
  stores::CatalogIndex index_;
  stores::IndexLoad unindexed_{index_};
  stores::ClientRegistry clients_;
  stores::ProjectRegistry projects_{store_.redis};
  stores::Uploads uploads_{store_.redis};
  const base::SystemClock clock_;
};

}  // namespace svc::ctl
