#include "media/playlist.h"

#include "media/record_fields.h"

namespace svc::media {
const std::vector<std::string_view> kPlaylistKeys{"kind", "id", "account_id", "name", "media_ids"};

base::Result<Playlist, std::string> playlist_from_record(text::JsonRecord& record) {
  Playlist playlist;
  playlist.id = read_hashed_id(record, "id");
  playlist.account = {record.integer("account_id", 1, kMaxIntegerId)};
  playlist.name = record.text("name", kMaxNameBytes);
  if (const auto ids = record.array("media_ids")) {
    if (ids->size() > kMaxPlaylistMedias) {
      record.refuse("media_ids",
                    "has more than " + std::to_string(kMaxPlaylistMedias) + " entries");
    }
    for (std::size_t i = 0; i < ids->size() && record.ok(); ++i) {
      const auto text = ids->at(i).string();
      const auto id = HashedId::parse(text.value_or(""));
      if (!id) {
        record.refuse("media_ids[" + std::to_string(i) + "]", "must be 1 to 64 letters and digits");
      } else {
        playlist.media_ids.push_back(*id);
      }
    }
  }
  if (!record.ok()) return base::Refusal{record.error()};
  return playlist;
}

std::string to_record(const Playlist& playlist) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("id", playlist.id.text())
      .integer("account_id", playlist.account.number)
      .string("name", playlist.name);
  text::json::ArrayWriter ids(writer.raw("media_ids"));
  for (const HashedId& id : playlist.media_ids) ids.string(id.text());
  ids.end();
  writer.end();
  return out;
}

}  // namespace svc::media
