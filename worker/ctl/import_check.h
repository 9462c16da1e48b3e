// ImportCheck: reads a whole import file before anything of it is written.
//
// Every line is checked by itself, then what lines refer to is looked for: first in the file, in
// any order, then in the store. Ids are kept as 64-bit hashes, 12 bytes a line, so that a file of a
// million lines needs no more than a few dozen MiB.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ctl/catalog_line.h"
#include "redis/connection.h"

namespace svc::ctl {

struct Problem {
  std::size_t line = 0;
  std::string reason;
};

// What became of each line; index 0 is line 1.
enum class LineState : std::uint8_t {
  Blank,
  Refused,
  Account,
  User,
  Project,
  Application,
  Media,
  Playlist
};
LineState to_state(Kind kind);

// What became of a line, and a fingerprint by which it is known again when the file is read again.
struct CheckedLine {
  LineState state = LineState::Refused;
  std::array<unsigned char, 4> fingerprint{};

  bool operator==(const CheckedLine&) const = default;
};
std::array<unsigned char, 4> fingerprint_of(std::string_view text);

class ImportCheck {
 public:
  // Called every so often with the bytes and lines read; answers false to stop.
  using Progress = std::function<bool(std::uint64_t bytes, std::uint64_t lines)>;

  ImportCheck(int file, redis::Connection& store, bool has_keys, Progress progress);

  // False when it was stopped. Throws base::Unavailable when the store cannot be asked.
  bool run();

  const std::vector<CheckedLine>& lines() const { return lines_; }
  std::size_t refused() const { return refused_; }
  // The first kMaxProblems of them, by line.
  const std::vector<Problem>& problems() const { return problems_; }

  static constexpr std::size_t kMaxProblems = 100;

 private:
  struct Definition {
    std::uint32_t hash_high;
    std::uint32_t hash_low;
    std::uint32_t line;

    std::uint64_t hash() const { return std::uint64_t{hash_high} << 32 | hash_low; }
  };
  using Hash = std::uint64_t;

  bool read_all();
  void take_line(std::size_t number, std::string_view text);
  void refer(const Name& name);
  void refuse(std::size_t line, std::string reason);
  void refuse_duplicates(Kind kind);
  bool is_defined(const Name& name) const;
  bool needs_lookup(Kind kind) const;
  bool resolve(const std::vector<Kind>& kinds);
  bool exists_in_store(const Name& name);
  std::string email_owner(const std::string& email);

  const int file_;
  redis::Connection& store_;
  const bool has_keys_;
  const Progress progress_;
  text::json::Document document_;
  std::vector<CheckedLine> lines_;
  std::array<std::vector<Definition>, kKinds> defined_;
  std::array<std::vector<Hash>, kKinds> referenced_;
  std::unordered_map<std::string, std::size_t> emails_;  // lower case → line
  std::array<std::unordered_map<std::string, bool>, kKinds> in_store_;
  std::vector<Problem> problems_;
  std::size_t refused_ = 0;
};

}  // namespace svc::ctl
