#include "embed/embed_request.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/fields.h"
#include "embed/identifier_path.h"

namespace svc::embed {
namespace {

using base::Field;

constexpr std::size_t kMaxHandleLength = 64;

// The names for media and for playlists. Each name also works for the other
// kind and selects the corresponding type. The first name of a type is permanent:
// append_variant() writes it.
constexpr std::array<std::pair<std::string_view, EmbedType>, 8> kTypes{
    {{"iframe", EmbedType::Iframe},
     {"async", EmbedType::Async},
     {"async_popover", EmbedType::Popover},
     {"playlist_iframe", EmbedType::Iframe},
     {"playlist_api", EmbedType::Async},
     {"playlist_popover", EmbedType::Popover},
     {"open_graph_tags", EmbedType::OpenGraphTags},
     {"web_component", EmbedType::WebComponent}}};

std::optional<EmbedType> parse_type(std::string_view text) {
  for (const auto& [name, type] : kTypes) {
    if (text == name) return type;
  }
  return std::nullopt;
}

std::optional<std::string> parse_handle(std::string_view text) {
  if (!is_identifier_path(text, kMaxHandleLength) || !is_free_global(text)) return std::nullopt;
  return std::string(text);
}

std::optional<bool> parse_true(std::string_view text) { return text == "true"; }

std::optional<bool> parse_loading(std::string_view text) {
  if (text != "lazy" && text != "eager") return std::nullopt;
  return text == "lazy";
}

// Compiles only with a name in kEmbedParameters.
struct Name {
  std::string_view text;

  // NOLINTNEXTLINE(google-explicit-constructor): callers pass a literal
  consteval Name(const char* name) : text(name) {
    if (std::ranges::find(kEmbedParameters, text) == kEmbedParameters.end())
      throw "a parameter that is not in kEmbedParameters";
  }
};

// The parameters of the oEmbed request, and those in the query of the media URL. A parameter with
// an invalid value counts as absent.
struct Parameters {
  const text::Form& top;
  const text::Form& own;

  template <class Value>
  static std::optional<Value> find(const text::Form& form, Name name,
                                   std::optional<Value> (*parse)(std::string_view)) {
    for (const text::FormField& field : form.fields()) {
      if (field.name != name.text) continue;
      if (auto value = parse(field.value)) return value;
    }
    return std::nullopt;
  }

  template <class Value>
  std::optional<Value> first(Name name, std::optional<Value> (*parse)(std::string_view)) const {
    auto value = find(top, name, parse);
    return value ? value : find(own, name, parse);
  }

  std::optional<int> side(Name name, Name alias) const {
    const auto value = first(name, parse_side);
    return value ? value : first(alias, parse_side);
  }

  std::optional<int> smaller(Name name) const {
    const auto a = find(top, name, parse_side);
    const auto b = find(own, name, parse_side);
    return a && b ? std::min(a, b) : a ? a : b;
  }

  PlayerOptions options() const {
    PlayerOptions options;
    for (const text::Form* form : {&top, &own}) {
      for (const auto& [name, value] : form->fields()) {
        if (is_player_option(name)) options.add(name, value);
      }
    }
    return options;
  }
};

// What precedes a member in a variant. Permanent, as workers of other versions read it.
struct OfKey {};  // the member is not in a variant: the key of cached renderings has it
constexpr auto kSizes = base::describe<SizeRequest>(
    Field{"w", &SizeRequest::width}, Field{"h", &SizeRequest::height},
    Field{"W", &SizeRequest::max_width}, Field{"H", &SizeRequest::max_height});
constexpr auto kMembers = base::describe<EmbedRequest>(
    Field{"", &EmbedRequest::kind, OfKey{}}, Field{"", &EmbedRequest::id, OfKey{}},
    Field{"", &EmbedRequest::type}, Field{"", &EmbedRequest::size},
    Field{"r", &EmbedRequest::responsive}, Field{"n", &EmbedRequest::handle},
    Field{"l", &EmbedRequest::lazy}, Field{"o", &EmbedRequest::options});

// A name, not a number: workers of another version may number the types differently.
void append(std::string& out, std::string_view /*before*/, EmbedType type) {
  for (const auto& [name, named] : kTypes) {
    if (named == type) {
      (out += name) += ' ';
      return;
    }
  }
}

void append(std::string& out, std::string_view before, const std::optional<int>& number) {
  if (number) (out += before) += std::to_string(*number);
}

void append(std::string& out, std::string_view /*before*/, const SizeRequest& size) {
  base::for_each(kSizes, [&](const auto& row) { append(out, row.name, size.*row.member); });
}

void append(std::string& out, std::string_view before, std::same_as<bool> auto value) {
  if (value) out += before;
}

// With its length, so that a client's value cannot look like another member.
void append_text(std::string& out, std::string_view before, std::string_view text) {
  ((out += before) += std::to_string(text.size())) += ':';
  out += text;
}

void append(std::string& out, std::string_view before, const std::string& text) {
  if (!text.empty()) append_text(out, before, text);
}

void append(std::string& out, std::string_view before, const PlayerOptions& options) {
  for (const auto& [name, value] : options) {
    append_text(out, before, name);
    append_text(out, "=", value);
  }
}

}  // namespace

EmbedRequest read_embed_request(const MediaUrl& url, const text::Form& top_level) {
  const text::Form own = url.query.empty() ? text::Form() : text::Form::parse(url.query);
  const Parameters given{top_level, own};
  EmbedRequest request;
  request.kind = url.kind;
  request.id = media::HashedId::parse(url.id).value_or(media::HashedId());
  request.type = given.first("embedType", parse_type).value_or(EmbedType::Iframe);
  if (request.type == EmbedType::Async && given.first("popover", parse_true).value_or(false))
    request.type = EmbedType::Popover;
  request.size.width = given.side("width", "videoWidth");
  request.size.height = given.side("height", "videoHeight");
  request.size.max_width = given.smaller("maxwidth");
  request.size.max_height = given.smaller("maxheight");
  if (request.type == EmbedType::Async)
    request.handle = given.first("handle", parse_handle).value_or("");
  // The default handle is not written, so a request for it equals a request
  // without a handle.
  if (request.handle == (request.kind == MediaKind::Media ? "svcEmbed" : "svcPlaylist"))
    request.handle.clear();
  if (request.type == EmbedType::Iframe)
    request.lazy = given.first("loading", parse_loading).value_or(false);
  request.options = given.options();
  const bool may_respond = request.type == EmbedType::Iframe ||
                           (request.type == EmbedType::Async && request.kind == MediaKind::Media);
  request.responsive = may_respond && given.first("videoFoam", parse_true).value_or(false);
  // A web component always is.
  if (request.responsive || request.type == EmbedType::WebComponent) {
    request.options.remove("videoFoam");
  }
  return request;
}

void carry_link(EmbedRequest& request, const Embeddable& subject) {
  request.options.remove(kWatch);
  if (!subject.watch.empty()) request.options.add(kWatch, subject.watch);
}

void append_variant(std::string& out, const EmbedRequest& request) {
  base::for_each(kMembers, [&](const auto& row) {
    if constexpr (!std::is_same_v<decltype(row.rule), OfKey>)
      append(out, row.name, request.*row.member);
  });
}

}  // namespace svc::embed
