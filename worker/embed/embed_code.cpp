#include "embed/embed_code.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/public_paths.h"
#include "embed/embed_request.h"
#include "embed/player_options.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/uri.h"
#include "text/utf8.h"

namespace svc::embed {
namespace {

void append_number(std::string& out, int number) {
  std::array<char, 16> digits{};
  out.append(digits.data(),
             std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

// In an iframe's title `"`, `<` and `>` become similar characters: some clients
// decode entities once too often, and an escaped quote would then end the
// attribute.
void append_iframe_title(std::string& out, const Embeddable& subject) {
  const std::string_view title = subject.title;
  std::size_t plain = 0;  // start of the part without them
  for (std::size_t i = 0; i < title.size(); ++i) {
    const char c = title[i];
    if (c != '"' && c != '<' && c != '>') continue;
    text::append_html_escaped(out, title.substr(plain, i - plain));
    out += c == '"' ? "\u201d" : c == '<' ? "\u2039" : "\u203a";
    plain = i + 1;
  }
  text::append_html_escaped(out, title.substr(plain));
  if (!title.empty()) out += ' ';
  out += subject.is_audio ? "Audio" : "Video";
}

// Appends ` name=value` for each option, as words of a class attribute.
void append_option_words(std::string& out, const PlayerOptions& options) {
  for (const auto& [name, value] : options) {
    out += ' ';
    out += name;  // from the allowlist: needs no escape here
    out += '=';
    text::append_percent_encoded(out, value);
  }
}

// Appends `?name=value&amp;…` for an attribute.
void append_option_query(std::string& out, const PlayerOptions& options) {
  std::string_view separator = "?";
  for (const auto& [name, value] : options) {
    out += separator;
    text::append_percent_encoded(out, name);
    out += '=';
    text::append_percent_encoded(out, value);
    separator = "&amp;";
  }
}

// Appends native height ÷ width in percent, at most two decimals: 56.25.
void append_ratio_percent(std::string& out, const std::optional<media::Dimensions>& native) {
  const media::Dimensions ratio = native.value_or(media::Dimensions{16, 9});
  const int hundredths = (20'000 * ratio.height + ratio.width) / (2 * ratio.width);
  text::json::append_decimal(out, hundredths / 100.0);
  out += '%';
}

// Opens the two wrappers that keep the ratio when the page changes its width.
// `extra` is the height of the player's bar.
void open_responsive(std::string& out, const Embeddable& subject, std::string_view extra) {
  out += R"(<div class="svc_responsive_padding" style="padding:)";
  append_ratio_percent(out, subject.native);
  out += " 0 ";
  out += extra;
  out += R"( 0;position:relative;"><div class="svc_responsive_wrapper" )"
         R"(style="height:100%;left:0;position:absolute;top:0;width:100%;">)";
}
constexpr std::string_view kCloseResponsive = "</div></div>";

// Appends the style of a code that is as wide as its place, in the ratio of the video, and at most
// `most` pixels wide. A film that is not wider than high would be higher than most windows.
void append_fluid_style(std::string& out, const Embeddable& subject, std::optional<int> most) {
  constexpr int kHighest = 640;
  const media::Dimensions ratio = subject.native.value_or(media::Dimensions{16, 9});
  const int divisor = std::gcd(ratio.width, ratio.height);
  if (!most && ratio.width <= ratio.height)
    most = std::max(1, static_cast<int>(std::int64_t{kHighest} * ratio.width / ratio.height));
  out += "aspect-ratio:";
  append_number(out, ratio.width / divisor);
  out += '/';
  append_number(out, ratio.height / divisor);
  if (most) {
    out += ";max-width:";
    append_number(out, *most);
    out += "px";
  }
  out += ";width:100%";
}

// The width that a code must not exceed, if a size was requested.
std::optional<int> widest(const EmbedRequest& request, const Embeddable& subject) {
  if (request.size.empty()) return std::nullopt;
  return fit(request.size, subject.native).width;
}

void append_size_style(std::string& out, media::Dimensions size) {
  out += "height:";
  append_number(out, size.height);
  out += "px;width:";
  append_number(out, size.width);
  out += "px";
}

void append_player_script(std::string& out, const Site& site, std::string_view attributes,
                          std::string_view file, std::string_view loading) {
  out += "<script ";
  out += attributes;
  out += R"(src=")";
  text::append_html_escaped(out, site.base_of(base::paths::kPlayerFiles.hosts));
  out += base::paths::kPlayerFiles.before();
  out += file;
  out += '"';
  out += loading;
  out += "></script>";
}
constexpr std::string_view kLatin1 = R"(charset="ISO-8859-1" )";

void append_iframe(std::string& out, const EmbedRequest& request, const Embeddable& subject,
                   media::Dimensions size, const Site& site) {
  PlayerOptions responsive_options;
  const PlayerOptions* options = &request.options;
  if (request.responsive) {
    responsive_options = request.options;
    responsive_options.add("seo", "true");
    responsive_options.add("videoFoam", "true");
    options = &responsive_options;
    open_responsive(out, subject, "0");
  }
  const std::string_view name = subject.kind == MediaKind::Media ? "svc_embed" : "svc_playlist";
  out += R"(<iframe src=")";
  text::append_html_escaped(out, iframe_url(subject, site));
  append_option_query(out, *options);
  out += R"(" title=")";
  append_iframe_title(out, subject);
  out +=
      R"(" allow="autoplay; fullscreen" allowtransparency="true" frameborder="0" scrolling="no" class=")";
  out += name;
  out += R"(" name=")";
  out += name;
  out += R"(" msallowfullscreen width=")";
  if (request.responsive) {
    out += R"(100%" height="100%)";
  } else {
    append_number(out, size.width);
    out += R"(" height=")";
    append_number(out, size.height);
  }
  out += request.lazy ? R"(" loading="lazy"></iframe>)" : R"("></iframe>)";
  if (request.responsive) out += kCloseResponsive;
  out += '\n';
  append_player_script(out, site, "", "E-v1.js", " async");
}

void append_async(std::string& out, const EmbedRequest& request, const Embeddable& subject,
                  media::Dimensions size, const Site& site) {
  append_player_script(out, site, kLatin1, "E-v1.js", " async");
  PlayerOptions options = request.options;
  if (!request.handle.empty()) options.add("handle", request.handle);
  if (request.responsive) open_responsive(out, subject, "28px");
  out += R"(<div class="svc_embed svc_async_)";
  out += subject.id.value();
  if (request.responsive) out += " videoFoam=true";
  append_option_words(out, options);
  out += R"(" style=")";
  if (request.responsive) {
    out += "height:100%;width:100%";
  } else {
    append_size_style(out, size);
  }
  out += R"(">&nbsp;</div>)";
  if (request.responsive) out += kCloseResponsive;
}

// The encoding of the page is unknown: the text is ASCII.
void append_ascii_attribute(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = text::utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    const bool is_control =
        character.front() == 0x7f || (character.front() >= 0 && character.front() < ' ');
    if (length == 1 && !is_control) {
      text::append_html_escaped(out, character);
    } else {
      const bool is_kept = length > 1 || character == "\t" || character == "\n";
      out += "&#";
      append_number(out, is_kept ? static_cast<int>(text::code_point(character)) : 0xfffd);
      out += ';';
    }
  }
}

// Appends ` player-color="FF7043"` for each option. Names with brackets are not attributes.
void append_option_attributes(std::string& out, const PlayerOptions& options) {
  for (const auto& [name, value] : options) {
    if (name.find('[') != std::string::npos) continue;
    out += ' ';
    for (const char c : name) {
      if (text::to_lower(c) != c) out += '-';
      out += text::to_lower(c);
    }
    out += R"(=")";
    append_ascii_attribute(out, value);
    out += '"';
  }
}

void append_web_component(std::string& out, const EmbedRequest& request, const Embeddable& subject,
                          const Site& site) {
  out += R"(<script src=")";
  text::append_html_escaped(out, site.url(base::paths::kPlayerElement));
  out += "\" async></script>\n";
  out += subject.kind == MediaKind::Media ? R"(<svc-player media-id=")"
                                          : R"(<svc-player playlist-id=")";
  out += subject.id.value();
  out += '"';
  append_option_attributes(out, request.options);
  out += R"( style="display:block;)";
  append_fluid_style(out, subject, widest(request, subject));
  out += R"("></svc-player>)";
}

media::Dimensions size_of_page(const EmbedRequest& request, const Embeddable& subject) {
  return request.size.empty() ? size_in_ratio(subject) : fit(request.size, subject.native);
}

// Sanitizers of other sites drop the style or all attributes but src, width, height,
// allowfullscreen and frameborder: these alone make a frame of the video's ratio, too.
void append_page_iframe(std::string& out, const EmbedRequest& request, const Embeddable& subject,
                        const Site& site) {
  const media::Dimensions size = size_of_page(request, subject);
  out += R"(<iframe src=")";
  text::append_html_escaped(out, iframe_url(subject, site));
  append_option_query(out, request.options);
  out += R"(" title=")";
  append_iframe_title(out, subject);
  out += R"(" width=")";
  append_number(out, size.width);
  out += R"(" height=")";
  append_number(out, size.height);
  out += R"(" style="border:0;height:auto;)";
  append_fluid_style(out, subject, widest(request, subject));
  out += R"(" frameborder="0" allow="autoplay; fullscreen; picture-in-picture" allowfullscreen)";
  if (request.lazy) out += R"( loading="lazy")";
  out += "></iframe>";
}

void append_page_async(std::string& out, const EmbedRequest& request, const Embeddable& subject,
                       const Site& site) {
  append_player_script(out, site, "", "E-v1.js", " async");
  PlayerOptions options = request.options;
  if (!request.handle.empty()) options.add("handle", request.handle);
  out += "\n<div class=\"svc_embed svc_async_";
  out += subject.id.value();
  out += " videoFoam=true";
  append_option_words(out, options);
  out += R"(" style=")";
  append_fluid_style(out, subject, widest(request, subject));
  out += R"(">&nbsp;</div>)";
}

void append_popover(std::string& out, const EmbedRequest& request, const Embeddable& subject,
                    media::Dimensions size, const Site& site) {
  append_player_script(out, site, kLatin1, "E-v1.js", " async");
  out += R"(<span class="svc_embed )";
  out += subject.kind == MediaKind::Media ? "svc_async_" : "svc_playlist_";
  out += subject.id.value();
  out += " popover=true";
  append_option_words(out, request.options);
  out += R"(" style="display:inline-block;)";
  append_size_style(out, request.size.empty() ? media::kPopoverThumbnail : size);
  out += R"(">&nbsp;</span>)";
}

void append_playlist_api(std::string& out, const EmbedRequest& request, const Embeddable& subject,
                         media::Dimensions size, const std::string& style, const Site& site) {
  out += R"(<div id="svc_)" + subject.id.value() + R"(" class="svc_embed" style=")" + style;
  out += R"(" data-video-width=")";
  append_number(out, size.width);
  out += R"(" data-video-height=")";
  append_number(out, size.height);
  out += "\">&nbsp;</div>\n";
  append_player_script(out, site, kLatin1, "playlist-v1.js", "");
  out += "\n<script>\n";
  out += request.handle.empty() ? "svcPlaylist" : request.handle;
  out += " = svc.playlist(\"" + subject.id.value() + "\", ";
  text::json::ObjectWriter options(out);
  for (const auto& [name, value] : request.options) options.string(name, value);
  options.end();
  out += ");\n</script>";
}

void append_open_graph(std::string& out, std::string_view property, std::string_view content) {
  out += R"(<meta property="og:)";
  out += property;
  out += R"(" content=")";
  text::append_html_escaped(out, content);
  out += "\">\n";
}

void append_open_graph_tags(std::string& out, const Embeddable& subject, media::Dimensions size,
                            const Site& site) {
  const std::string iframe = Site::with_watch(iframe_url(subject, site), subject.watch);
  append_open_graph(out, "title", subject.title);
  append_open_graph(out, "type", "video.other");
  append_open_graph(out, "url",
                    subject.kind == MediaKind::Media
                        ? site.media_page(subject.id.value(), subject.watch)
                        : iframe);
  if (!subject.poster.empty()) {
    append_open_graph(out, "image", thumbnail_url(subject, size, site));
    const media::Dimensions image = thumbnail_size(subject, size);
    append_open_graph(out, "image:width", std::to_string(image.width));
    append_open_graph(out, "image:height", std::to_string(image.height));
  }
  if (iframe.starts_with("https://")) append_open_graph(out, "video:secure_url", iframe);
  append_open_graph(out, "video:url", iframe);
  append_open_graph(out, "video:type", "text/html");
  append_open_graph(out, "video:width", std::to_string(size.width));
  append_open_graph(out, "video:height", std::to_string(size.height));
  append_open_graph(out, "site_name", site.provider_name);
  out.pop_back();  // lines are joined by newlines, not ended
}

}  // namespace

std::string iframe_url(const Embeddable& subject, const Site& site) {
  const std::string& id = subject.id.value();
  return subject.kind == MediaKind::Media ? site.url(base::paths::kMediaFrame, id)
                                          : site.playlist_page(id);
}

media::Dimensions thumbnail_size(const Embeddable& subject, media::Dimensions size) {
  constexpr media::Dimensions kLargest{kMaxThumbnailSide, kMaxThumbnailSide};
  const media::Dimensions poster =
      subject.poster_size ? *subject.poster_size : subject.native.value_or(kLargest);
  SizeRequest request;
  request.max_width = std::min(poster.width, kLargest.width);
  request.max_height = std::min(poster.height, kLargest.height);
  return fit(request, size);
}

std::string thumbnail_url(const Embeddable& subject, media::Dimensions size, const Site& site) {
  if (subject.poster.empty()) return {};
  const media::Dimensions picture = thumbnail_size(subject, size);
  std::string url = site.absolute(subject.poster);
  url += url.find('?') == std::string::npos ? "?image_crop_resized=" : "&image_crop_resized=";
  append_number(url, picture.width);
  url += 'x';
  append_number(url, picture.height);
  return url;
}

std::string build_embed_code(const EmbedRequest& request, const Embeddable& subject,
                             media::Dimensions size, const Site& site) {
  std::string out;
  out.reserve(768);
  switch (request.type) {
    case EmbedType::Iframe: append_iframe(out, request, subject, size, site); break;
    case EmbedType::Async:
      if (subject.kind == MediaKind::Media) {
        append_async(out, request, subject, size, site);
      } else {
        append_playlist_api(out, request, subject, size,
                            "width:" + std::to_string(size.width) +
                                "px;height:" + std::to_string(size.height) + "px;",
                            site);
      }
      break;
    case EmbedType::Popover: append_popover(out, request, subject, size, site); break;
    case EmbedType::OpenGraphTags: append_open_graph_tags(out, subject, size, site); break;
    case EmbedType::WebComponent: append_web_component(out, request, subject, site); break;
  }
  return out;
}

media::Dimensions size_in_ratio(const Embeddable& subject) {
  SizeRequest request;
  request.max_width = request.max_height = media::kDefaultDimensions.width;
  return fit(request, subject.native);
}

std::string build_page_code(const EmbedRequest& request, const Embeddable& subject,
                            const Site& site) {
  std::string out;
  if (request.type == EmbedType::Iframe) {
    append_page_iframe(out, request, subject, site);
  } else if (request.type != EmbedType::Async) {
    out = build_embed_code(request, subject, fit(request.size, subject.native), site);
  } else if (subject.kind == MediaKind::Media) {
    append_page_async(out, request, subject, site);
  } else {
    std::string style;
    append_fluid_style(style, subject, widest(request, subject));
    append_playlist_api(out, request, subject, size_of_page(request, subject), style, site);
  }
  return out;
}

}  // namespace svc::embed
