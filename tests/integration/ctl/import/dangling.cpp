#include "integration/ctl/import/dangling.h"

#include <stdexcept>
#include <utility>

#include "base/result.h"
#include "media/account.h"
#include "media/contact.h"
#include "media/media.h"
#include "media/playlist.h"
#include "oauth/client.h"
#include "redis/keys.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::integration {
namespace {

template <class T>
T must(base::Result<T, std::string> result) {
  if (!result) throw std::runtime_error(result.error());
  return std::move(*result);
}

template <class T>
T read(const std::string& text, base::Result<T, std::string> from_record(text::JsonRecord&)) {
  text::json::Document document;
  text::JsonRecord record(must(document.parse(text)));
  return must(from_record(record));
}

}  // namespace

std::vector<std::string> dangling(const std::map<std::string, std::string>& dump) {
  std::vector<std::string> missing;
  for (const auto& [key, value] : dump) {
    const auto needs = [&, &from = key](const std::string& other) {
      if (!dump.contains(other)) missing.push_back(from + " → " + other);
    };
    if (key.starts_with("catalog:media:")) {
      text::json::Document document;
      const media::Media media = must(media_from_stored(document, value, media::Detail::All));
      needs(redis::keys::account(media.account));
      if (media.project) needs(redis::keys::project(*media.project));
    } else if (key.starts_with("catalog:playlist:")) {
      const media::Playlist playlist = read(value, media::playlist_from_record);
      needs(redis::keys::account(playlist.account));
      for (const media::HashedId& id : playlist.media_ids) needs(redis::keys::media(id));
    } else if (key.starts_with("catalog:project:")) {
      needs(redis::keys::account(read(value, media::project_from_record).account));
    } else if (key.starts_with("catalog:contact:")) {
      const media::Contact contact = read(value, media::contact_from_record);
      for (const auto& membership : contact.memberships) {
        needs(redis::keys::account(membership.account));
      }
      needs(redis::keys::contact_email(contact.email));
    } else if (key.starts_with("catalog:contact_email:")) {
      needs("catalog:contact:" + value);
    } else if (key.starts_with("oauth:client:")) {
      needs(redis::keys::account(read(value, oauth::client_from_record).account));
    } else if (key.starts_with("oauth:account_clients:")) {
      needs("catalog:account:" + key.substr(key.rfind(':') + 1));
    } else if (!key.starts_with("catalog:account:") && !key.starts_with("oauth:deleted_client:") &&
               key != "oauth:ending_clients") {
      missing.push_back(key + " is no key of ours");
    }
  }
  return missing;
}

}  // namespace svc::integration
