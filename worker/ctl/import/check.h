// ImportCheck: checks a whole import file before any of it is written.
//
// It first looks for the kind of each line, then checks all lines kind by kind, in batches: so a
// line comes after the lines to which it refers; other records are searched for in the store.
// A user or an application is refused if its stored record cannot be read, because the import could
// not preserve its credentials. Memory: the id and the place of each record, about 100 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/unwritable.h"
#include "ctl/import/batch.h"
#include "ctl/import/catalog_line.h"
#include "ctl/import/line_file.h"
#include "ctl/store.h"

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

// Returns the first file that the media names in the folder with its own id; "": none.
std::string_view file_in_own_folder(const media::Media& media);

// Returns these fields of a stored record, or the reason why they cannot be read. An import may
// correct all others.
base::Result<StoredUser, std::string> stored_user(text::json::Document& document,
                                                  std::string_view record);
base::Result<oauth::Client, std::string> stored_client(text::json::Document& document,
                                                       std::string_view record);
// nullopt: it is missing or cannot be read.
// Returns the record to store in place of `stored`. Throws base::Unwritable.
template <class Record>
std::string to_store(text::json::Document& document, const Record& record,
                     std::optional<std::string_view> stored) {
  try {
    return to_record(record);
  } catch (const base::Unwritable&) {
    // Unless the stored one is as large.
  }
  const auto replaces = [&](const auto& before) {
    return to_record(record, before ? &*before : nullptr);
  };
  const std::string_view text = stored.value_or("");
  if constexpr (std::is_same_v<Record, media::Media>) {
    return replaces(media::media_from_stored(document, text, media::Detail::All));
  } else if constexpr (std::is_base_of_v<media::Contact, Record>) {
    return replaces(text::parse_record(document, text, media::contact_from_record));
  } else if constexpr (std::is_base_of_v<oauth::Client, Record>) {
    return replaces(text::parse_record(document, text, oauth::client_from_record));
  } else if constexpr (std::is_same_v<Record, media::Account>) {
    return replaces(text::parse_record(document, text, media::account_from_record));
  } else if constexpr (std::is_same_v<Record, media::Project>) {
    return replaces(text::parse_record(document, text, media::project_from_record));
  } else {
    return replaces(text::parse_record(document, text, media::playlist_from_record));
  }
}
std::optional<media::Media> stored_media(text::json::Document& document,
                                         std::optional<std::string_view> record);
// Returns the record to write: the line's, with the fields of the stored record that only
// applications set, by the API (api-N11), and those that the line lacks. `now` in ms since 1970.
media::Media with_choices_of_clients(media::Media line, const std::optional<media::Media>& stored,
                                     std::int64_t now);

// Called regularly with the bytes and lines read. Returns false to stop.
using Progress = std::function<bool(std::uint64_t bytes, std::uint64_t lines)>;

class ImportCheck {
 public:
  ImportCheck(LineFile& file, const Store& store, bool has_keys,
              std::size_t max_playlist_medias = media::kDefaultPlaylistMedias)
      : file_(file),
        store_(store),
        has_keys_(has_keys),
        max_playlist_medias_(max_playlist_medias) {}

  // Returns false if `progress` stopped it. Throws base::Unavailable if the store fails.
  bool run(const Progress& progress);

  // The accepted lines of a kind, in the order of the file.
  const Lines& accepted(Kind kind) const { return lines_[static_cast<std::size_t>(kind)]; }
  const Problems& refused() const { return refused_; }

 private:
  // The functions that return a text return the reason to refuse the line, "" if it is valid.
  std::string sort(const LineFile::Line& at);
  bool check(Kind kind, const Progress& progress);
  std::string take(const LineFile::Line& at, Batch& batch);
  std::string why_not(const Pending& pending);
  // Returns why the stored values forbid it; "" for other kinds.
  std::string why_not_replaced(const Pending& pending, const media::Media& media);
  std::string why_not_replaced(const Pending& pending, const media::Project& project);
  std::string why_not_replaced(const Pending& pending, const UserLine& user);
  std::string why_not_replaced(const Pending& pending, const ApplicationLine& application);
  std::string why_not_replaced(const Pending&, const auto&) { return ""; }
  std::string why_not_guarded(const Pending& pending, const media::Account& account);
  std::string why_not_guarded(const Pending& pending, const media::Media& media);
  std::string why_not_guarded(const Pending&, const auto&) { return ""; }
  std::string why_not_guarded_as_stored(const Pending& pending, const media::Media& media);
  // As it would be stored: too large, or not readable.
  template <class Record>
  std::string why_not_stored(const Pending& pending, const Record& record);
  std::string missing_reference(const CatalogLine& line);
  // By its line, or as it is stored; everywhere if there is no such account.
  const media::SiteRule& rule_of(media::AccountId account);
  // Refuses accounts that get a list of sites, and have a media with a file that svc-keeper could
  // not guard then (oembed-W13).
  void check_accounts();

  // The line that defines each id, with kRefused if it was refused; kRefused alone: nothing has it.
  static constexpr std::uint32_t kStored = 0;
  static constexpr std::uint32_t kRefused = std::uint32_t{1} << 31;
  using Known = std::unordered_map<std::string, std::uint32_t>;
  Known& known(Kind kind) { return known_[static_cast<std::size_t>(kind)]; }

  LineFile& file_;
  const Store store_;
  const bool has_keys_;
  const std::size_t max_playlist_medias_;
  text::json::Document document_;
  std::array<Lines, kKinds> lines_;
  std::array<Known, kKinds> known_;
  Known emails_;  // in lower case
  Problems refused_;
  std::map<std::int64_t, LineFile::Line> restricted_;  // lines of accounts that have a list
  std::map<std::int64_t, media::SiteRule> rules_;      // by account, as far as it was asked for
};

}  // namespace svc::ctl
