// library: the common parts of the pages of an account's media and projects: whose account it is,
// and how a media is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "embed/watch_keys.h"
#include "library/actor.h"
#include "library/library_parts.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/catalog.h"
#include "media/listings.h"
#include "media/media.h"
#include "media/replacements.h"
#include "media/uploads.h"
#include "oauth/consent.h"
#include "pages/formatting.h"
#include "pages/settings/settings.h"

namespace svc::pages {

// The ends of paths.
inline constexpr std::string_view kDeleteAction = "delete";
inline constexpr std::string_view kStateSuffix = ".json";
// The form for uploads, below the list of media; its parameter names the media whose file the
// upload replaces.
extern const std::string_view kUploadEnd;
inline constexpr std::string_view kReplaces = "replaces";
// Fills fields with the position of the page's player.
inline constexpr std::string_view kPositionScript = "/assets/position.js";

// The account that a path names, and whose media this contact may change.
struct InLibrary : InAccount {
  std::string medias{};    // path of the list of media
  std::string projects{};  // path of the list of projects
  std::string sites{};     // path of the list of sites
  std::string stats{};     // path of the account's statistics
  library::Actor actor{};
};

// A media and the action on it.
struct OfMedia : InLibrary {
  std::string path{};         // path of the media's page
  std::string_view action{};  // the rest of the path, after a slash; "": the page
  // Of a media whose record cannot be read only the id and the account, with the id as the name:
  // it can be deleted.
  media::Media media{};

  bool is(std::string_view name) const { return action == name; }
};

class WithLibrary : public Settings {
 public:
  explicit WithLibrary(const SettingsParts& parts) : Settings(parts), library_(parts.library) {}

 protected:
  loop::Task<base::Result<InLibrary, Refused>> library_of(const SettingsContext& context);
  // Returns the media of a path below the list of media. A media of another account looks as if it
  // did not exist. To delete a media that does not exist succeeds.
  loop::Task<base::Result<OfMedia, Refused>> subject_of(const SettingsContext& context);

  // At most this many projects are choices of a form.
  static constexpr std::size_t kMostChoices = 500;
  // Returns the account's first projects by name, and `chosen` in any case.
  loop::Task<std::vector<media::NamedProject>> choices(
      const InLibrary& in, const std::optional<media::ProjectId>& chosen);

  // At most this many media are choices of a form.
  static constexpr std::size_t kMostMedias = 100;
  // Reads the account's newest media of that type, and returns those that are ready, except `but`.
  loop::Task<std::vector<media::Media>> newest(const InLibrary& in, std::string type,
                                               media::HashedId but);

  struct Shown {
    const media::Media& media;
    const std::optional<media::Project>& project;
    double progress = 0;
    bool is_titled = true;  // in a list; otherwise with its player
  };
  // Fills library_item.tpl.
  void describe(Values& values, const SettingsContext& context, const InLibrary& in,
                const Shown& shown) const;

  // Includes stage.tpl as STAGE in the section PLAYER, if the media can be played.
  void show_player(Values& values, const media::Media& media) const;

  // The sites that may show the media; empty: every site.
  static media::AllowedDomains sites_of(const InLibrary& in, const media::Media& media);
  // The sites that the account allows, for a sentence.
  static std::string allowed_by(const InLibrary& in);
  // The address of a file of the media, for the users of its account.
  std::string file_of(const InLibrary& in, const media::Media& media, const std::string& url) const;
  // Returns "" if the media's picture is missing, or is on another host.
  std::string picture_of(const media::Media& media, media::Dimensions size) const;

  library::LibraryParts& library_;
};

// The pages of the library of an account, and of one media.
class LibraryPages : public PagesOf<WithLibrary, InLibrary> {
 protected:
  using PagesOf::PagesOf;
  loop::Task<base::Result<InLibrary, Refused>> find(const SettingsContext& context) override {
    return library_of(context);
  }
};
class MediaPages : public PagesOf<WithLibrary, OfMedia> {
 protected:
  using PagesOf::PagesOf;
  loop::Task<base::Result<OfMedia, Refused>> find(const SettingsContext& context) override {
    return subject_of(context);
  }
};

// Why a contact may not see the media of an account; OauthDisabled: neither OAuth nor uploads are
// enabled. Returns nullopt if it may.
std::optional<oauth::Barrier> library_barrier(const media::Contact& contact,
                                              const media::Account& account);
// The values of a form about a media or project.
struct Description {
  std::string name{};
  std::string description{};
  std::string visibility{};  // a word; "" in a form without it
  std::string sites{};       // a word of SitesChoice; "" in a form without it
  std::string domains{};     // for SitesChoice::List, a line each
};
Description description_of(const media::Media& media);
Description description_of(const media::Project& project);
std::string description_edition(const media::Media& media);
std::string description_edition(const media::Project& project);
// Returns the typed values; in a form that is opened: `saved`.
Description typed_in(const Entered& entered, const Description& saved = {});
// Adds the problems of the typed values.
void check_description(Entered& entered, const Description& typed);
// Fills ENTERED, DESCRIPTION, ROWS and EDITION; if there is a choice of them, VISIBILITY and SITES
// with VALUE, NAME and CHOSEN, and DOMAINS. If the form is overtaken, SAVED with the texts that
// differ.
void show_description(Values& body, const Entered& entered, const Description& saved,
                      const std::string& edition, long rows);

// The name of a media where it is shown: at most kMaxShownName characters, never blank.
std::string shown_name(std::string_view name);

// Common parts of the pages of a media: the way back and the names.
void show_way_back(Values& body, const OfMedia& subject, std::string_view end = "");
// The window's title: "Poster – A film".
std::string title_with(std::string_view page, const media::Media& media);

bool is_pending(const media::Media& media);
std::string status_text(const media::Media& media, double progress);
// The embed code of a video that is ready; "" for any other media.
std::string code_of(const media::Media& media, const embed::Site& site);
// Shows whether a picture of the video is being made for its poster, or could not be made.
void show_next_poster(Values& body, const media::Media& media);
// The size of a picture in a list: twice its size on the screen.
inline constexpr media::Dimensions kListedPicture{320, 180};
// Returns where a media may be shown (oembed-W1); nullopt: a form without it. Needs a valid form.
std::optional<std::optional<media::AllowedDomains>> sites_in(const Description& typed);
// Refuses sites that were entered next to a choice that does not use them. `stored`: those of the
// media, which the form shows before it is changed.
void refuse_unused_sites(Entered& entered, const Description& typed,
                         const std::optional<media::AllowedDomains>& stored);

// Who may watch a media: "Everyone, search engines too".
std::string_view visibility_text(media::Visibility visibility);

// Shows who may find a media: VISIBILITY with VALUE, NAME and CHOSEN.
void show_visibilities(Values& values, std::string_view chosen);

// "3 items": an account has sounds, pictures and documents, too.
inline std::string items_words(std::int64_t count) { return counted(count, "item", "items"); }

// Shows the choices of a form: OPTION with VALUE, NAME and CHOSEN.
void show_choices(Values& values, const std::vector<media::NamedProject>& projects,
                  const std::optional<media::ProjectId>& chosen);

}  // namespace svc::pages
