// Media: one video, audio or document of an account, as the catalog knows it.
//
// The store keeps it as two lines of JSON with the keys of the import format: first what an embed
// needs, which most requests are for, then the rest. So most readers parse a third of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "media/id.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::media {

struct Dimensions {
  int width = 0;
  int height = 0;
  bool operator==(const Dimensions&) const = default;
};

struct Thumbnail {
  std::string url;
  std::optional<Dimensions> size;
};

enum class AssetType { Hls, Mp4 };

struct Asset {
  AssetType type = AssetType::Hls;
  std::string url;                 // absolute, or a path below the asset base
  std::optional<Dimensions> size;  // none for sound alone
  std::int64_t bandwidth = 0;      // peak, bit/s
  std::optional<std::int64_t> average_bandwidth;
  std::string codecs;                // RFC 6381, empty when unknown
  std::optional<double> frame_rate;  // frames a second
};

enum class Status { Queued, Processing, Ready, Failed };
std::string_view to_text(Status status);  // as in an import line

struct Media {
  HashedId id;
  AccountId account;
  std::optional<ProjectId> project;
  std::string type;         // Video, Audio, Image, PdfDocument, …
  std::string name;         // written by people, never trusted
  std::string description;  // HTML written by people, never trusted
  Status status = Status::Queued;
  std::optional<double> duration;    // seconds
  std::optional<Dimensions> native;  // pixels
  std::string player_color;          // six hex digits or empty
  std::optional<Thumbnail> thumbnail;
  std::string created;  // RFC 3339
  std::string updated;  // RFC 3339
  std::vector<Asset> assets;

  bool is_video() const { return type == "Video"; }
};

// One line of an import file. Refuses with a sentence that names the key. Keys that it does not
// know are left alone, unless the caller asked for allow_only(kMediaKeys) before.
base::Result<Media, std::string> media_from_record(text::JsonRecord& record);

// The two lines, without an end behind the second. from_stored() reads them back; what it is not
// asked for stays empty: project, description, times and assets.
std::string to_record(const Media& media);
enum class Detail { Embed, All };
base::Result<Media, std::string> media_from_stored(text::json::Document& document,
                                                   std::string_view text, Detail detail);

extern const std::vector<std::string_view> kMediaKeys;

}  // namespace svc::media
