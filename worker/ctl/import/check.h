// ImportCheck: checks a whole import file before any of it is written.
//
// Each line is checked on its own, with the stored record and the email address of a user. If a
// line refers to a record that no earlier line defines, all lines are read again, kind by kind:
// then the file's records are known, and others are searched for in the store. A user or an
// application is refused if its stored record cannot be read, because the import could not preserve
// its credentials. Memory: the id and the place of each record, about 100 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ctl/import/catalog_line.h"
#include "ctl/import/line_file.h"
#include "ctl/store.h"
#include "media/guard.h"
#include "media/playlist.h"

namespace svc::ctl {

// The problems of lines, by their numbers: the first kMax that were found, and their count.
struct Problems {
  static constexpr std::size_t kMax = 100;

  std::uint64_t count = 0;
  std::map<std::size_t, std::string> first{};

  void add(std::size_t line, std::string reason) {
    ++count;
    if (first.size() < kMax) first.emplace(line, std::move(reason));
  }
};

// The fields of a stored user that an import preserves or needs.
struct StoredUser {
  std::string email;  // empty if the record has none
  bool disabled = false;
};

// Return the credentials of a stored record, or the reason why they cannot be read.
base::Result<StoredUser, std::string> stored_user(text::json::Document& document,
                                                  std::string_view record);
base::Result<oauth::Client, std::string> stored_client(text::json::Document& document,
                                                       std::string_view record);

// Called regularly with the bytes and lines read. Returns false to stop.
using Progress = std::function<bool(std::uint64_t bytes, std::uint64_t lines)>;

// Returns the key of a record.
std::string key_of(const Name& name);

// Reads a line that was accepted before. Throws std::runtime_error if it has changed.
CatalogLine read_again(LineFile& file, text::json::Document& document, const LineFile::Line& line);

class ImportCheck {
 public:
  using Lines = std::vector<LineFile::Line>;

  ImportCheck(LineFile& file, const Store& store, bool has_keys,
              std::size_t max_playlist_medias = media::kDefaultPlaylistMedias);

  // Returns false if `progress` stopped it. Throws base::Unavailable if the store fails.
  bool run(const Progress& progress);

  // The accepted lines of a kind, in the order of the file.
  const Lines& accepted(Kind kind) const { return accepted_[static_cast<std::size_t>(kind)]; }
  const Problems& refused() const { return refused_; }

 private:
  // The line that defines each id, or one of these.
  static constexpr std::uint32_t kStored = 0;
  static constexpr std::uint32_t kMissing = UINT32_MAX;
  using Known = std::unordered_map<std::string, std::uint32_t>;

  // Both return the reason to refuse the line, "" if the line is valid.
  std::string take(const LineFile::Line& line);
  std::string refusal_of(const CatalogLine& line, const Name& name, std::uint32_t number);
  bool check_references(Kind kind, const Progress& progress);
  std::optional<Name> missing_reference(const CatalogLine& line);
  // A media that may be private or restricted, and has a file that nobody could guard then.
  struct Suspect {
    LineFile::Line line;
    std::string key;
    media::AccountId account;
    // As the line has them.
    std::optional<media::Visibility> visibility;
    std::optional<media::AllowedDomains> allowed_domains;
  };
  // A media with a file in the folder of its id.
  struct Claim {
    LineFile::Line line;
    media::HashedId id;
  };
  // Refuses those whose folder another media has got by a swap (oembed-W13).
  void judge_claims();
  void suspect(const LineFile::Line& line, const media::Media& media, std::string key);
  // These refuse lines that would leave a file open (oembed-W13): of suspects that are private or
  // have a list, of those whose account has one, and of accounts that get one.
  void judge();
  void judge_inherited();
  void judge_accounts();
  // Returns true if the guard could not close a file of the line's media. `than`: as in
  // media::why_not_guarded().
  bool refuse_open_file(const LineFile::Line& line, const std::optional<media::Media>& before,
                        const media::Guard& guard, std::string_view than);
  void refuse(const LineFile::Line& line, const Name& name, std::string why);
  std::string stored(const std::string& key) const;
  // As the store has it; everywhere, if it has no such account.
  media::SiteRule stored_rule(media::AccountId account);
  Known& known(Kind kind) { return known_[static_cast<std::size_t>(kind)]; }

  LineFile& file_;
  const Store store_;
  const bool has_keys_;
  const std::size_t max_playlist_medias_;
  text::json::Document document_;
  std::array<Lines, kKinds> accepted_;
  std::array<Known, kKinds> known_;
  Known emails_;          // in lower case
  bool in_order_ = true;  // each line refers only to earlier lines
  Problems refused_;
  std::vector<Suspect> suspects_;
  std::vector<Claim> claims_;
  // Of suspects that have the list of their account.
  std::map<std::int64_t, Lines> inheriting_;
  // Lines of accounts that have a list, by its own words.
  struct AccountRule {
    LineFile::Line line;
    bool is_everywhere = true;
  };
  std::map<std::int64_t, AccountRule> rules_;
  std::set<std::uint32_t> judged_;  // accepted, and refused since
};

}  // namespace svc::ctl
