// CatalogLine: one line of an import file, checked by itself.
#pragma once

#include <array>
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

// In the order in which they are written: what is referred to comes before what refers to it.
enum class Kind : std::uint8_t { Account, User, Project, Application, Media, Playlist };
inline constexpr std::size_t kKinds = 6;
std::string_view to_text(Kind kind);

struct UserLine {
  media::Contact contact;
  std::string password;  // in clear, empty when the line has a hash or none
};

struct ApplicationLine {
  oauth::Client client;
  std::string secret;  // in clear
};

using Record = std::variant<media::Account, UserLine, media::Project, ApplicationLine, media::Media,
                            media::Playlist>;

struct CatalogLine {
  Kind kind = Kind::Account;
  Record record;
};

// What a line defines or refers to: a thing of a kind, by the name it has in a file.
struct Name {
  Kind kind = Kind::Account;
  std::string text;
};

Name name_of(const CatalogLine& line);
std::vector<Name> references_of(const CatalogLine& line);

// The refusal names the key and what is allowed. Checked: the same bytes went through here before,
// so keys that are not allowed need not be looked for again.
enum class Seen { First, Checked };
base::Result<CatalogLine, std::string> read_line(text::json::Document& document,
                                                 std::string_view text, Seen seen = Seen::First);

}  // namespace svc::ctl
