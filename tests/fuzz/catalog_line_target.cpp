// One line of an import file.
#include <string>
#include <variant>

#include "ctl/import/catalog_line.h"
#include "fuzz/target.h"
#include "text/utf8.h"

namespace svc::fuzz {
namespace {

// Returns the stored record that is read from a stored record.
template <class T, class Read>
std::string stored_again(const std::string& stored, Read read) {
  text::json::Document document;
  const auto value = document.parse(stored, text::json::Origin::Ours);
  require(static_cast<bool>(value), "a stored record is JSON");
  text::JsonRecord record(*value);
  const base::Result<T, std::string> parsed = read(record);
  require(static_cast<bool>(parsed), "a record that was accepted can be read");
  return to_record(*parsed);
}

struct StoredTwice {
  void operator()(const media::Account& one) const {
    check(to_record(one), stored_again<media::Account>(to_record(one), media::account_from_record));
  }
  void operator()(const ctl::UserLine& one) const {
    const std::string stored = to_record(one);
    check(stored, stored_again<media::Contact>(stored, media::contact_from_record));
  }
  void operator()(const media::Project& one) const {
    check(to_record(one), stored_again<media::Project>(to_record(one), media::project_from_record));
  }
  void operator()(const ctl::ApplicationLine& one) const {
    // A stored client has a sealed secret, so that it can be read.
    oauth::Client client = one;
    client.secrets = {{"sealed", "mac", ""}};
    const std::string stored = to_record(client);
    check(stored, stored_again<oauth::Client>(stored, oauth::client_from_record));
  }
  void operator()(const media::Media& one) const {
    text::json::Document document;
    const std::string stored = to_record(one);
    const auto parsed = media::media_from_stored(document, stored, media::Detail::All);
    require(static_cast<bool>(parsed), "a media that was accepted can be read");
    check(stored, to_record(*parsed));
  }
  void operator()(const media::Playlist& one) const {
    check(to_record(one),
          stored_again<media::Playlist>(to_record(one), media::playlist_from_record));
  }

  static void check(const std::string& stored, const std::string& again) {
    require(stored == again, "a stored record is read as it was written");
    require(text::is_utf8(stored), "a stored record is UTF-8");
  }
};

void run(std::string_view text) {
  static text::json::Document document;
  const auto line = ctl::read_line(document, text);
  if (!line) {
    require(!line.error().empty(), "a refusal has a reason");
    return;
  }
  require(!ctl::name_of(*line).text.empty(), "a record has a name");
  for (const ctl::Name& name : ctl::references_of(*line))
    require(!name.text.empty(), "a reference has a name");
  std::visit(StoredTwice(), *line);
  const auto again = ctl::read_line(document, text, ctl::Seen::Checked);
  require(again && ctl::name_of(*again).text == ctl::name_of(*line).text,
          "an accepted line is accepted again");
}

const Registered registered("catalog_line", run);

}  // namespace
}  // namespace svc::fuzz
