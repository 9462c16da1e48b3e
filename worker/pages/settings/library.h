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
#include "text/form.h"

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

class Library : public Settings {
 public:
  // Both outlive it.
  Library(const SettingsParts& parts, library::LibraryParts& library)
      : Settings(parts), library_(library) {}

 protected:
  // The account that a path names and whose media this contact may change.
  struct Place {
    media::Account account;
    std::string medias;    // path of the list of media
    std::string projects;  // path of the list of projects
    std::string sites;     // path of the list of sites
    std::string stats;     // path of the account's statistics
  };
  // A response to a browser, or its reason for the script.
  struct Refused {
    http::Response page;
    std::string reason;
  };
  loop::Task<base::Result<Place, Refused>> place_of(const SettingsContext& context);

  // A media and the action on it.
  struct Subject {
    Place place;
    std::string path;         // path of the media's page
    std::string_view action;  // the rest of the path, after a slash; "": the page
    // Of a media whose record cannot be read only the id and the account, with the id as the name:
    // it can be deleted.
    media::Media media;
  };
  // Returns the media of a path below the list of media. A media of another account looks as if it
  // did not exist. To delete a media that does not exist succeeds.
  loop::Task<base::Result<Subject, Refused>> subject_of(const SettingsContext& context);

  // At most this many projects are choices of a form.
  static constexpr std::size_t kMostChoices = 500;
  // Returns the account's first projects by name, and `chosen` in any case.
  loop::Task<std::vector<media::NamedProject>> choices(
      const Place& place, const std::optional<media::ProjectId>& chosen);

  // At most this many media are choices of a form.
  static constexpr std::size_t kMostMedias = 100;
  // Reads the account's newest media of that type, and returns those that are ready, except `but`.
  loop::Task<std::vector<media::Media>> newest(const Place& place, std::string type,
                                               media::HashedId but);

  struct Shown {
    const media::Media& media;
    const std::optional<media::Project>& project;
    double progress = 0;
    bool is_titled = true;  // in a list; otherwise with its player
  };
  // Fills library_item.tpl.
  void describe(Values& values, const SettingsContext& context, const Place& place,
                const Shown& shown) const;

  // Includes stage.tpl as STAGE in the section PLAYER, if the media can be played.
  void show_player(Values& values, const media::Media& media) const;

  // The sites that may show the media; empty: every site.
  static media::AllowedDomains sites_of(const Place& place, const media::Media& media);
  // The sites that the account allows, for a sentence.
  static std::string allowed_by(const Place& place);
  // The address of a file of the media, for the people of its account.
  std::string file_of(const Place& place, const media::Media& media, const std::string& url) const;
  // Returns "" if the media's picture is missing, or is on another host.
  std::string picture_of(const media::Media& media, media::Dimensions size) const;

  static library::Actor actor_of(const SettingsContext& context, const Place& place) {
    return {.account = place.account.id,
            .contact = context.contact.id,
            .address = context.request.remote_address};
  }

  library::LibraryParts& library_;
};

// Why a contact may not see the media of an account; OauthDisabled: neither OAuth nor uploads are
// enabled. Returns nullopt if it may.
std::optional<oauth::Barrier> library_barrier(const media::Contact& contact,
                                              const media::Account& account);
// A sentence.
std::string why_no_media(oauth::Barrier barrier);

// A digest of the values with which a form was filled in, to be compared with the stored values
// when it is sent.
std::string edition_of(std::string_view text);

// Shows a problem of a form, at its field and in the summary: PROBLEM, <FIELD>_WRONG,
// HAS_PROBLEMS and SUMMARY.
struct FieldProblem {
  std::string_view field;
  std::string text;  // a sentence
};
void show_problems(Values& body, const std::vector<FieldProblem>& problems);

// A form with the name and description of a media or project.
struct DescriptionForm {
  std::string name{};
  std::string description{};
  std::string visibility{};  // a word; "" in a form without it
  std::string sites{};       // a word of SitesChoice; "" in a form without it
  std::string domains{};     // for SitesChoice::List, a line each
  std::string edition{};     // a new project's number
  std::vector<FieldProblem> problems{};
  bool was_overtaken = false;
  int status = 200;
};
// Reads what a user sent, with its problems.
DescriptionForm description_form(const text::Form& form);
// Fills ENTERED, DESCRIPTION, ROWS, EDITION and the problems.
void show_description_form(Values& body, const DescriptionForm& form, long rows);
// Shows the section OVERTAKEN if another user changed the record: the stored texts that differ.
void show_overtaken(Values& body, const DescriptionForm& form, const DescriptionForm& stored);

// The name of a media where it is shown: at most kMaxShownName characters, never blank.
std::string shown_name(std::string_view name);

// Common parts of the pages of a media: the way back and the names.
void show_way_back(Values& body, const media::Media& media, const std::string& path);
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
// Where a media may be shown (oembed-W1), in a form.
enum class SitesChoice { Account, Any, List };
std::string_view word_of(SitesChoice choice);
// What the form says, if it has no problems; nullopt: a form without it.
std::optional<std::optional<media::AllowedDomains>> sites_in(const DescriptionForm& form);
void set_sites(DescriptionForm& form, const std::optional<media::AllowedDomains>& domains);
// Refuses sites that were entered next to a choice that does not use them. `stored`: those of the
// media, which the form shows before it is changed.
void refuse_unused_sites(DescriptionForm& form, const std::optional<media::AllowedDomains>& stored);
// Shows SITES with VALUE, NAME and CHOSEN, and DOMAINS.
void show_sites(Values& values, const DescriptionForm& form);

// Who may watch a media: "Everyone, search engines too".
std::string_view visibility_text(media::Visibility visibility);

// Shows who may find a media: OPTION with VALUE, NAME and CHOSEN.
void show_visibilities(Values& values, std::string_view chosen);

// "3 items": an account has sounds, pictures and documents, too.
inline std::string items_words(std::int64_t count) { return counted(count, "item", "items"); }

// Shows the choices of a form: OPTION with VALUE, NAME and CHOSEN.
void show_choices(Values& values, const std::vector<media::NamedProject>& projects,
                  const std::optional<media::ProjectId>& chosen);

}  // namespace svc::pages
