#include "ctl/import/check.h"

#include <stdexcept>
#include <utility>

#include "base/number.h"
#include "library/open_files.h"
#include "media/email.h"
#include "stores/catalog_index.h"
#include "stores/catalog_registry.h"
#include "stores/keys.h"
#include "stores/people.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kReportEvery = 256;
constexpr std::size_t kSuspectsAtOnce = 1024;  // their stored records are read together

// "": it has none.
std::string_view file_in_own_folder(const media::Media& media) {
  for (const std::string_view url : media::urls_of(media)) {
    const auto file = media::own_file(url);
    if (file && file->folder == media.id) return url;
  }
  return "";
}

}  // namespace

std::string key_of(const Name& name) {
  switch (name.kind) {
    case Kind::Account:
      return stores::keys::account({*base::parse_number<std::int64_t>(name.text)});
    case Kind::User: return stores::keys::contact({*base::parse_number<std::int64_t>(name.text)});
    case Kind::Project: return stores::keys::project({name.text});
    case Kind::Application: return stores::keys::client({name.text});
    case Kind::Media: return stores::keys::media(*media::HashedId::parse(name.text));
    case Kind::Playlist: return stores::keys::playlist(*media::HashedId::parse(name.text));
  }
  return {};
}

CatalogLine read_again(LineFile& file, text::json::Document& document, const LineFile::Line& line) {
  auto read = read_line(document, file.text(line), Seen::Checked);
  if (!read) throw std::runtime_error("the file changed while it was read");
  return std::move(*read);
}

// Parses only these fields: an import may correct all others.
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
  const auto value = document.parse(record);
  if (!value) return base::Refusal{std::string(value.error())};
  text::JsonRecord fields(*value);
  return oauth::client_from_record(fields);
}

ImportCheck::ImportCheck(LineFile& file, const Store& store, bool has_keys,
                         std::size_t max_playlist_medias)
    : file_(file), store_(store), has_keys_(has_keys), max_playlist_medias_(max_playlist_medias) {}

bool ImportCheck::run(const Progress& progress) {
  while (const auto line = file_.next()) {
    if (std::string why = take(*line); !why.empty()) refused_.add(line->number, std::move(why));
    if (suspects_.size() == kSuspectsAtOnce) judge();
    if (claims_.size() == kSuspectsAtOnce) judge_claims();
    if (line->number % kReportEvery == 0 && !progress(line->begin, line->number)) return false;
  }
  judge_claims();
  judge();
  judge_inherited();
  judge_accounts();
  for (Lines& lines : accepted_)
    std::erase_if(lines, [&](const LineFile::Line& line) { return judged_.contains(line.number); });
  if (in_order_) return true;
  // If a line is refused, so are the lines that refer to it: they are of later kinds.
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (!check_references(static_cast<Kind>(i), progress)) return false;
  }
  return true;
}

std::string ImportCheck::take(const LineFile::Line& line) {
  if (line.is_too_long()) return "is longer than " + std::to_string(LineFile::kMaxLine) + " bytes";
  const std::string_view text = file_.text(line);
  if (text.find_first_not_of(" \t") == std::string_view::npos) return "";
  const auto read = read_line(document_, text);
  if (!read) return read.error();
  const Name name = name_of(*read);
  if (std::string why = refusal_of(*read, name, line.number); !why.empty()) return why;
  const auto [defined, is_first] = known(name.kind).try_emplace(name.text, line.number);
  if (!is_first)
    return "defines the same " + std::string(to_text(name.kind)) + " as line " +
           std::to_string(defined->second);
  for (const Name& other : references_of(*read))
    in_order_ &= known(other.kind).contains(other.text);
  accepted_[static_cast<std::size_t>(name.kind)].push_back(line);
  if (const auto* media = std::get_if<media::Media>(&read->record))
    suspect(line, *media, key_of(name));
  const auto* account = std::get_if<media::Account>(&read->record);
  if (account != nullptr && account->allowed_domains)
    rules_.insert_or_assign(account->id.value(),
                            AccountRule{line, account->site_rule().is_everywhere()});
  return "";
}

// Otherwise two media would share the files: one could delete those of the other, and neither could
// be private.
void ImportCheck::judge_claims() {
  const std::vector<Claim> claims = std::exchange(claims_, {});
  if (claims.empty()) return;
  std::vector<std::string> keys;
  for (const Claim& claim : claims) keys.push_back(stores::keys::files_owner(claim.id));
  std::vector<std::string_view> get{"MGET"};
  get.insert(get.end(), keys.begin(), keys.end());
  const redis::Reply owners = store_.run(store_.redis.read(get));
  stores::CatalogRegistry registry(store_.redis);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!owners.at(i).text()) continue;
    const auto owner = store_.run(registry.find_files_owner(claims[i].id));
    if (owner.use != stores::CatalogRegistry::FilesOwner::Use::Owned) continue;
    const CatalogLine again = read_again(file_, document_, claims[i].line);
    refuse(claims[i].line, name_of(again),
           "must not name " +
               std::string(file_in_own_folder(std::get<media::Media>(again.record))) +
               ": a swap gave the files of this media to the media " + owner.media->id.value());
  }
}

void ImportCheck::suspect(const LineFile::Line& line, const media::Media& media, std::string key) {
  if (!file_in_own_folder(media).empty()) claims_.push_back({line, media.id});
  const bool may_be_private = !media.visibility || media.is_private();
  const bool may_have_list = !media.allowed_domains || !media.allowed_domains->empty();
  const media::Guard most{.is_guarded = may_be_private || may_have_list,
                          .is_private = may_be_private};
  if (!file_elsewhere(media, most).empty())
    suspects_.push_back(
        {line, std::move(key), media.account, media.visibility, media.allowed_domains});
}

void ImportCheck::judge() {
  const std::vector<Suspect> suspects = std::exchange(suspects_, {});
  if (suspects.empty()) return;
  std::vector<std::string_view> get{"MGET"};
  for (const Suspect& suspect : suspects) get.push_back(suspect.key);
  const redis::Reply stored = store_.run(store_.redis.read(get));
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const Suspect& suspect = suspects[i];
    const auto read =
        media::media_from_stored(document_, stored.at(i).text().value_or(""), media::Detail::All);
    const auto before = read ? std::optional(*read) : std::nullopt;
    media::Media after;
    after.visibility = suspect.visibility;
    after.allowed_domains = suspect.allowed_domains;
    if (before && !after.visibility) after.visibility = before->visibility;
    if (before && !after.allowed_domains) after.allowed_domains = before->allowed_domains;
    const media::Guard guard = guard_of(after, {});
    const std::string_view than = guard.is_private
                                      ? (suspect.visibility ? "" : "as it is stored")
                                      : (suspect.allowed_domains ? "" : "unlike the stored list");
    if (!refuse_open_file(suspect.line, before, guard, than) && !after.allowed_domains)
      inheriting_[suspect.account.value()].push_back(suspect.line);
  }
}

void ImportCheck::judge_inherited() {
  for (const auto& [account, lines] : inheriting_) {
    const auto rule = rules_.find(account);
    const bool is_everywhere =
        rule == rules_.end() ? stored_rule({account}).is_everywhere() : rule->second.is_everywhere;
    if (is_everywhere) continue;
    for (const LineFile::Line& line : lines) {
      const CatalogLine again = read_again(file_, document_, line);
      const std::string record = stored(key_of(name_of(again)));
      const auto read = media::media_from_stored(document_, record, media::Detail::All);
      const auto before = read ? std::optional(*read) : std::nullopt;
      refuse_open_file(line, before, {.is_guarded = true}, "unlike the list of its account");
    }
  }
}

void ImportCheck::judge_accounts() {
  stores::CatalogIndex listings(store_.redis);
  for (const auto& [account, rule] : rules_) {
    if (rule.is_everywhere || !stored_rule({account}).is_everywhere()) continue;
    const std::string open =
        store_.run(library::open_file_of(listings, {account}, [this](const media::HashedId& id) {
          return known(Kind::Media).contains(id.value());
        }));
    if (open.empty()) continue;
    refuse(rule.line, name_of(read_again(file_, document_, rule.line)),
           std::string(media::kAllowedDomainsField) + " must allow every site: " + open);
  }
}

bool ImportCheck::refuse_open_file(const LineFile::Line& line,
                                   const std::optional<media::Media>& before,
                                   const media::Guard& guard, std::string_view than) {
  if (!guard.is_guarded) return false;
  const CatalogLine again = read_again(file_, document_, line);
  media::Media media = std::get<media::Media>(again.record);
  if (before) media.folders = before->folders;
  const std::string_view url = file_elsewhere(media, guard);
  if (url.empty()) return false;
  refuse(line, name_of(again),
         std::string(guarding_field(guard)) + " " + why_not_guarded(guard, url, than));
  return true;
}

void ImportCheck::refuse(const LineFile::Line& line, const Name& name, std::string why) {
  if (!judged_.insert(line.number).second) return;
  refused_.add(line.number, std::move(why));
  known(name.kind).erase(name.text);
  in_order_ = false;
}

std::string ImportCheck::stored(const std::string& key) const {
  const redis::Reply reply = store_.run(store_.redis.get(key));
  return std::string(reply.text().value_or(""));
}

media::SiteRule ImportCheck::stored_rule(media::AccountId account) {
  stores::People people(store_.redis);
  return store_.run(library::site_rule_of(people, account));
}

std::string ImportCheck::refusal_of(const CatalogLine& line, const Name& name,
                                    std::uint32_t number) {
  if (const auto* list = std::get_if<media::Playlist>(&line.record);
      list != nullptr && list->media_ids.size() > max_playlist_medias_) {
    return "media_ids has " + std::to_string(list->media_ids.size()) +
           " media; max-playlist-medias allows " + std::to_string(max_playlist_medias_);
  }
  const auto* application = std::get_if<ApplicationLine>(&line.record);
  if (application != nullptr && !application->client.is_public() && !has_keys_) {
    return "client_secret cannot be stored: it is encrypted with a key of key-file, which is not "
           "configured";
  }
  const auto* user = std::get_if<UserLine>(&line.record);
  if (user == nullptr && line.kind != Kind::Application) return "";
  std::vector<std::string> keys{key_of(name)};
  if (user != nullptr) {
    for (const std::string& spelling : media::spellings_of_email(user->contact.email))
      keys.push_back(stores::keys::contact_email(spelling));
  }
  std::vector<std::string_view> get{"MGET"};
  get.insert(get.end(), keys.begin(), keys.end());
  const redis::Reply stored = store_.run(store_.redis.read(get));
  if (const auto record = stored.at(0).text()) {
    const auto why = [](const auto& read) { return read ? std::string() : read.error(); };
    const std::string unreadable = user == nullptr ? why(stored_client(document_, *record))
                                                   : why(stored_user(document_, *record));
    if (!unreadable.empty())
      return "the stored record " + keys[0] +
             " cannot be read, so it is not overwritten: " + unreadable;
    if (application != nullptr) {
      const auto before = stored_client(document_, *record);
      if (before->type != application->client.type)
        return "type must be " + oauth::name_of(before->type) +
               ", as it is stored: it stays for the life of an application";
    }
  }
  if (user == nullptr) return "";
  const auto [at, is_first] = emails_.emplace(text::to_lower(user->contact.email), number);
  if (!is_first) return "line " + std::to_string(at->second) + " has the same email";
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const auto owner = stored.at(i).text();
    if (owner && *owner != name.text)
      return "user " + std::string(*owner) + " already has this email";
    if (owner) break;
  }
  return "";
}

// Refuses the lines of this kind that refer to an unknown record.
bool ImportCheck::check_references(Kind kind, const Progress& progress) {
  Lines& lines = accepted_[static_cast<std::size_t>(kind)];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LineFile::Line line = lines[i];
    const CatalogLine read = read_again(file_, document_, line);
    if (const auto name = missing_reference(read)) {
      known(kind).erase(name_of(read).text);
      refused_.add(line.number, "refers to the " + std::string(to_text(name->kind)) + " " +
                                    name->text +
                                    ", which is neither in the file nor in the catalog");
    } else {
      lines[kept++] = line;
    }
    if (i % kReportEvery == 0 && !progress(line.begin, line.number)) return false;
  }
  lines.resize(kept);
  return true;
}

std::optional<Name> ImportCheck::missing_reference(const CatalogLine& line) {
  for (const Name& name : references_of(line)) {
    const auto [found, is_new] = known(name.kind).try_emplace(name.text, kMissing);
    if (is_new && store_.run(store_.redis.read({"EXISTS", key_of(name)})).integer() == 1)
      found->second = kStored;
    if (found->second == kMissing) return name;
  }
  return std::nullopt;
}

}  // namespace svc::ctl
