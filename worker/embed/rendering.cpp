#include "embed/rendering.h"

#include <string_view>

#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "text/json.h"
#include "text/markup.h"

namespace svc::embed {
namespace {

// Writes one child element per key. Has the same functions as
// json::ObjectWriter.
class XmlWriter {
 public:
  explicit XmlWriter(std::string& out) : out_(out) {
    out_ += "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<oembed>";
  }
  void string(std::string_view key, std::string_view value) {
    open(key);
    text::append_xml_escaped(out_, value);
    close(key);
  }
  void integer(std::string_view key, int value) {
    open(key);
    out_ += std::to_string(value);
    close(key);
  }
  void decimal(std::string_view key, double value) {
    open(key);
    text::json::append_decimal(out_, value);
    close(key);
  }
  void end() { out_ += "</oembed>\n"; }

 private:
  void open(std::string_view key) { (((out_ += '<') += key)) += '>'; }
  void close(std::string_view key) { (((out_ += "</") += key)) += '>'; }

  std::string& out_;
};

template <class Writer>
void write(Writer& writer, const EmbedRequest& request, const Embeddable& subject, const Site& site,
           std::optional<int> cache_age) {
  const media::Dimensions size = fit(request.size, subject.native);
  writer.string("version", "1.0");
  writer.string("type", subject.is_audio ? "rich" : "video");
  writer.string("html", build_embed_code(request, subject, size, site));
  writer.integer("width", size.width);
  writer.integer("height", size.height);
  writer.string("provider_name", site.provider_name);
  writer.string("provider_url", site.provider_url);
  writer.string("title", subject.title);
  if (!subject.poster.empty()) {
    writer.string("thumbnail_url", thumbnail_url(subject, size, site));
    const media::Dimensions thumbnail = thumbnail_size(subject, size);
    writer.integer("thumbnail_width", thumbnail.width);
    writer.integer("thumbnail_height", thumbnail.height);
  }
  if (request.type == EmbedType::Iframe && !subject.player_color.empty()) {
    writer.string("player_color", subject.player_color);
  }
  if (subject.duration) writer.decimal("duration", *subject.duration);
  if (cache_age) writer.integer("cache_age", *cache_age);
  writer.end();
}

}  // namespace

std::string render(Format format, const EmbedRequest& request, const Embeddable& subject,
                   const Site& site, std::optional<int> cache_age) {
  std::string out;
  out.reserve(2048);
  if (format == Format::Json) {
    text::json::ObjectWriter writer(out);
    write(writer, request, subject, site, cache_age);
  } else {
    XmlWriter writer(out);
    write(writer, request, subject, site, cache_age);
  }
  return out;
}

}  // namespace svc::embed
