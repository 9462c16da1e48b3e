// ImportCheck: reads a whole import file before anything of it is written.
//
// Every line is checked by itself, by two threads in turn; then what lines refer to is looked for:
// first in the file, in any order, then in the store. A user or an application whose stored record
// cannot be read is refused: its credentials could not be kept. Ids are kept as 64-bit hashes, 12
// bytes a line, so that a file of a million lines needs no more than a few dozen MiB.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ctl/import/catalog_line.h"
#include "ctl/import/line_reader.h"
#include "ctl/store.h"

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
Kind to_kind(LineState state);  // of a line that was let through
bool is_one_of(const std::vector<Kind>& kinds, LineState state);

// What became of a line, and a fingerprint by which it is known again when the file is read again.
struct CheckedLine {
  LineState state = LineState::Refused;
  std::array<unsigned char, 4> fingerprint{};

  bool operator==(const CheckedLine&) const = default;
};
std::array<unsigned char, 4> fingerprint_of(std::string_view text);

// What an import keeps of a stored user.
struct StoredUser {
  std::string password_hash;
  bool disabled = false;
};

// The credentials of a stored record, or why they cannot be read.
base::Result<StoredUser, std::string> stored_user(text::json::Document& document,
                                                  std::string_view record);
base::Result<oauth::Client, std::string> stored_client(text::json::Document& document,
                                                       std::string_view record);

class ImportCheck {
 public:
  // Called every so often with the bytes and lines read; answers false to stop.
  using Progress = std::function<bool(std::uint64_t bytes, std::uint64_t lines)>;

  ImportCheck(int file, const Store& store, bool has_keys, Progress progress,
              std::size_t max_playlist_medias = kMaxPlaylistMedias);

  // False when it was stopped. Throws base::Unavailable when the store cannot be asked.
  bool run();

  const std::vector<CheckedLine>& lines() const { return lines_; }
  // Whatever a line refers to stands above it or, if it is not in the file, in the store.
  bool in_order() const { return in_order_; }
  std::size_t refused() const { return refused_; }
  // The first kMaxProblems of them, by line.
  const std::vector<Problem>& problems() const { return problems_; }

  static constexpr std::size_t kMaxProblems = 100;
  static constexpr std::size_t kMaxPlaylistMedias = 1'000;

 private:
  using Hash = std::uint64_t;
  // A thing is defined, or referred to, in that line. Of a thing that several lines refer to, the
  // first counts.
  struct Mention {
    std::uint32_t hash_high;
    std::uint32_t hash_low;
    std::uint32_t line;

    Mention(Hash hash, std::size_t at)
        : hash_high(static_cast<std::uint32_t>(hash >> 32)),
          hash_low(static_cast<std::uint32_t>(hash)),
          line(static_cast<std::uint32_t>(at)) {}
    Hash hash() const { return std::uint64_t{hash_high} << 32 | hash_low; }
    bool operator<(const Mention& other) const {
      return hash() != other.hash() ? hash() < other.hash() : line < other.line;
    }
  };
  using Mentions = std::vector<Mention>;

  // What a line says, seen for itself.
  struct Look {
    CheckedLine line;
    std::string problem;  // why it is refused
    Hash name = 0;
    std::vector<std::pair<Kind, Hash>> references;
    std::string user;  // of a user: the id and the email
    std::string email;
    std::string key;         // of the record, of a user or an application
    std::size_t medias = 0;  // of a playlist
  };
  static Look look_at(text::json::Document& document, std::string_view text, bool too_long);

  // Lines that one thread looks at while the other does with the next.
  struct Piece {
    std::string text;
    struct Line {
      std::size_t end;  // in `text`
      bool too_long;
    };
    std::vector<Line> lines;
    std::uint64_t bytes_read = 0;  // of the file, with these
    std::vector<Look> looks;
  };
  static void read(LineReader& reader, Piece& piece);
  static void look_at(text::json::Document& document, Piece& piece);

  bool read_all();
  bool take(Piece& piece);
  void compare_stored(Piece& piece);
  void take_line(std::size_t number, const Look& look);
  void refer(Kind kind, Hash hash, std::size_t line);
  void refuse(std::size_t line, std::string reason);
  void refuse_duplicates(Kind kind);
  bool is_defined(const Name& name) const;
  void compare_references(Kind kind);
  bool resolve(const std::vector<Kind>& kinds);
  bool exists_in_store(const Name& name);
  std::string email_owner(const std::string& email);

  static void keep_first(Mentions& mentions);

  const int file_;
  const Store store_;
  const bool has_keys_;
  const Progress progress_;
  const std::size_t max_playlist_medias_;
  text::json::Document document_;
  std::vector<CheckedLine> lines_;
  std::array<Mentions, kKinds> defined_;
  std::array<Mentions, kKinds> referenced_;
  bool needs_lookup_ = false;  // something is referred to that the file does not define
  bool in_order_ = true;
  std::unordered_map<std::string, std::size_t> emails_;  // lower case → line
  std::array<std::unordered_map<std::string, bool>, kKinds> in_store_;
  std::vector<Problem> problems_;
  std::size_t refused_ = 0;
};

}  // namespace svc::ctl
