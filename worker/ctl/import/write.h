// ImportWrite: writes the lines that an ImportCheck accepted.
//
// Equal records are not written again, so a second run changes nothing. Lines are written in the
// file's order if each refers only to earlier lines, otherwise kind by kind. So a written record
// never refers to a missing record, even after an interruption. One thread reads a batch while the
// other compares and writes the previous batches, and talks to the store:
//
//   one thread    reads batch 3
//   the other     sends MGET of batch 2 │ compares batch 1 │ sends its writes
//   in flight     MGET of batch 2, writes of batch 1
//
// Passwords and secrets are written for new users and applications only. Existing ones keep theirs,
// and deleted applications stay deleted. With CredentialReset, the import overwrites all of these.
// Users who are disabled stay disabled in any case.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "ctl/import/check.h"
#include "ctl/import/read.h"
#include "ctl/store.h"
#include "loop/task.h"
#include "loop/threads.h"
#include "oauth/stores.h"

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
  std::vector<Problem> first;                // in the order of writing, at most kMaxProblems

  // How many `first` would have without its limit.
  std::uint64_t listed() const { return passwords + secrets + deleted; }
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
  ImportWrite(int file, const Store& store, const base::KeyRing* keys, base::Entropy& entropy,
              ImportCheck::Progress progress, redis::Store* cache = nullptr,
              const CredentialReset* reset = nullptr);

  // Returns false if `progress` stopped it, between two batches. Throws base::Unavailable if the
  // store fails, std::runtime_error if the file changed, or if another client changed a user or an
  // application, or took a user's email address, after this import read it.
  bool run(const ImportCheck& check);

  const Written& written(Kind kind) const { return written_[static_cast<std::size_t>(kind)]; }
  const KeptCredentials& kept() const { return kept_; }

  // The comparison of a plain password hashes it, which takes a sixth of a second. So an import
  // compares at most this many.
  static constexpr std::uint64_t kComparedPasswords = 20;

 private:
  // The next batch, or the error of reading it.
  struct Following {
    ImportBatch batch;
    std::exception_ptr error;
  };

  loop::Task<bool> write(const ImportCheck& check);
  loop::Task<bool> write_kinds(const std::vector<CheckedLine>& lines, std::vector<Kind> kinds);
  loop::Task<> read_next(ImportRead& read, Following& following);
  // Requests the stored records of this batch, which becomes the batch in flight. Compares and
  // writes the previous batch in flight.
  loop::Task<> submit(std::vector<Pending> records);
  loop::Task<> settle();
  loop::Task<> write_asked();
  loop::Task<> write_one_by_one(const std::vector<std::string_view>& user_keys,
                                const std::vector<std::string_view>& user_values,
                                const std::vector<std::string_view>& application_keys,
                                const std::vector<std::string_view>& application_values);
  loop::Task<> finish_writes();
  loop::Task<> take_answers();
  loop::Task<> drop_renderings();
  // Both return Unreadable if the credentials of `stored` cannot be read. `deleted` is the value of
  // the application's tombstone.
  enum class Finished { Whole, StaysDeleted, Unreadable };
  Finished finish_user(Pending& pending, std::string_view stored);
  Finished finish_application(Pending& pending, std::string_view stored, std::string_view deleted);
  void keep(std::uint64_t& count, const Pending& pending, const std::string& what);
  loop::Task<> audit_resets();

  const int file_;
  const Store store_;
  const base::KeyRing* keys_;
  base::Entropy& entropy_;
  const ImportCheck::Progress progress_;
  redis::Store* const cache_;
  const CredentialReset* const reset_;
  std::vector<media::HashedId> changed_;  // media whose new records are being written
  text::json::Document stored_document_;
  loop::Threads threads_;
  std::vector<Pending> asked_;                  // the batch in flight
  std::unique_ptr<redis::Store::Call> stored_;  // the reply with its stored records
  std::optional<redis::Store::Calls> writes_;   // of the previous batch, sent after that request
  std::string overtaken_;  // the key that another client changed during the import
  KeptCredentials kept_;
  std::uint64_t compared_ = 0;  // passwords
  // Of the batch that is being compared.
  std::vector<media::ContactId> password_resets_;
  struct ClientReset {
    oauth::EventName what;
    const oauth::Client* client;
  };
  std::vector<ClientReset> client_resets_;
  std::array<Written, kKinds> sent_{};  // writes without a reply yet
  std::array<Written, kKinds> written_{};
};

}  // namespace svc::ctl
