#include "ctl/import/catalog_line.h"

#include <algorithm>
#include <array>

#include "base/api_paths.h"
#include "base/number.h"
#include "base/password_hash.h"
#include "captions/language.h"
#include "login/new_password.h"
#include "media/email.h"
#include "oauth/applications.h"
#include "stores/keys.h"
#include "text/json_record.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kMaxClientSecret = 1024;

using Line = base::Result<CatalogLine, std::string>;

base::Refusal<std::string> refuse(std::string why) { return {std::move(why)}; }

Line read_user(text::JsonRecord& record, Seen) {
  const auto password = record.optional_text("password", login::kMaxPasswordBytes);
  if (password && password->empty()) record.refuse("password", "must not be empty");
  if (password && !login::can_be_sent(*password))
    record.refuse("password", "must be text without control characters");
  if (password && record.optional_text("password_hash", 512))
    record.refuse("password_hash", "must not be set together with password");
  auto contact = media::contact_from_record(record);
  if (!contact) return refuse(contact.error());
  if (!contact->password_hash.empty() && !base::is_strong_password_hash(contact->password_hash)) {
    return refuse(
        "password_hash is too weak: Argon2id with at least 7 MiB (m) and 35 MiB in all passes "
        "(m*t), or scrypt with N=2^14 r=8 p=5, or parameters that need as much memory (N*r) and "
        "work (N*r*p), is allowed");
  }
  if (base::is_too_expensive_password_hash(contact->password_hash)) {
    return refuse(
        "password_hash is too expensive to verify: Argon2id with at most 128 MiB (m) and 384 MiB "
        "in all passes (m*t), or scrypt with work (N*r*p) of at most 2^20, as of N=2^17 r=8 p=1, "
        "is allowed");
  }
  contact->email = media::canonical_email(contact->email);
  return CatalogLine(UserLine{*std::move(contact), password.value_or("")});
}

Line read_application(text::JsonRecord& record, Seen) {
  auto client = oauth::client_to_register(record);
  if (!client) return refuse(client.error());
  std::string secret;
  if (!client->is_public()) {
    secret = record.text("client_secret", kMaxClientSecret);
    if (secret.empty()) record.refuse("client_secret", "must not be empty");
  } else if (record.optional_text("client_secret", kMaxClientSecret)) {
    record.refuse("client_secret", "must not be set: a public application has none");
  }
  if (!record.ok()) return refuse(record.error());
  return CatalogLine(ApplicationLine{*std::move(client), std::move(secret)});
}

// A media whose path is that of another operation could not be seen.
Line read_media(text::JsonRecord& record, Seen seen) {
  auto media = media::media_from_record(record);
  if (!media) return refuse(media.error());
  if (seen == Seen::Checked) return CatalogLine(*std::move(media));
  if (base::paths::kMedia.with(media->id.value()) == base::paths::kMediaMove.pattern)
    return refuse("hashed_id must not be " + media->id.value());
  for (const media::Captions& captions : media->captions) {
    const auto language = captions::Language::registered(captions.language);
    if (!language) {
      return refuse("assets: language must be " +
                    captions::Language::allowed_instead_of(language.error()));
    }
  }
  return CatalogLine(*std::move(media));
}

template <auto kFromRecord>
Line read_as(text::JsonRecord& record, Seen) {
  auto read = kFromRecord(record);
  if (!read) return refuse(read.error());
  return CatalogLine(*std::move(read));
}

std::int64_t number_in(const std::string& id) { return *base::parse_number<std::int64_t>(id); }
media::HashedId hashed_id_in(const std::string& id) { return *media::HashedId::parse(id); }

struct KindRow {
  std::string_view name;
  const std::vector<std::string_view>& keys;
  Line (*read)(text::JsonRecord& record, Seen seen);
  std::string (*key)(const std::string& id);
};
namespace keys = stores::keys;
// In the order of Kind.
const std::array<KindRow, kKinds> kRows{
    {{"account", media::kAccountKeys, read_as<media::account_from_record>,
      [](const std::string& id) { return keys::account({number_in(id)}); }},
     {"user", media::kContactKeys, read_user,
      [](const std::string& id) { return keys::contact({number_in(id)}); }},
     {"project", media::kProjectKeys, read_as<media::project_from_record>,
      [](const std::string& id) { return keys::project({id}); }},
     {"application", oauth::kClientKeys, read_application,
      [](const std::string& id) { return keys::client({id}); }},
     {"media", media::kMediaKeys, read_media,
      [](const std::string& id) { return keys::media(hashed_id_in(id)); }},
     {"playlist", media::kPlaylistKeys, read_as<media::playlist_from_record>,
      [](const std::string& id) { return keys::playlist(hashed_id_in(id)); }}}};

const KindRow& row_of(Kind kind) { return kRows.at(static_cast<std::size_t>(kind)); }

base::Result<Kind, std::string> kind_of(text::JsonRecord& record) {
  const std::string kind = record.text("kind", 64);
  if (!record.ok()) return refuse(record.error());
  const auto* const row = std::ranges::find(kRows, kind, &KindRow::name);
  if (row == kRows.end())
    return refuse("kind must be one of account, user, project, media, playlist, application");
  return static_cast<Kind>(row - kRows.begin());
}

std::string text_of(std::int64_t id) { return std::to_string(id); }
std::string text_of(const std::string& id) { return id; }

}  // namespace

std::string_view to_text(Kind kind) { return row_of(kind).name; }

std::string key_of(const Name& name) { return row_of(name.kind).key(name.text); }

base::Result<Kind, std::string> kind_in(text::json::Document& document, std::string_view text) {
  // Most lines begin with it, and parsing takes a third of the time of a check.
  constexpr std::string_view kBegin = "{\"kind\":\"";
  if (text.starts_with(kBegin)) {
    const std::string_view rest = text.substr(kBegin.size());
    const auto* const row =
        std::ranges::find(kRows, rest.substr(0, rest.find('"')), &KindRow::name);
    if (row != kRows.end()) return static_cast<Kind>(row - kRows.begin());
  }
  const auto value = document.parse(text, text::json::Origin::Outside);
  if (!value) return refuse("not JSON: " + value.error());
  text::JsonRecord record(*value);
  return kind_of(record);
}

Line read_line(text::json::Document& document, std::string_view text, Seen seen) {
  const bool is_new = seen == Seen::First;
  const auto value =
      document.parse(text, is_new ? text::json::Origin::Outside : text::json::Origin::Ours);
  if (!value) return refuse("not JSON: " + value.error());
  text::JsonRecord record(*value);
  if (is_new) record.be_strict();
  const auto kind = kind_of(record);
  if (!kind) return refuse(kind.error());
  record.allow_only(row_of(*kind).keys);
  return row_of(*kind).read(record, seen);
}

Name name_of(const CatalogLine& line) {
  return {kind_of(line),
          std::visit([](const auto& record) { return text_of(record.id.value()); }, line)};
}

std::vector<Name> references_of(const CatalogLine& line) {
  std::vector<Name> names;
  const auto add = [&](Kind kind, const auto& id) { names.push_back({kind, text_of(id.value())}); };
  const auto add_all = [&](const auto& record) {
    if constexpr (requires { record.memberships; }) {
      for (const media::Membership& one : record.memberships) add(Kind::Account, one.account);
    }
    if constexpr (requires { record.account; }) add(Kind::Account, record.account);
    if constexpr (requires { record.project; }) {
      if (record.project) add(Kind::Project, *record.project);
    }
    if constexpr (requires { record.media_ids; }) {
      for (const media::HashedId& id : record.media_ids) add(Kind::Media, id);
    }
  };
  std::visit(add_all, line);
  return names;
}

}  // namespace svc::ctl
