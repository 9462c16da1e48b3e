#include "ctl/import/catalog_line.h"

#include <optional>

#include "base/password_hash.h"
#include "base/paths.h"
#include "captions/language.h"
#include "login/new_password.h"
#include "media/email.h"
#include "oauth/applications.h"
#include "text/json_record.h"

namespace svc::ctl {
namespace {

constexpr std::array<std::string_view, kKinds> kNames{"account",     "user",  "project",
                                                      "application", "media", "playlist"};
constexpr std::size_t kMaxClientSecret = 1024;

std::optional<Kind> parse_kind(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

using Line = base::Result<CatalogLine, std::string>;

// Makes a line of a parsed record, or returns its refusal.
template <class T>
Line as_line(Kind kind, base::Result<T, std::string> parsed) {
  if (!parsed) return base::Refusal{parsed.error()};
  return CatalogLine{kind, Record(std::move(*parsed))};
}

Line read_user(text::JsonRecord& record) {
  UserLine line;
  const auto password = record.optional_text("password", login::kMaxPasswordBytes);
  if (password && password->empty()) record.refuse("password", "must not be empty");
  if (password && !login::can_be_sent(*password))
    record.refuse("password", "must be text without control characters");
  if (password && record.optional_text("password_hash", 512)) {
    record.refuse("password_hash", "must not be set together with password");
  }
  auto contact = media::contact_from_record(record);
  if (!contact) return base::Refusal{contact.error()};
  if (!contact->password_hash.empty() && !base::is_strong_password_hash(contact->password_hash)) {
    return base::Refusal{
        std::string("password_hash is too weak: Argon2id with at least 7 MiB (m) and 35 MiB in all "
                    "passes (m*t), or scrypt with N=2^14 r=8 p=5, or parameters that need as much "
                    "memory (N*r) and work (N*r*p), is allowed")};
  }
  if (base::is_too_expensive_password_hash(contact->password_hash)) {
    return base::Refusal{
        std::string("password_hash is too expensive to verify: Argon2id with at most 128 MiB (m) "
                    "and 384 MiB in all passes (m*t), or scrypt with work (N*r*p) of at most 2^20, "
                    "as of N=2^17 r=8 p=1, is allowed")};
  }
  contact->email = media::canonical_email(contact->email);
  line.contact = std::move(*contact);
  line.password = password.value_or("");
  return CatalogLine{Kind::User, Record(std::move(line))};
}

Line read_application(text::JsonRecord& record) {
  ApplicationLine line;
  auto client = oauth::client_to_register(record);
  if (!client) return base::Refusal{client.error()};
  if (!client->is_public()) {
    line.secret = record.text("client_secret", kMaxClientSecret);
    if (line.secret.empty()) record.refuse("client_secret", "must not be empty");
  } else if (record.optional_text("client_secret", kMaxClientSecret)) {
    record.refuse("client_secret", "must not be set: a public application has none");
  }
  if (!record.ok()) return base::Refusal{record.error()};
  line.client = std::move(*client);
  return CatalogLine{Kind::Application, Record(std::move(line))};
}

// A media whose path is that of another operation could not be seen.
Line read_media(text::JsonRecord& record, Seen seen) {
  auto media = media::media_from_record(record);
  if (media && seen != Seen::Checked &&
      base::paths::kMedia.with(media->id.value()) == base::paths::kMediaMove.pattern)
    return base::Refusal{"hashed_id must not be " + media->id.value()};
  if (media && seen != Seen::Checked) {
    for (const media::Captions& captions : media->captions) {
      const auto language = captions::Language::registered(captions.language);
      if (!language) {
        return base::Refusal{"assets: language must be " +
                             captions::Language::allowed_instead_of(language.error())};
      }
    }
  }
  return as_line(Kind::Media, std::move(media));
}

Name account_name(media::AccountId id) { return {Kind::Account, std::to_string(id.value())}; }

}  // namespace

std::string_view to_text(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Line read_line(text::json::Document& document, std::string_view text, Seen seen) {
  const bool checked_before = seen == Seen::Checked;
  const auto value =
      document.parse(text, checked_before ? text::json::Origin::Ours : text::json::Origin::Outside);
  if (!value) return base::Refusal{"not JSON: " + value.error()};
  text::JsonRecord record(*value);
  if (!checked_before) record.be_strict();
  const std::string kind_text = record.text("kind", 64);
  if (!record.ok()) return base::Refusal{record.error()};
  const auto kind = parse_kind(kind_text);
  if (!kind) {
    return base::Refusal{
        std::string("kind must be one of account, user, project, media, playlist, application")};
  }
  const auto checked = [&](const std::vector<std::string_view>& keys) -> text::JsonRecord& {
    record.allow_only(keys);
    return record;
  };
  switch (*kind) {
    case Kind::Account:
      return as_line(*kind, media::account_from_record(checked(media::kAccountKeys)));
    case Kind::User: return read_user(checked(media::kContactKeys));
    case Kind::Project:
      return as_line(*kind, media::project_from_record(checked(media::kProjectKeys)));
    case Kind::Application: return read_application(checked(oauth::kClientKeys));
    case Kind::Media: return read_media(checked(media::kMediaKeys), seen);
    case Kind::Playlist:
      return as_line(*kind, media::playlist_from_record(checked(media::kPlaylistKeys)));
  }
  return base::Refusal{std::string("kind is unknown")};
}

Name name_of(const CatalogLine& line) {
  switch (line.kind) {
    case Kind::Account: return account_name(std::get<media::Account>(line.record).id);
    case Kind::User:
      return {line.kind, std::to_string(std::get<UserLine>(line.record).contact.id.value())};
    case Kind::Project: return {line.kind, std::get<media::Project>(line.record).id.value()};
    case Kind::Application:
      return {line.kind, std::get<ApplicationLine>(line.record).client.id.value()};
    case Kind::Media: return {line.kind, std::get<media::Media>(line.record).id.value()};
    case Kind::Playlist: return {line.kind, std::get<media::Playlist>(line.record).id.value()};
  }
  return {};
}

std::vector<Name> references_of(const CatalogLine& line) {
  std::vector<Name> names;
  switch (line.kind) {
    case Kind::Account: break;
    case Kind::User:
      for (const auto& membership : std::get<UserLine>(line.record).contact.memberships) {
        names.push_back(account_name(membership.account));
      }
      break;
    case Kind::Project:
      names.push_back(account_name(std::get<media::Project>(line.record).account));
      break;
    case Kind::Application:
      names.push_back(account_name(std::get<ApplicationLine>(line.record).client.account));
      break;
    case Kind::Media: {
      const auto& media = std::get<media::Media>(line.record);
      names.push_back(account_name(media.account));
      if (media.project) names.push_back({Kind::Project, media.project->value()});
      break;
    }
    case Kind::Playlist: {
      const auto& playlist = std::get<media::Playlist>(line.record);
      names.push_back(account_name(playlist.account));
      for (const auto& id : playlist.media_ids) names.push_back({Kind::Media, id.value()});
      break;
    }
  }
  return names;
}

}  // namespace svc::ctl
