// examples: media that several tests use.
#pragma once

#include <string>
#include <vector>

#include "media/media.h"
#include "media/playlist.h"

namespace svc::fakes {

inline media::HashedId hashed_id(const std::string& text) {
  return media::HashedId::parse(text).value();
}

// A ready 16:9 video with every field that an oEmbed response can contain.
inline media::Media example_video(const std::string& id = "l4unchf1lm") {
  media::Media video;
  video.id = hashed_id(id);
  video.account = {1001};
  video.type = "Video";
  video.name = "Launch film";
  video.status = media::Status::Ready;
  video.duration = 16.43;
  video.native = media::Dimensions{1920, 1080};
  video.player_color = "54bbff";
  video.thumbnail =
      media::Thumbnail{"/deliveries/" + id + "/poster.jpg", media::Dimensions{1920, 1080}};
  video.created = "2026-03-01T10:00:00Z";
  video.updated = "2026-06-10T08:30:00Z";
  return video;
}

inline media::Playlist example_playlist(const std::vector<std::string>& media_ids,
                                        const std::string& id = "pl4yl1st01") {
  media::Playlist playlist;
  playlist.id = hashed_id(id);
  playlist.account = {1001};
  playlist.name = "Launch week";
  for (const std::string& media_id : media_ids) playlist.media_ids.push_back(hashed_id(media_id));
  return playlist;
}

}  // namespace svc::fakes
