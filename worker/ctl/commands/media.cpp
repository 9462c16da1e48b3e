#include "media/media.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "ctl/commands/drop_cached.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/services.h"
#include "ctl/confirm.h"
#include "ctl/listing.h"
#include "ctl/printable.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "ctl/tally.h"
#include "media/playlist.h"
#include "media/reads.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/ingest_queue.h"
#include "stores/catalog/renderings.h"
#include "stores/catalog/uploads.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "stores/record_scan.h"
#include "text/json.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

using base::Result;
using media::HashedId;

Result<HashedId, std::string> read_hashed_id(const std::string& text) {
  auto id = HashedId::parse(text);
  if (!id) return Refusal{printable(text) + " is not a hashed id: 1 to 64 letters and digits"};
  return std::move(*id);
}

void add_media(Report& report, const media::Media& media) {
  report.text("hashed_id", media.id.value()).integer("account_id", media.account.value());
  if (media.project) {
    report.text("project_id", media.project->value());
  } else {
    report.nothing("project_id");
  }
  report.text("type", media.type).text("status", to_text(media.status)).text("name", media.name);
  if (media.duration) {
    report.decimal("duration", *media.duration);
  } else {
    report.nothing("duration");
  }
  report.text("created", media.created).text("updated", media.updated);
}

class ListedMedias : public Listed {
 public:
  ListedMedias(std::optional<media::AccountId> account, std::optional<std::string> project,
               bool json)
      : account_(account), project_(std::move(project)), json_(json) {}

  bool take(const stores::StoredRecord& record) override {
    auto read = media_from_stored(document_, record.text, media::Detail::All);
    if (!read) {
      cannot_read(record, read.error());
      return false;
    }
    media_ = std::move(*read);
    if (account_ && media_.account != *account_) return false;
    return !project_ || (media_.project && media_.project->value() == *project_);
  }

  void print() override {
    if (json_) {
      Report report;
      add_media(report, media_);
      report.print(std::cout, true);
      return;
    }
    std::string duration;
    if (media_.duration) text::json::append_decimal(duration, *media_.duration);
    table_.row({media_.id.value(), std::to_string(media_.account.value()), media_.type,
                std::string(to_text(media_.status)), duration, media_.name});
  }

 private:
  const std::optional<media::AccountId> account_;
  const std::optional<std::string> project_;
  const bool json_;
  text::json::Document document_;
  media::Media media_;
  Table table_{
      std::cout,
      {{"HASHED ID", 10}, {"ACCOUNT", 7}, {"TYPE", 5}, {"STATUS", 10}, {"SECONDS", 8}, {"NAME"}}};
};

Outcome list_medias(const Arguments& arguments, Context& context) {
  std::optional<media::AccountId> account;
  if (const auto number = arguments.integer("--account")) account = {*number};
  std::optional<std::string> project;
  if (arguments.has("--project")) project = arguments.value("--project");
  const auto page = read_page(arguments);
  if (!page) return wrong_call(context, page.error());
  ListedMedias listed(account, std::move(project), arguments.json());
  return list_records(arguments, context, stores::keys::kMedias, Ids::Text, *page, listed,
                      "no media");
}

std::string text_of(const std::optional<media::Dimensions>& size) {
  return size ? std::to_string(size->width) + "x" + std::to_string(size->height) : "";
}

std::string moment_of(const media::NextPoster& poster) {
  return "at " + std::to_string(poster.at) + " ms" + (poster.has_failed ? ": failed" : "");
}

Outcome show_media(const Arguments& arguments, Context& context) {
  const auto id = read_hashed_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  stores::Catalog catalog(context.store.redis);
  media::Reads reads;
  const auto media = context.store.run(catalog.find_media(*id, media::Detail::All, reads));
  if (!media) return Refusal{"there is no media " + id->value()};
  Report report;
  add_media(report, *media);
  // Names every member, so that the compiler rejects a new member until it is shown.
  const auto& [hashed_id, account, project, type, name, description, status, duration, native,
               player_color, thumbnail, visibility, allowed_domains, links_from, links, created,
               updated, assets, captions, chapters, chapters_are_set, storyboard, failure,
               customizations, set_poster, next_poster, folders] = *media;
  std::vector<std::string> urls;
  for (const media::Asset& asset : assets) urls.push_back(asset.url);
  std::vector<std::string> tracks;
  for (const media::Captions& track : captions) {
    tracks.push_back(track.language + " " + track.label + " " + track.url +
                     (track.by_default ? " default" : ""));
  }
  std::vector<std::string> parts;
  for (const media::Chapter& chapter : chapters)
    parts.push_back(std::to_string(chapter.at) + " " + chapter.title);
  std::vector<std::string> options;
  for (const auto& [option, value] : customizations)
    options.push_back(option + " " + media::to_text(value));
  std::vector<std::string> others;
  for (const HashedId& folder : folders) others.push_back(folder.value());
  report.text("description", description)
      .text("size", text_of(native))
      .text("player_color", player_color)
      .text("thumbnail", thumbnail ? thumbnail->url : "")
      .text("visibility", to_text(media->visible()))
      .texts(media::kAllowedDomainsField, allowed_domains, domain_words(allowed_domains))
      .integer("links_from", links_from.value_or(0))
      .integer("links", std::ranges::count_if(links, &media::WatchLink::is_open))
      .texts("assets", urls)
      .texts("captions", tracks)
      .texts("chapters", parts)
      .boolean("chapters_are_set", chapters_are_set)
      .text("storyboard", storyboard)
      .text("failure", failure)
      .texts("customizations", options)
      .text("set_poster", set_poster ? set_poster->source : "")
      .text("next_poster", next_poster ? moment_of(*next_poster) : "")
      .texts("folders", others)
      .print(std::cout, arguments.json());
  return kDone;
}

// Whether a picture in the folder is still to be copied, to become the poster of a media.
bool is_copied_from(const Context& context, const HashedId& folder) {
  constexpr std::size_t kAtOnce = 500;
  stores::IngestQueue queue(context.store.redis, "svcctl");
  std::string after;
  while (true) {
    const auto jobs = context.store.run(queue.files_jobs(kAtOnce, after));
    for (const stores::FilesJob& job : jobs) {
      const auto source = media::own_file(job.source);
      if (source && source->folder == folder) return true;
    }
    if (jobs.size() < kAtOnce) return false;
    after = jobs.back().id;
  }
}

Outcome show_folder(const Arguments& arguments, Context& context) {
  const auto folder = read_hashed_id(arguments.operand(0));
  if (!folder) return Refusal{folder.error()};
  stores::CatalogRegistry registry(context.store.redis);
  const auto media = context.store.run(registry.owner_of_files(*folder));
  Report report;
  report.text("folder", folder->value());
  if (media) {
    report.text("hashed_id", media->id.value())
        .integer("account_id", media->account.value())
        .text("name", media->name);
  } else {
    report.nothing("hashed_id").nothing("account_id").nothing("name");
  }
  report.boolean("may_be_deleted", !media && !is_copied_from(context, *folder))
      .print(std::cout, arguments.json());
  return kDone;
}

// The playlists that contain a media.
struct Playlists {
  std::vector<HashedId> ids;
  std::int64_t emptied = 0;  // number of those that contain only this media
};

// Scans all playlists of the store.
Playlists find_playlists(const Context& context, const HashedId& id) {
  Playlists found;
  stores::RecordScan scan(context.store.redis, stores::keys::kPlaylists,
                          redis::Scan::Repeats::Dropped);
  ProgressBar bar("searching", kWholeStore);
  std::uint64_t looked_at = 0;
  text::json::Document document;
  while (const auto records = context.store.run(scan.next())) {
    for (const stores::StoredRecord& record : *records) {
      ++looked_at;
      // Search the text before parsing: few playlists contain the media, and
      // their records are long.
      if (record.text.find('"' + id.value() + '"') == std::string::npos) continue;
      const auto playlist = text::parse_record(document, record.text, media::playlist_from_record);
      if (!playlist) continue;  // nothing shows it, and it cannot be changed
      const auto times = std::ranges::count(playlist->media_ids, id);
      if (times == 0) continue;
      found.ids.push_back(playlist->id);
      if (times == std::ssize(playlist->media_ids)) ++found.emptied;
    }
    bar.update(part_of_store(scan.fraction_done()), looked_at);
  }
  return found;
}

// The stored record of a media, as far as the report needs it. For an
// unreadable record, the name is empty, and the account if that cannot be read either.
struct Remains {
  bool has_record = false;
  std::optional<media::AccountId> account;
  std::string name;
};

Remains find_remains(const Context& context, const HashedId& id) {
  Remains remains;
  stores::CatalogRegistry registry(context.store.redis);
  remains.has_record = context.store.run(registry.has_media(id));
  const auto records =
      context.store.run(stores::read_records(context.store.redis, {stores::keys::media(id)}));
  if (records.empty()) return remains;
  text::json::Document document;
  const auto media = media_from_stored(document, records.front().text, media::Detail::Embed);
  if (!media) {
    remains.account = media::account_in_stored(document, records.front().text);
    return remains;
  }
  remains.account = media->account;
  remains.name = media->name;
  return remains;
}

// Changes the playlists first: at every moment, all media in playlists exist,
// so an interrupted run can be repeated.
void remove_media(const Context& context, const HashedId& id,
                  std::optional<media::AccountId> account, Playlists playlists) {
  stores::CatalogRegistry registry(context.store.redis);
  std::vector<HashedId> changed{id};
  // Repeat, because an import may have written a playlist since the scan.
  do {
    ProgressBar bar("deleting", playlists.ids.size());
    std::uint64_t done = 0;
    for (const HashedId& playlist : playlists.ids) {
      context.store.run(registry.take_out(playlist, id));
      changed.push_back(playlist);
      ++done;
      bar.update(done, done);
    }
    playlists = find_playlists(context, id);
  } while (!playlists.ids.empty());
  stores::Uploads uploads(context.store.redis);
  context.store.run(uploads.remove(id, account));
  drop_cached(context, changed);
}

Outcome delete_media(const Arguments& arguments, Context& context) {
  const auto id = read_hashed_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  const Remains remains = find_remains(context, *id);
  const Playlists playlists = find_playlists(context, *id);
  if (!remains.has_record && playlists.ids.empty())
    return Refusal{"there is no media " + id->value()};
  const auto count = static_cast<std::int64_t>(playlists.ids.size());
  Report report;
  report.text("hashed_id", id->value());
  if (remains.account) {
    report.integer("account_id", remains.account->value());
  } else {
    report.nothing("account_id");
  }
  report.text("name", remains.name)
      .integer("playlists", count)
      .integer("playlists_emptied", playlists.emptied);
  const Ending ending{.typed = id->value(), .to_do = "delete it", .done = "deleted"};
  return end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    const std::string detail = who_is_this() + ", media " + id->value() + ", in " +
                               std::to_string(count) + (count == 1 ? " playlist" : " playlists");
    record_event(context, {.what = oauth::event_named<"media.deleted">(),
                           .account = remains.account,
                           .detail = detail,
                           .makes_room = true});
    remove_media(context, *id, remains.account, playlists);
    return true;
  });
}

Outcome edit_media(const Arguments& arguments, Context& context) {
  constexpr std::array<std::string_view, 5> kFlags{"--name", "--description", "--project",
                                                   "--visibility", kAllowedDomainsFlag};
  if (std::ranges::none_of(kFlags, [&](std::string_view flag) { return arguments.has(flag); })) {
    return wrong_call(context, "nothing to change: one of " + text::joined(kFlags) + " is missing");
  }
  const auto id = read_hashed_id(arguments.operand(0));
  if (!id) return Refusal{id.error()};
  const std::string no_media = "there is no media " + id->value();
  auto edit = read_edit<library::MediaEdit>(arguments);
  if (!edit) return Refusal{edit.error()};
  if (arguments.has("--visibility"))
    edit->visibility = media::visibility_of(arguments.value("--visibility"));
  if (arguments.has(kAllowedDomainsFlag)) {
    const std::string& list = arguments.value(kAllowedDomainsFlag);
    edit->allowed_domains.emplace();
    if (list == kAnyDomain) {
      edit->allowed_domains->emplace();
    } else if (list != kInheritedDomains) {
      const auto domains = media::canonical_domains(domains_given(list));
      if (!domains) return Refusal{std::string(kAllowedDomainsFlag) + " " + domains.error()};
      *edit->allowed_domains = *domains;
    }
  }
  Services services(context);
  media::Reads reads;
  const auto media = context.store.run(services.catalog.find_media(*id, media::Detail::All, reads));
  if (!media) return Refusal{no_media};
  const library::Actor actor = services.actor(media->account);
  if (arguments.has("--project")) {
    const std::string& project = arguments.value("--project");
    const auto moved = context.store.run(services.projects.move({id->value()}, project, actor));
    if (!moved && moved.error().project)
      return Refusal{"the account has no project " + printable(project) + "; nothing was changed"};
    if (!moved) return Refusal{no_media};
  }
  if (const auto refused = context.store.run(services.medias.why_not(*media, *edit))) {
    const bool of_sites = refused->field == media::kAllowedDomainsField;
    return Refusal{std::string(of_sites ? kAllowedDomainsFlag : "--visibility") + " " +
                   printable(refused->why)};
  }
  const library::Condition any;
  const auto edited = context.store.run(services.medias.edit(*id, *edit, any, actor));
  if (!edited) return Refusal{no_media};
  drop_cached(context, {*id});
  Report report;
  add_media(report, *edited);
  report.text("description", edited->description)
      .text("visibility", to_text(edited->visible()))
      .texts(media::kAllowedDomainsField, edited->allowed_domains,
             domain_words(edited->allowed_domains))
      .print(std::cout, arguments.json());
  return kDone;
}

}  // namespace

const Group& media_commands() {
  static const Operand kMedia{.takes = Takes::text("HASHED_ID"), .help = "the media's hashed id"};
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "media",
      .subjects = "Media",
      .commands = {
          {.name = "media list",
           .summary = "List media",
           .syntax = {.flags = {{.name = "--account",
                                 .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                 .help = "only the media of this account"},
                                {.name = "--project",
                                 .takes = Takes::text("ID"),
                                 .help = "only the media of this project"},
                                limit_flag(),
                                after_flag()},
                      .json = kJsonLines},
           .details = {"Without --limit the order is that of the store, and each media is printed "
                       "as it is read."},
           .only_reads = always,
           .run = list_medias},
          {.name = "media show",
           .summary = "Show a media",
           .syntax = {.operands = {kMedia}, .json = kJsonObject},
           .only_reads = always,
           .run = show_media},
          {.name = "media of",
           .summary = "Show whose files a folder has, and whether it may be deleted",
           .syntax = {.operands = {{.takes = Takes::text("FOLDER"),
                                    .help = "the name of a folder in /var/lib/svc/media"}},
                      .json = kJsonObject},
           .details = {"A folder that no media has may be deleted, unless a picture in it is still "
                       "to be copied. svc-ingest deletes it, too, if a job names it."},
           .only_reads = always,
           .run = show_folder},
          {.name = "media edit",
           .summary = "Change a media: its texts, project, and who may watch it where",
           .syntax = {.operands = {kMedia},
                      .flags = {name_flag("the media's name"),
                                description_flag("the media's description"),
                                {.name = "--project",
                                 .takes = Takes::text("ID"),
                                 .help = "the project of its account to which it is moved"},
                                visibility_flag(),
                                {.name = kAllowedDomainsFlag,
                                 .takes = Takes::text("LIST|any|inherit",
                                                      {kAnyDomain, kInheritedDomains}),
                                 .help = "the sites and applications whose pages may show it, as "
                                         "in site.example,*.site.example,capacitor://localhost; "
                                         "any: every site; inherit: those of its account"}},
                      .json = kJsonObject},
           .details = {"A later import whose file has the media overwrites these changes."},
           .run = edit_media},
          media_add_command(),
          media_link_command(),
          media_links_command(),
          media_end_links_command(),
          media_recount_command(),
          {.name = "media delete",
           .summary = "Delete a media from the catalog and from playlists",
           .syntax = {.operands = {kMedia}, .flags = {yes_flag()}, .json = kJsonObject},
           .details = {"Removes the media from every playlist that contains it, deletes its record "
                       "and drops its cached renderings. Every embed of it then responds with 404 "
                       "on all workers; a playlist that contained nothing else cannot be embedded. "
                       "svc-ingest deletes the files of an uploaded media; those of an imported "
                       "one are left alone. If svcctl is interrupted, the same command does the "
                       "rest.",
                       "Prints first how many playlists contain it, and asks; without a terminal "
                       "it needs --yes. An import whose file still has the media creates it again, "
                       "and playlists contain it again if it lists the media."},
           .run = delete_media}}};
  return kGroup;
}

}  // namespace svc::ctl
