#include "ctl/import_check.h"

#include <algorithm>

#include "ctl/line_reader.h"
#include "redis/keys.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kReportEvery = 256;
constexpr std::size_t kMaxRemembered = 100'000;  // answers of the store, by kind

std::uint64_t hash_of(const std::string& text) { return std::hash<std::string>()(text); }

std::string key_of(const Name& name) {
  switch (name.kind) {
    case Kind::Account: return redis::keys::account({std::stoll(name.text)});
    case Kind::User: return redis::keys::contact({std::stoll(name.text)});
    case Kind::Project: return redis::keys::project({name.text});
    case Kind::Application: return redis::keys::client({name.text});
    case Kind::Media: return redis::keys::media(*media::HashedId::parse(name.text));
    case Kind::Playlist: return redis::keys::playlist(*media::HashedId::parse(name.text));
  }
  return {};
}

void sort_unique(std::vector<std::uint64_t>& hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace

LineState to_state(Kind kind) {
  return static_cast<LineState>(static_cast<std::uint8_t>(kind) +
                                static_cast<std::uint8_t>(LineState::Account));
}

std::array<unsigned char, 4> fingerprint_of(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  return {static_cast<unsigned char>(hash), static_cast<unsigned char>(hash >> 8),
          static_cast<unsigned char>(hash >> 16), static_cast<unsigned char>(hash >> 24)};
}

ImportCheck::ImportCheck(int file, redis::Connection& store, bool has_keys, Progress progress)
    : file_(file), store_(store), has_keys_(has_keys), progress_(std::move(progress)) {}

bool ImportCheck::run() {
  if (!read_all()) return false;
  for (std::size_t i = 0; i < kKinds; ++i) refuse_duplicates(static_cast<Kind>(i));
  for (auto& hashes : referenced_) sort_unique(hashes);
  // A line that is refused takes with it what refers to it: so one level after the other.
  const bool done = resolve({Kind::User, Kind::Project, Kind::Application}) &&
                    resolve({Kind::Media}) && resolve({Kind::Playlist});
  std::sort(problems_.begin(), problems_.end(),
            [](const Problem& a, const Problem& b) { return a.line < b.line; });
  return done;
}

bool ImportCheck::read_all() {
  LineReader reader(file_);
  std::string_view text;
  while (reader.next(text)) {
    lines_.push_back({LineState::Refused, fingerprint_of(text)});
    if (reader.too_long()) {
      refuse(reader.number(), "is longer than " + std::to_string(LineReader::kMaxLine) + " bytes");
    } else if (text.find_first_not_of(" \t") == std::string_view::npos) {
      lines_.back().state = LineState::Blank;
    } else {
      take_line(reader.number(), text);
    }
    if (reader.number() % kReportEvery == 0 && !progress_(reader.bytes_read(), reader.number()))
      return false;
  }
  return true;
}

void ImportCheck::take_line(std::size_t number, std::string_view text) {
  const auto line = read_line(document_, text);
  if (!line) return refuse(number, line.error());
  if (line->kind == Kind::Application && !has_keys_) {
    return refuse(number,
                  "client_secret cannot be kept: it is sealed with a key of key-file, which is not "
                  "configured");
  }
  if (line->kind == Kind::User) {
    const std::string& email = std::get<UserLine>(line->record).contact.email;
    const auto [at, first] = emails_.emplace(text::to_lower(email), number);
    if (!first)
      return refuse(number, "email is that of line " + std::to_string(at->second) + " already");
    const std::string owner = email_owner(email);
    if (!owner.empty() && owner != name_of(*line).text) {
      return refuse(number, "email is that of user " + owner + " already");
    }
  }
  const std::uint64_t hash = hash_of(name_of(*line).text);
  defined_[static_cast<std::size_t>(line->kind)].push_back({static_cast<std::uint32_t>(hash >> 32),
                                                            static_cast<std::uint32_t>(hash),
                                                            static_cast<std::uint32_t>(number)});
  for (const Name& name : references_of(*line)) refer(name);
  lines_.back().state = to_state(line->kind);
}

// Neighbours mostly refer to the same things, so the last few are compared before one is kept.
void ImportCheck::refer(const Name& name) {
  std::vector<Hash>& hashes = referenced_[static_cast<std::size_t>(name.kind)];
  const Hash hash = hash_of(name.text);
  constexpr std::size_t kLookBack = 16;
  const std::size_t look = std::min(kLookBack, hashes.size());
  if (std::find(hashes.end() - static_cast<std::ptrdiff_t>(look), hashes.end(), hash) !=
      hashes.end())
    return;
  if (hashes.size() == hashes.capacity() && hashes.size() > 1024) sort_unique(hashes);
  hashes.push_back(hash);
}

void ImportCheck::refuse(std::size_t line, std::string reason) {
  lines_[line - 1].state = LineState::Refused;
  ++refused_;
  if (problems_.size() < kMaxProblems) problems_.push_back({line, std::move(reason)});
}

void ImportCheck::refuse_duplicates(Kind kind) {
  auto& definitions = defined_[static_cast<std::size_t>(kind)];
  std::sort(definitions.begin(), definitions.end(), [](const Definition& a, const Definition& b) {
    return a.hash() != b.hash() ? a.hash() < b.hash() : a.line < b.line;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (kept > 0 && definitions[kept - 1].hash() == definitions[i].hash()) {
      refuse(definitions[i].line, "defines the same " + std::string(to_text(kind)) + " as line " +
                                      std::to_string(definitions[kept - 1].line));
    } else {
      definitions[kept++] = definitions[i];
    }
  }
  definitions.resize(kept);
}

bool ImportCheck::is_defined(const Name& name) const {
  const auto& definitions = defined_[static_cast<std::size_t>(name.kind)];
  const Hash hash = hash_of(name.text);
  const auto at =
      std::lower_bound(definitions.begin(), definitions.end(), hash,
                       [](const Definition& definition, Hash h) { return definition.hash() < h; });
  return at != definitions.end() && at->hash() == hash;
}

// Whether anything of this kind is referred to that the file does not define.
bool ImportCheck::needs_lookup(Kind kind) const {
  const auto& definitions = defined_[static_cast<std::size_t>(kind)];
  auto at = definitions.begin();
  for (const Hash hash : referenced_[static_cast<std::size_t>(kind)]) {
    while (at != definitions.end() && at->hash() < hash) ++at;
    if (at == definitions.end() || at->hash() != hash) return true;
  }
  return false;
}

// Reads the file again for lines of these kinds, only when something they may refer to is not in
// it.
bool ImportCheck::resolve(const std::vector<Kind>& kinds) {
  if (!needs_lookup(Kind::Account) && !needs_lookup(Kind::Project) && !needs_lookup(Kind::Media))
    return true;
  LineReader reader(file_);
  std::string_view text;
  while (reader.next(text) && reader.number() <= lines_.size()) {
    const LineState state = lines_[reader.number() - 1].state;
    const bool wanted =
        std::any_of(kinds.begin(), kinds.end(), [&](Kind kind) { return to_state(kind) == state; });
    if (!wanted) continue;
    const auto line = read_line(document_, text);
    if (!line) throw std::runtime_error("the file changed while it was read");
    for (const Name& name : references_of(*line)) {
      if (is_defined(name) || exists_in_store(name)) continue;
      refuse(reader.number(), "refers to the " + std::string(to_text(name.kind)) + " " + name.text +
                                  ", which is neither in the file nor in the catalog");
      auto& definitions = defined_[static_cast<std::size_t>(line->kind)];
      std::erase_if(definitions, [&](const Definition& definition) {
        return definition.line == reader.number();
      });
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
  const bool exists = store_.read({"EXISTS", key_of(name)}).integer() == 1;
  if (remembered.size() >= kMaxRemembered) remembered.clear();
  remembered.emplace(name.text, exists);
  return exists;
}

std::string ImportCheck::email_owner(const std::string& email) {
  const redis::Reply reply = store_.read({"GET", redis::keys::contact_email(email)});
  return std::string(reply.text().value_or(""));
}

}  // namespace svc::ctl
