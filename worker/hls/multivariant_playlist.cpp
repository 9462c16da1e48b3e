#include "hls/multivariant_playlist.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "text/ascii.h"

namespace svc::hls {
namespace {

constexpr std::string_view kGroup = "captions";  // the only group
constexpr int kDefaultWidth = 960;  // pixels; starts quickly, and the player can switch up

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  out.append(digits.data(),
             std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// §4.3.4.2: a decimal number, here always with three decimal places.
void append_frame_rate(std::string& out, double rate) {
  const auto thousandths = static_cast<std::int64_t>(std::llround(rate * 1000));
  append_number(out, thousandths / 1000);
  out += '.';
  const auto rest = static_cast<int>(thousandths % 1000);
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
}

// For comparison. Audio without a picture is smaller than any picture.
auto size_of(const Variant& variant) {
  const media::Dimensions size = variant.resolution.value_or(media::Dimensions{});
  return std::tuple(size.width, size.height, variant.bandwidth);
}

std::string absolute(const std::string& url, const std::string& asset_base) {
  return url.starts_with('/') ? asset_base + url : url;
}

// §4.3.4.1.1: a default is selected automatically too, and of members with the
// same language at most one: the default, or else the first.
void choose_auto_select(std::vector<Subtitles>& subtitles) {
  const auto same = [](const Subtitles& a, const Subtitles& b) {
    return text::equal_ignoring_case(a.language, b.language);
  };
  for (Subtitles& one : subtitles) {
    one.auto_select =
        one.by_default || std::ranges::none_of(subtitles, [&](const Subtitles& other) {
          return same(one, other) && (other.by_default || other.auto_select);
        });
  }
}

void append(std::string& out, const Subtitles& subtitles) {
  out += "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"";
  out += kGroup;
  out += "\",NAME=\"";
  out += subtitles.name;
  out += "\",LANGUAGE=\"";
  out += subtitles.language;
  out += subtitles.by_default ? "\",DEFAULT=YES" : "\",DEFAULT=NO";
  out += subtitles.auto_select ? ",AUTOSELECT=YES" : ",AUTOSELECT=NO";
  out += ",FORCED=NO,URI=\"";
  out += subtitles.uri;
  out += "\"\n";
}

}  // namespace

std::optional<MultivariantPlaylist> MultivariantPlaylist::of(const media::Media& media,
                                                             const std::string& asset_base) {
  MultivariantPlaylist playlist;
  std::vector<Variant>& variants = playlist.variants_;
  for (const media::Asset& asset : media.assets) {
    if (asset.type != media::AssetType::Hls) continue;
    variants.push_back({asset.bandwidth, asset.average_bandwidth, asset.codecs, asset.size,
                        asset.frame_rate, absolute(asset.url, asset_base)});
  }
  if (variants.empty()) return std::nullopt;
  std::stable_sort(variants.begin(), variants.end(),
                   [](const Variant& a, const Variant& b) { return a.bandwidth > b.bandwidth; });
  const auto fits = [](const Variant& variant) {
    return variant.resolution && variant.resolution->width <= kDefaultWidth;
  };
  auto first = variants.end();
  for (auto variant = variants.begin(); variant != variants.end(); ++variant) {
    if (fits(*variant) && (first == variants.end() || size_of(*first) < size_of(*variant)))
      first = variant;
  }
  if (first == variants.end()) {
    first =
        std::min_element(variants.begin(), variants.end(), [](const Variant& a, const Variant& b) {
          // The smallest picture; audio only if every variant is audio.
          return std::tuple(!a.resolution, size_of(a)) < std::tuple(!b.resolution, size_of(b));
        });
  }
  std::rotate(variants.begin(), first, first + 1);
  for (const media::Captions& captions : media.captions) {
    if (!captions.is_segmented()) continue;
    playlist.subtitles_.push_back({captions.label, captions.language, captions.by_default, false,
                                   absolute(captions.url, asset_base)});
  }
  choose_auto_select(playlist.subtitles_);
  return playlist;
}

std::string MultivariantPlaylist::to_text() const {
  std::string out;
  out.reserve(64 + (variants_.size() + subtitles_.size()) * 256);
  // INDEPENDENT-SEGMENTS in a multivariant playlist needs version 6, §4.3.5.1
  // and §7.
  out += "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n";
  for (const Subtitles& subtitles : subtitles_) append(out, subtitles);
  for (const Variant& variant : variants_) {
    out += "#EXT-X-STREAM-INF:BANDWIDTH=";
    append_number(out, variant.bandwidth);
    if (variant.average_bandwidth) {
      out += ",AVERAGE-BANDWIDTH=";
      append_number(out, *variant.average_bandwidth);
    }
    if (!variant.codecs.empty()) {
      out += ",CODECS=\"";
      out += variant.codecs;
      out += '"';
    }
    if (variant.resolution) {
      out += ",RESOLUTION=";
      append_number(out, variant.resolution->width);
      out += 'x';
      append_number(out, variant.resolution->height);
    }
    if (variant.frame_rate) {
      out += ",FRAME-RATE=";
      append_frame_rate(out, *variant.frame_rate);
    }
    if (!subtitles_.empty()) {
      out += ",SUBTITLES=\"";
      out += kGroup;
      out += '"';
    }
    out += '\n';
    out += variant.uri;
    out += '\n';
  }
  return out;
}

}  // namespace svc::hls
