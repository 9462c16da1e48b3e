#include "embed/renderings.h"

namespace svc::embed {
namespace {

void append_number(std::string& out, char name, const std::optional<int>& value) {
  if (value) out += name + std::to_string(*value);
}

// With its length, so that a client's value cannot look like another option.
void append_text(std::string& out, char name, std::string_view text) {
  out += name + std::to_string(text.size()) + ':';
  out += text;
}

// Names instead of numbers: workers of another version, which may number the
// types differently, read them too.
std::string_view name_of(Format format) {
  switch (format) {
    case Format::Json: return "json";
    case Format::Xml: return "xml";
  }
  return "";
}

std::string_view name_of(EmbedType type) {
  switch (type) {
    case EmbedType::Iframe: return "iframe";
    case EmbedType::Async: return "async";
    case EmbedType::Popover: return "async_popover";
    case EmbedType::OpenGraphTags: return "open_graph_tags";
  }
  return "";
}

}  // namespace

std::string variant_of(Format format, const EmbedRequest& request) {
  std::string out(name_of(format));
  out += ' ';
  out += name_of(request.type);
  out += ' ';
  append_number(out, 'w', request.size.width);
  append_number(out, 'h', request.size.height);
  append_number(out, 'W', request.size.max_width);
  append_number(out, 'H', request.size.max_height);
  if (request.responsive) out += 'r';
  if (!request.handle.empty()) append_text(out, 'n', request.handle);
  for (const PlayerOptions::Option& option : request.options) {
    append_text(out, 'o', option.name);
    append_text(out, '=', option.value);
  }
  return out;
}

}  // namespace svc::embed
