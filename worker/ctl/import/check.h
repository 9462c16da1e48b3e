// ImportCheck: checks a whole import file before any of it is written.
//
// First two threads take turns to check each line on its own. Then the records that lines refer to
// are searched for in the file, in any order, and then in the store. A user or an application is
// refused if its stored record cannot be read, because the import could not preserve its
// credentials. Memory: 12 bytes per id (a 64-bit hash and the line), so a few dozen MiB for a
// million lines.
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
#include "media/playlist.h"

namespace svc::ctl {

struct Problem {
  std::size_t line = 0;
  std::string reason;
};

// The result for a line. In lists, index 0 is line 1. From FirstKind on, the
// line is accepted: see to_kind().
enum class LineState : std::uint8_t { Blank, Refused, FirstKind };
LineState to_state(Kind kind);
Kind to_kind(LineState state);  // of an accepted line
bool is_one_of(const std::vector<Kind>& kinds, LineState state);

// The result for a line, and a fingerprint that detects a change until the file is read again.
struct CheckedLine {
  LineState state = LineState::Refused;
  std::array<unsigned char, 4> fingerprint{};

  bool operator==(const CheckedLine&) const = default;
};
std::array<unsigned char, 4> fingerprint_of(std::string_view text);

// The fields of a stored user that an import preserves.
struct StoredUser {
  std::string password_hash;
  bool disabled = false;
};

// Return the credentials of a stored record, or the reason why they cannot be read.
base::Result<StoredUser, std::string> stored_user(text::json::Document& document,
                                                  std::string_view record);
base::Result<oauth::Client, std::string> stored_client(text::json::Document& document,
                                                       std::string_view record);

class ImportCheck {
 public:
  // Called regularly with the bytes and lines read. Returns false to stop.
  using Progress = std::function<bool(std::uint64_t bytes, std::uint64_t lines)>;

  ImportCheck(int file, const Store& store, bool has_keys, Progress progress,
              std::size_t max_playlist_medias = media::kDefaultPlaylistMedias);

  // Returns false if `progress` stopped it. Throws base::Unavailable if the store fails.
  bool run();

  const std::vector<CheckedLine>& lines() const { return lines_; }
  // Returns true if each line refers only to earlier lines, or to records that only the store has.
  bool in_order() const { return in_order_; }
  std::size_t refused() const { return refused_; }
  // The first kMaxProblems refusals, sorted by line.
  const std::vector<Problem>& problems() const { return problems_; }

  static constexpr std::size_t kMaxProblems = 100;

 private:
  using Hash = std::uint64_t;
  // A record that `line` defines or refers to. If several lines refer to it: the first of them.
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

  // The result of checking one line on its own.
  struct Look {
    CheckedLine line;
    std::string problem;  // why it is refused
    Hash name = 0;
    std::vector<std::pair<Kind, Hash>> references;
    std::string user;  // users only: the id
    std::string email;
    std::string key;         // users and applications only: the key of the record
    std::size_t medias = 0;  // playlists only
  };
  static Look look_at(text::json::Document& document, std::string_view text, bool too_long);

  // Lines that one thread checks while the other thread checks the next lines.
  struct Piece {
    std::string text;
    struct Line {
      std::size_t end;  // in `text`
      bool too_long;
    };
    std::vector<Line> lines;
    std::uint64_t bytes_read = 0;  // of the file, up to the end of these lines
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
  bool needs_lookup_ = false;  // a line refers to a record that the file does not define
  bool in_order_ = true;
  std::unordered_map<std::string, std::size_t> emails_;  // lower case → line
  std::array<std::unordered_map<std::string, bool>, kKinds> in_store_;
  std::vector<Problem> problems_;
  std::size_t refused_ = 0;
};

}  // namespace svc::ctl
