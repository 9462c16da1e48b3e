// CatalogLine: one line of an import file, checked without the other lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "media/account.h"
#include "media/contact.h"
#include "media/media.h"
#include "media/playlist.h"
#include "oauth/client.h"
#include "text/json.h"

namespace svc::ctl {

struct UserLine : media::Contact {
  std::string password;  // in plain text; empty if the line has a hash or no password
};

struct ApplicationLine : oauth::Client {
  std::string secret;  // in plain text; empty: it is public
};

// In the order of writing: a record is written before the records that refer to it.
enum class Kind : std::uint8_t { Account, User, Project, Application, Media, Playlist };
using CatalogLine = std::variant<media::Account, UserLine, media::Project, ApplicationLine,
                                 media::Media, media::Playlist>;
inline constexpr std::size_t kKinds = std::variant_size_v<CatalogLine>;

inline Kind kind_of(const CatalogLine& line) { return static_cast<Kind>(line.index()); }
std::string_view to_text(Kind kind);

// A record that a line defines or refers to: its kind, and its id in the file.
struct Name {
  Kind kind = Kind::Account;
  std::string text;
};

Name name_of(const CatalogLine& line);
std::vector<Name> references_of(const CatalogLine& line);
// Returns the key of a record in the store.
std::string key_of(const Name& name);

// Returns the kind of a line, or the reason why it has none. read_line() may still refuse it.
base::Result<Kind, std::string> kind_in(text::json::Document& document, std::string_view text);

// Parses a line. The refusal names the key and the allowed values. With Checked, unknown keys are
// not searched for again: the caller has parsed the same bytes before.
enum class Seen { First, Checked };
base::Result<CatalogLine, std::string> read_line(text::json::Document& document,
                                                 std::string_view text, Seen seen = Seen::First);

}  // namespace svc::ctl
