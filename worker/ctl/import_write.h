// ImportWrite: writes the lines that an ImportCheck let through.
//
// What is there already and equal is left alone, so a second run changes nothing. From above where
// everything stands below what it refers to, else kind by kind: what is written never refers to
// something that is not, at whatever moment it is interrupted. One thread reads a batch while
// another compares and writes the one before, and waits for the store.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "ctl/import_check.h"
#include "ctl/import_read.h"

namespace svc::ctl {

struct Written {
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;

  std::uint64_t total() const { return added + changed + unchanged; }
};

class ImportWrite {
 public:
  // With `cache`, the renderings there of every media that changes are dropped.
  //
  // `keys` may be null when no line is an application. All outlive the object.
  ImportWrite(int file, redis::Connection& store, const base::KeyRing* keys, base::Entropy& entropy,
              ImportCheck::Progress progress, redis::Connection* cache = nullptr);

  // False when it was stopped, between two batches. Throws base::Unavailable when the store fails,
  // std::runtime_error when the file changed, or when somebody else changed a user, or took a
  // user's email address, since this import asked for it.
  bool run(const ImportCheck& check);

  const Written& written(Kind kind) const { return written_[static_cast<std::size_t>(kind)]; }

 private:
  bool write_kinds(const std::vector<CheckedLine>& lines, const std::vector<Kind>& kinds);
  // Asks the store what it has of these, which become the batch in flight. What was in flight
  // before is compared and written.
  void submit(std::vector<Pending> records);
  void settle();
  void write_asked();
  void take_answers();
  void drop_renderings();
  void finish_record(Pending& pending, std::string_view stored);

  const int file_;
  redis::Connection& store_;
  const base::KeyRing* keys_;
  base::Entropy& entropy_;
  const ImportCheck::Progress progress_;
  redis::Connection* const cache_;
  std::vector<media::HashedId> changed_;  // media whose new records are on their way
  text::json::Document stored_document_;
  std::vector<Pending> asked_;  // its answer is on its way
  std::size_t unanswered_ = 0;  // writes whose answers are on their way, behind that answer
  std::string overtaken_;  // the key of a user or an email that somebody else changed meanwhile
  std::array<Written, kKinds> sent_{};  // not answered yet
  std::array<Written, kKinds> written_{};
};

}  // namespace svc::ctl
