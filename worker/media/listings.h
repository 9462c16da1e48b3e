// Listings: lists of an account's media and projects, by pages and from a place in the order of
// their creation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loop/task.h"
#include "media/account.h"
#include "media/media.h"

namespace svc::media {

// Records that are equal by it are in the order of their ids. Name: by code points.
enum class SortBy : std::uint8_t { Created, Updated, Name };

struct ListOrder {
  SortBy by = SortBy::Created;
  bool ascending = true;
  std::size_t offset = 0;
  std::size_t count = 0;  // at most
};

struct MediaQuery {
  ListOrder order{};
  // Filters: a media must match all that are set.
  std::optional<ProjectId> project{};
  std::optional<std::string> name{};  // equal
  std::optional<std::string> type{};
  std::optional<std::vector<HashedId>> ids{};
  // Only with SortBy::Created and without ids and name: the nearest media after (or before) the
  // place of a media in the list, which the media need not have any more. The list stays in its
  // order.
  std::optional<std::string> from{};
  bool backwards = false;
  // Gets the media that the page leaves out because they cannot be read. Outlives the task.
  std::vector<HashedId>* unreadable = nullptr;
};

// Media whose names contain a text, or with a status.
struct MediaSearch {
  ListOrder order{};
  std::optional<ProjectId> project{};
  std::string text{};              // without case (text::folded()); empty: any name
  std::vector<Status> statuses{};  // empty: any
  std::string after{};             // FoundMedias::rest of the page before; empty: the beginning
};

struct FoundMedias {
  std::vector<Media> medias;
  // How many fit, on all pages. nullopt: the account has more than Listings::kMostSearched media.
  std::optional<std::int64_t> all{};
  // Then the media are in the order of their names, and where the search ended, for
  // MediaSearch::after; empty: at the last name.
  std::string rest{};
};

// A media as the index has it.
struct ListedMedia {
  HashedId id;
  std::string type;
  std::string place;  // as Listings::place_of() returns it

  bool is_video() const { return type == "Video"; }
};

// A project as the index has it: without its record, which may be long.
struct NamedProject {
  ProjectId id;
  std::string name;
};

struct CatalogCounts {
  std::int64_t medias = 0;
  std::int64_t projects = 0;
};

class Listings {
 public:
  virtual ~Listings() = default;

  // All throw base::Unavailable.
  virtual loop::Task<std::vector<Media>> medias(AccountId account, MediaQuery query) = 0;
  // A search looks at this many media at most.
  static constexpr std::size_t kMostSearched = 100'000;

  // If an account has more than kMostSearched media, a page has the matches among the next
  // kMostSearched names, at most order.count; order.offset is ignored.
  virtual loop::Task<FoundMedias> search(AccountId account, MediaSearch query) = 0;
  // Returns up to `count` media of a project in the order of their creation, after a place. Reads
  // no records: one of them may just have been deleted.
  virtual loop::Task<std::vector<ListedMedia>> listed(AccountId account, ProjectId project,
                                                      std::string after, std::size_t count) = 0;
  virtual loop::Task<std::vector<Project>> projects(AccountId account, ListOrder order) = 0;
  // Returns the first projects in the order of their names. Reads no records.
  virtual loop::Task<std::vector<NamedProject>> named_projects(AccountId account,
                                                               std::size_t count) = 0;
  // Counts the account, or one of its projects.
  virtual loop::Task<CatalogCounts> counts(AccountId account, std::optional<ProjectId> project) = 0;
  // A media's place in the order of creation, for MediaQuery::from.
  virtual std::string place_of(const Media& media) const = 0;
  // Whether a text can be a place.
  virtual bool is_place(const std::string& text) const = 0;
};

}  // namespace svc::media
