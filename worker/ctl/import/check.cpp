#include "ctl/import/check.h"

#include <algorithm>
#include <stdexcept>

#include "base/number.h"
#include "ctl/import/run_async.h"
#include "media/email.h"
#include "redis/keys.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kReportEvery = 256;
// So large that passing a piece to the other thread costs little compared to the check.
constexpr std::size_t kPieceLines = 512;
constexpr std::size_t kPieceBytes = 1 << 20;
constexpr std::size_t kMaxRemembered = 100'000;  // cached replies of the store per kind

std::uint64_t hash_of(const std::string& text) { return std::hash<std::string>()(text); }

std::string key_of(const Name& name) {
  switch (name.kind) {
    case Kind::Account: return redis::keys::account({*base::parse_number<std::int64_t>(name.text)});
    case Kind::User: return redis::keys::contact({*base::parse_number<std::int64_t>(name.text)});
    case Kind::Project: return redis::keys::project({name.text});
    case Kind::Application: return redis::keys::client({name.text});
    case Kind::Media: return redis::keys::media(*media::HashedId::parse(name.text));
    case Kind::Playlist: return redis::keys::playlist(*media::HashedId::parse(name.text));
  }
  return {};
}

}  // namespace

LineState to_state(Kind kind) {
  return static_cast<LineState>(static_cast<std::uint8_t>(kind) +
                                static_cast<std::uint8_t>(LineState::FirstKind));
}

Kind to_kind(LineState state) {
  return static_cast<Kind>(static_cast<std::uint8_t>(state) -
                           static_cast<std::uint8_t>(LineState::FirstKind));
}

bool is_one_of(const std::vector<Kind>& kinds, LineState state) {
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](Kind kind) { return to_state(kind) == state; });
}

std::array<unsigned char, 4> fingerprint_of(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  return {static_cast<unsigned char>(hash), static_cast<unsigned char>(hash >> 8),
          static_cast<unsigned char>(hash >> 16), static_cast<unsigned char>(hash >> 24)};
}

// Parses only these fields: an import may correct all others.
base::Result<StoredUser, std::string> stored_user(text::json::Document& document,
                                                  std::string_view record) {
  const auto value = document.parse(record);
  if (!value) return base::Refusal{std::string(value.error())};
  text::JsonRecord fields(*value);
  StoredUser user;
  user.password_hash = fields.optional_text("password_hash", record.size()).value_or("");
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

ImportCheck::ImportCheck(int file, const Store& store, bool has_keys, Progress progress,
                         std::size_t max_playlist_medias)
    : file_(file),
      store_(store),
      has_keys_(has_keys),
      progress_(std::move(progress)),
      max_playlist_medias_(max_playlist_medias) {}

bool ImportCheck::run() {
  if (!read_all()) return false;
  for (std::size_t i = 0; i < kKinds; ++i) refuse_duplicates(static_cast<Kind>(i));
  for (std::size_t i = 0; i < kKinds; ++i) compare_references(static_cast<Kind>(i));
  // If a line is refused, so are the lines that refer to it. So resolve the levels in order.
  const bool done = resolve({Kind::User, Kind::Project, Kind::Application}) &&
                    resolve({Kind::Media}) && resolve({Kind::Playlist});
  std::sort(problems_.begin(), problems_.end(),
            [](const Problem& a, const Problem& b) { return a.line < b.line; });
  return done;
}

bool ImportCheck::read_all() {
  LineReader reader(file_);
  text::json::Document other_document;
  Piece piece;
  Piece other;
  while (true) {
    read(reader, piece);
    read(reader, other);
    if (other.lines.empty()) break;
    auto looked = run_async([&] { look_at(other_document, other); });
    look_at(document_, piece);
    looked.get();
    if (!take(piece) || !take(other)) return false;
  }
  look_at(document_, piece);
  return take(piece);
}

void ImportCheck::read(LineReader& reader, Piece& piece) {
  piece.text.clear();
  piece.lines.clear();
  std::string_view text;
  while (piece.lines.size() < kPieceLines && piece.text.size() < kPieceBytes && reader.next(text)) {
    piece.text += text;
    piece.lines.push_back({piece.text.size(), reader.too_long()});
  }
  piece.bytes_read = reader.bytes_read();
}

void ImportCheck::look_at(text::json::Document& document, Piece& piece) {
  piece.looks.clear();
  std::size_t begin = 0;
  for (const auto [end, too_long] : piece.lines) {
    const auto text = std::string_view(piece.text).substr(begin, end - begin);
    piece.looks.push_back(look_at(document, text, too_long));
    begin = end;
  }
}

ImportCheck::Look ImportCheck::look_at(text::json::Document& document, std::string_view text,
                                       bool too_long) {
  Look look;
  look.line.fingerprint = fingerprint_of(text);
  if (too_long) {
    look.problem = "is longer than " + std::to_string(LineReader::kMaxLine) + " bytes";
    return look;
  }
  if (text.find_first_not_of(" \t") == std::string_view::npos) {
    look.line.state = LineState::Blank;
    return look;
  }
  const auto line = read_line(document, text);
  if (!line) {
    look.problem = line.error();
    return look;
  }
  look.line.state = to_state(line->kind);
  const Name name = name_of(*line);
  look.name = hash_of(name.text);
  for (const Name& reference : references_of(*line))
    look.references.emplace_back(reference.kind, hash_of(reference.text));
  if (line->kind == Kind::User || line->kind == Kind::Application) look.key = key_of(name);
  if (line->kind == Kind::User) {
    look.user = name.text;
    look.email = std::get<UserLine>(line->record).contact.email;
  }
  if (line->kind == Kind::Playlist)
    look.medias = std::get<media::Playlist>(line->record).media_ids.size();
  return look;
}

// One round trip for all users and applications of a piece.
void ImportCheck::compare_stored(Piece& piece) {
  std::vector<Look*> looks;
  std::vector<std::string_view> get{"MGET"};
  for (Look& look : piece.looks) {
    if (look.key.empty()) continue;
    looks.push_back(&look);
    get.push_back(look.key);
  }
  if (looks.empty()) return;
  const redis::Reply stored = store_.run(store_.redis.read(get));
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const auto record = stored.at(i).text();
    if (!record) continue;
    const auto refuse = [&](const auto& read) {
      if (!read)
        looks[i]->problem = "the stored record " + looks[i]->key +
                            " cannot be read, so it is not overwritten: " + read.error();
    };
    if (looks[i]->line.state == to_state(Kind::User)) {
      refuse(stored_user(document_, *record));
    } else {
      refuse(stored_client(document_, *record));
    }
  }
}

bool ImportCheck::take(Piece& piece) {
  compare_stored(piece);
  for (const Look& look : piece.looks) {
    lines_.push_back(look.line);
    take_line(lines_.size(), look);
  }
  return piece.lines.empty() || progress_(piece.bytes_read, lines_.size());
}

void ImportCheck::take_line(std::size_t number, const Look& look) {
  if (!look.problem.empty()) return refuse(number, look.problem);
  if (look.line.state == LineState::Blank) return;
  const Kind kind = to_kind(look.line.state);
  if (kind == Kind::Application && !has_keys_) {
    return refuse(
        number,
        "client_secret cannot be stored: it is encrypted with a key of key-file, which is not "
        "configured");
  }
  if (look.medias > max_playlist_medias_) {
    return refuse(number, "media_ids has " + std::to_string(look.medias) +
                              " media; max-playlist-medias allows " +
                              std::to_string(max_playlist_medias_));
  }
  if (kind == Kind::User) {
    const auto [at, first] = emails_.emplace(text::to_lower(look.email), number);
    if (!first) return refuse(number, "line " + std::to_string(at->second) + " has the same email");
    const std::string owner = email_owner(look.email);
    if (!owner.empty() && owner != look.user) {
      return refuse(number, "user " + owner + " already has this email");
    }
  }
  defined_[static_cast<std::size_t>(kind)].emplace_back(look.name, number);
  for (const auto& [referred, hash] : look.references) refer(referred, hash, number);
}

// Neighbouring lines mostly refer to the same records: skip a mention that is among the last few.
void ImportCheck::refer(Kind kind, Hash hash, std::size_t line) {
  Mentions& mentions = referenced_[static_cast<std::size_t>(kind)];
  constexpr std::size_t kLookBack = 16;
  const std::size_t look = std::min(kLookBack, mentions.size());
  if (std::any_of(mentions.end() - static_cast<std::ptrdiff_t>(look), mentions.end(),
                  [&](const Mention& mention) { return mention.hash() == hash; }))
    return;
  if (mentions.size() == mentions.capacity() && mentions.size() > 1024) keep_first(mentions);
  mentions.emplace_back(hash, line);
}

void ImportCheck::keep_first(Mentions& mentions) {
  std::sort(mentions.begin(), mentions.end());
  const auto same = [](const Mention& a, const Mention& b) { return a.hash() == b.hash(); };
  mentions.erase(std::unique(mentions.begin(), mentions.end(), same), mentions.end());
}

void ImportCheck::refuse(std::size_t line, std::string reason) {
  lines_[line - 1].state = LineState::Refused;
  ++refused_;
  if (problems_.size() < kMaxProblems) problems_.push_back({line, std::move(reason)});
}

void ImportCheck::refuse_duplicates(Kind kind) {
  auto& definitions = defined_[static_cast<std::size_t>(kind)];
  std::sort(definitions.begin(), definitions.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (kept > 0 && definitions[kept - 1].hash() == definitions[i].hash()) {
      refuse(definitions[i].line, "defines the same " + std::string(to_text(kind)) + " as line " +
                                      std::to_string(definitions[kept - 1].line));
    } else {
      definitions[kept++] = definitions[i];
    }
  }
  definitions.erase(definitions.begin() + static_cast<std::ptrdiff_t>(kept), definitions.end());
}

bool ImportCheck::is_defined(const Name& name) const {
  const auto& definitions = defined_[static_cast<std::size_t>(name.kind)];
  const Hash hash = hash_of(name.text);
  const auto at =
      std::lower_bound(definitions.begin(), definitions.end(), hash,
                       [](const Mention& definition, Hash h) { return definition.hash() < h; });
  return at != definitions.end() && at->hash() == hash;
}

// Compares the references to records of this kind with the definitions in the file.
void ImportCheck::compare_references(Kind kind) {
  Mentions& references = referenced_[static_cast<std::size_t>(kind)];
  keep_first(references);
  const Mentions& definitions = defined_[static_cast<std::size_t>(kind)];
  auto at = definitions.begin();
  for (const Mention& reference : references) {
    while (at != definitions.end() && at->hash() < reference.hash()) ++at;
    const bool defined = at != definitions.end() && at->hash() == reference.hash();
    needs_lookup_ |= !defined;
    in_order_ &= !defined || at->line < reference.line;
  }
}

// Reads the lines of these kinds again, but only if the file lacks a record that they may refer to.
bool ImportCheck::resolve(const std::vector<Kind>& kinds) {
  if (!needs_lookup_) return true;
  LineReader reader(file_);
  std::string_view text;
  while (reader.next(text) && reader.number() <= lines_.size()) {
    if (!is_one_of(kinds, lines_[reader.number() - 1].state)) continue;
    const auto line = read_line(document_, text);
    if (!line) throw std::runtime_error("the file changed while it was read");
    for (const Name& name : references_of(*line)) {
      if (is_defined(name) || exists_in_store(name)) continue;
      refuse(reader.number(), "refers to the " + std::string(to_text(name.kind)) + " " + name.text +
                                  ", which is neither in the file nor in the catalog");
      auto& definitions = defined_[static_cast<std::size_t>(line->kind)];
      std::erase_if(definitions,
                    [&](const Mention& definition) { return definition.line == reader.number(); });
      break;
    }
    if (reader.number() % kReportEvery == 0 && !progress_(reader.bytes_read(), reader.number()))
      return false;
  }
  return true;
}

bool ImportCheck::exists_in_store(const Name& name) {
  auto& remembered = in_store_[static_cast<std::size_t>(name.kind)];
  if (const auto found = remembered.find(name.text); found != remembered.end())
    return found->second;
  const redis::Reply reply = store_.run(store_.redis.read({"EXISTS", key_of(name)}));
  const bool exists = reply.integer() == 1;
  if (remembered.size() >= kMaxRemembered) remembered.clear();
  remembered.emplace(name.text, exists);
  return exists;
}

std::string ImportCheck::email_owner(const std::string& email) {
  for (const std::string& spelling : media::spellings_of_email(email)) {
    const redis::Reply reply = store_.run(store_.redis.get(redis::keys::contact_email(spelling)));
    if (const auto owner = reply.text()) return std::string(*owner);
  }
  return "";
}

}  // namespace svc::ctl
