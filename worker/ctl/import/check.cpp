#include "ctl/import/check.h"

#include <algorithm>
#include <utility>

#include "library/caption_list.h"
#include "library/open_files.h"
#include "media/email.h"
#include "media/guard.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/people.h"
#include "stores/keys.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kReportEvery = 256;
// Bytes of a line whose record is within each limit: a byte is stored as up to six. Stored fields
// of clients may add to it; then ImportWrite names the line.
constexpr std::size_t kSurelyStored = media::kMaxAccountRecord / 6;

// Whether it may be private or restricted, by its line or its stored record, and has a file that
// svc-keeper could not guard then.
bool may_have_open_file(const media::Media& media) {
  const bool may_be_private = !media.visibility || media.is_private();
  const bool may_have_list = !media.allowed_domains || !media.allowed_domains->empty();
  return !file_elsewhere(
              media, {.is_guarded = may_be_private || may_have_list, .is_private = may_be_private})
              .empty();
}

std::string unreadable(const std::string& key, const std::string& why) {
  return "the stored record " + key + " cannot be read, so it is not overwritten: " + why;
}

// A commit has one account.
std::string why_not_moved(std::optional<media::AccountId> before, media::AccountId after,
                          const std::string& kind) {
  if (!before || *before == after) return "";
  const std::string number = std::to_string(before->value());
  return "account_id must be " + number + ": the " + kind +
         " is of that account. Delete it first (svcctl " + kind + " delete)";
}

// Adds the keys of the values that decide about a line.
void set_keys(Pending& pending) {
  if (const auto* media = std::get_if<media::Media>(&pending.line)) {
    if (may_have_open_file(*media) || !file_in_own_folder(*media).empty())
      pending.keys.push_back(stores::keys::files_owner(media->id));
  } else if (const auto* user = std::get_if<UserLine>(&pending.line)) {
    for (const std::string& spelling : media::spellings_of_email(user->email))
      pending.keys.push_back(stores::keys::contact_email(spelling));
  } else if (pending.name.kind != Kind::Application && pending.name.kind != Kind::Project) {
    pending.keys.clear();
  }
}

}  // namespace

std::string_view file_in_own_folder(const media::Media& media) {
  for (const std::string_view url : media::urls_of(media)) {
    const auto file = media::own_file(url);
    if (file && file->folder == media.id) return url;
  }
  return "";
}

base::Result<StoredUser, std::string> stored_user(text::json::Document& document,
                                                  std::string_view record) {
  const auto value = document.parse(record);
  if (!value) return base::Refusal{std::string(value.error())};
  text::JsonRecord fields(*value);
  StoredUser user;
  if (const auto email = value->find("email")) user.email = email->string().value_or("");
  fields.optional_text("password_hash", record.size());  // of an earlier version
  user.disabled = fields.optional_boolean("disabled", false);
  if (!fields.ok()) return base::Refusal{fields.error()};
  return user;
}

base::Result<oauth::Client, std::string> stored_client(text::json::Document& document,
                                                       std::string_view record) {
  return text::parse_record(document, record, oauth::client_from_record,
                            text::json::Origin::Outside);
}

std::optional<media::Media> stored_media(text::json::Document& document,
                                         std::optional<std::string_view> record) {
  auto media = media::media_from_stored(document, record.value_or(""), media::Detail::All);
  return media ? std::optional(*std::move(media)) : std::nullopt;
}

// An unreadable stored record is overwritten.
media::Media with_choices_of_clients(media::Media line, const std::optional<media::Media>& stored,
                                     std::int64_t now) {
  const std::optional<media::Visibility> visibility = std::exchange(line.visibility, std::nullopt);
  if (stored) {
    line.customizations = stored->customizations;
    line.captions = library::with_set_captions(std::move(line.captions), stored->captions);
    line.chapters_are_set = stored->chapters_are_set;
    if (stored->chapters_are_set) line.chapters = stored->chapters;
    if (stored->set_poster) {
      line.set_poster = media::SetPoster{stored->set_poster->source, line.thumbnail};
      line.thumbnail = stored->thumbnail;
    }
    line.visibility = stored->visibility;
    line.links_from = stored->links_from;
    line.links = stored->links;
    if (!line.allowed_domains) line.allowed_domains = stored->allowed_domains;
    line.folders = stored->folders;
  }
  if (visibility) set_visibility(line, *visibility, now);
  return line;
}

bool ImportCheck::run(const Progress& progress) {
  while (const auto line = file_.next()) {
    if (std::string why = sort(*line); !why.empty()) refused_.add(line->number, std::move(why));
    if (line->number % kReportEvery == 0 && !progress(line->begin, line->number)) return false;
  }
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (!check(static_cast<Kind>(i), progress)) return false;
    file_.must_be_unchanged();
  }
  check_accounts();
  return true;
}

std::string ImportCheck::sort(const LineFile::Line& at) {
  if (at.is_too_long()) return "is longer than " + std::to_string(LineFile::kMaxLine) + " bytes";
  const std::string_view text = file_.text(at);
  if (text.find_first_not_of(" \t") == std::string_view::npos) return "";
  const auto kind = kind_in(document_, text);
  if (!kind) return kind.error();
  lines_[static_cast<std::size_t>(*kind)].push_back(at);
  return "";
}

bool ImportCheck::check(Kind kind, const Progress& progress) {
  Lines& accepted = lines_[static_cast<std::size_t>(kind)];
  const Lines lines = std::exchange(accepted, {});
  const auto is_refused = [this](const LineFile::Line& at, std::string why) {
    if (!why.empty()) refused_.add(at.number, why);
    return !why.empty();
  };
  const auto take_line = [&](const LineFile::Line& at, Batch& batch) {
    is_refused(at, take(at, batch));
  };
  return in_batches(lines, take_line, [&](Batch& batch, std::size_t end) {
    batch.read(store_);
    for (const Pending& pending : batch.all) {
      if (!is_refused(pending.at, why_not(pending))) accepted.push_back(pending.at);
    }
    return progress(lines[end - 1].begin, lines[end - 1].number);
  });
}

std::string ImportCheck::take(const LineFile::Line& at, Batch& batch) {
  auto read = read_line(document_, file_.text(at));
  if (!read) return read.error();
  const auto* list = std::get_if<media::Playlist>(&*read);
  if (list != nullptr && list->media_ids.size() > max_playlist_medias_) {
    return "media_ids has " + std::to_string(list->media_ids.size()) +
           " media; max-playlist-medias allows " + std::to_string(max_playlist_medias_);
  }
  const auto* application = std::get_if<ApplicationLine>(&*read);
  if (application != nullptr && !application->is_public() && !has_keys_) {
    return "client_secret cannot be stored: it is encrypted with a key of key-file, which is not "
           "configured";
  }
  set_keys(batch.add(at, *std::move(read)));
  return "";
}

std::string ImportCheck::why_not(const Pending& pending) {
  std::string why = std::visit(
      [&](const auto& record) { return why_not_replaced(pending, record); }, pending.line);
  if (!why.empty()) return why;
  const auto [defined, is_first] =
      known(pending.name.kind).try_emplace(pending.name.text, pending.at.number);
  if (!is_first) {
    return "defines the same " + std::string(to_text(pending.name.kind)) + " as line " +
           std::to_string(defined->second & ~kRefused);
  }
  why = std::visit([&](const auto& record) { return why_not_guarded(pending, record); },
                   pending.line);
  if (why.empty()) {
    why = std::visit([&](const auto& record) { return why_not_stored(pending, record); },
                     pending.line);
  }
  if (why.empty()) why = missing_reference(pending.line);
  if (!why.empty()) defined->second |= kRefused;
  return why;
}

std::string ImportCheck::why_not_guarded(const Pending& pending, const media::Account& account) {
  if (!account.allowed_domains) return "";
  rules_[account.id.value()] = account.site_rule();
  if (!account.site_rule().is_everywhere()) restricted_.emplace(account.id.value(), pending.at);
  return "";
}

std::string ImportCheck::why_not_replaced(const Pending& pending, const UserLine& user) {
  if (const auto record = pending.stored[0]) {
    const auto before = stored_user(document_, *record);
    if (!before) return unreadable(pending.keys[0], before.error());
  }
  const auto [at, is_first] = emails_.emplace(text::to_lower(user.email), pending.at.number);
  if (!is_first) return "line " + std::to_string(at->second) + " has the same email";
  const auto owner = std::find_if(pending.stored.begin() + 1, pending.stored.end(),
                                  [](const auto& id) { return id.has_value(); });
  if (owner == pending.stored.end() || *owner == pending.name.text) return "";
  return "user " + std::string(**owner) + " already has this email";
}

std::string ImportCheck::why_not_replaced(const Pending& pending,
                                          const ApplicationLine& application) {
  if (!pending.stored[0]) return "";
  const auto before = stored_client(document_, *pending.stored[0]);
  if (!before) return unreadable(pending.keys[0], before.error());
  if (before->type == application.type) return "";
  return "type must be " + oauth::name_of(before->type) +
         ", as it is stored: it stays for the life of an application";
}

std::string ImportCheck::why_not_replaced(const Pending& pending, const media::Media& media) {
  return why_not_moved(media::account_in_stored(document_, pending.stored[0].value_or("")),
                       media.account, "media");
}

std::string ImportCheck::why_not_replaced(const Pending& pending, const media::Project& project) {
  return why_not_moved(media::account_in_stored_project(document_, pending.stored[0].value_or("")),
                       project.account, "project");
}

std::string ImportCheck::why_not_guarded(const Pending& pending, const media::Media& media) {
  if (pending.keys.size() == 1) return "";
  // Otherwise two media would share the files: one could delete those of the other, and neither
  // could be private.
  if (const auto url = file_in_own_folder(media); pending.stored.back() && !url.empty()) {
    stores::CatalogRegistry registry(store_.redis);
    const auto owner = store_.run(registry.owner_of_files(media.id));
    if (owner && owner->id != media.id) {
      return "must not name " + std::string(url) +
             ": a swap gave the files of this media to the media " + owner->id.value();
    }
  }
  return may_have_open_file(media) ? why_not_guarded_as_stored(pending, media) : "";
}

std::string ImportCheck::why_not_guarded_as_stored(const Pending& pending,
                                                   const media::Media& media) {
  const media::Media after =
      with_choices_of_clients(media, stored_media(document_, pending.stored[0]), 0);
  const bool has_rule = after.is_private() || after.allowed_domains;
  const media::Guard guard = guard_of(after, has_rule ? media::SiteRule() : rule_of(media.account));
  const std::string_view url = file_elsewhere(after, guard);
  if (url.empty()) return "";
  std::string_view than;
  if (guard.is_private) {
    if (!media.visibility) than = "as it is stored";
  } else if (!media.allowed_domains) {
    than = has_rule ? "unlike the stored list" : "unlike the list of its account";
  }
  return std::string(guarding_field(guard)) + " " + media::why_not_guarded(guard, url, than);
}

template <class Record>
std::string ImportCheck::why_not_stored(const Pending& pending, const Record& record) {
  if (pending.at.size < kSurelyStored) return "";
  try {
    static_cast<void>(to_record(record));
    return "";
  } catch (const base::Unwritable&) {
    // Unless the stored one is as large.
  }
  try {
    const redis::Reply stored = store_.run(store_.redis.get(key_of(pending.name)));
    static_cast<void>(to_store(document_, record, stored.text()));
    return "";
  } catch (const base::Unwritable& refused) {
    return refused.what();
  }
}

std::string ImportCheck::missing_reference(const CatalogLine& line) {
  for (const Name& name : references_of(line)) {
    const auto [found, is_new] = known(name.kind).try_emplace(name.text, kRefused);
    if (is_new || found->second > kRefused) {
      const redis::Reply exists = store_.run(store_.redis.read({"EXISTS", key_of(name)}));
      found->second = exists.integer() == 1 ? kStored : kRefused;
    }
    if (found->second == kRefused)
      return "refers to the " + std::string(to_text(name.kind)) + " " + name.text +
             ", which is neither in the file nor in the catalog";
  }
  return "";
}

const media::SiteRule& ImportCheck::rule_of(media::AccountId account) {
  const auto [found, is_new] = rules_.try_emplace(account.value());
  if (is_new) {
    stores::People people(store_.redis);
    found->second = store_.run(library::site_rule_of(people, account));
  }
  return found->second;
}

// An account that is refused here has media, so it is stored: lines that refer to it stay valid.
void ImportCheck::check_accounts() {
  stores::CatalogIndex listings(store_.redis);
  stores::People people(store_.redis);
  const auto is_in_file = [this](const media::HashedId& id) {
    const auto found = known(Kind::Media).find(id.value());
    return found != known(Kind::Media).end() && found->second != kStored &&
           (found->second & kRefused) == 0;
  };
  for (const auto& [account, at] : restricted_) {
    if (!store_.run(library::site_rule_of(people, {account})).is_everywhere()) continue;
    const std::string open = store_.run(library::open_file_of(listings, {account}, is_in_file));
    if (open.empty()) continue;
    refused_.add(at.number,
                 std::string(media::kAllowedDomainsField) + " must allow every site: " + open);
    std::erase_if(
        lines_[static_cast<std::size_t>(Kind::Account)],
        [number = at.number](const LineFile::Line& line) { return line.number == number; });
  }
}

}  // namespace svc::ctl
