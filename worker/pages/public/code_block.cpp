#include "pages/public/code_block.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "text/ascii.h"
#include "text/markup.h"

namespace svc::pages {
namespace {

constexpr std::array<std::string_view, 14> kScriptWords{
    "async",    "await", "const",  "else", "export", "false",  "from",
    "function", "if",    "import", "let",  "new",    "return", "true"};
static_assert(std::ranges::is_sorted(kScriptWords));

bool is_word(char c) { return text::is_alnum(c) || c == '_' || c == '-'; }

std::size_t word_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
}

// Up to and with the end, or the whole text.
std::size_t length_to(std::string_view text, std::string_view end, std::size_t from) {
  const std::size_t at = text.find(end, from);
  return at == std::string_view::npos ? text.size() : at + end.size();
}

struct Piece {
  std::size_t length;
  std::string_view look;  // a class; "": plain
};

// The kind by whose rules a code is coloured.
CodeKind look_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::React:
    case CodeKind::Vue: return CodeKind::Html;
    case CodeKind::Python: return CodeKind::Shell;
    default: return kind;
  }
}

// The first piece of the rest of a code. `before`: the character in front of it.
Piece next_piece(CodeKind kind, std::string_view rest, char before) {
  const bool is_first = before == '\n' || before == ' ';
  const char c = rest.front();
  const bool is_script = kind == CodeKind::Script || kind == CodeKind::Html;
  if (kind == CodeKind::Html && rest.starts_with("<!--")) return {length_to(rest, "-->", 4), "c"};
  if (is_script && is_first && rest.starts_with("//"))
    return {std::min(rest.find('\n'), rest.size()), "c"};
  if (kind == CodeKind::Shell && is_first && c == '#')
    return {std::min(rest.find('\n'), rest.size()), "c"};
  if (c == '"' || c == '\'' || (c == '`' && is_script)) {
    // An apostrophe within a word is not a quotation mark.
    if (c == '\'' && text::is_alnum(before)) return {1, ""};
    std::size_t end = 1;
    while (end < rest.size() && rest[end] != c) {
      if (rest[end] == '\\' && kind != CodeKind::Html) ++end;
      ++end;
    }
    return {std::min(end + 1, rest.size()), "s"};
  }
  if (kind == CodeKind::Html && c == '<') {
    const std::size_t mark = rest.starts_with("</") ? 2 : 1;
    return {mark + word_length(rest.substr(mark)), "k"};
  }
  if (kind == CodeKind::Shell && c == '$' && rest.size() > 1 && is_word(rest[1]))
    return {1 + word_length(rest.substr(1)), "k"};
  if (kind == CodeKind::Header && before == '\n')
    return {std::min(rest.find(':'), rest.size()), "k"};
  if (!is_word(c)) return {1, ""};
  const std::size_t length = word_length(rest);
  const bool is_of_language =
      is_script && std::ranges::binary_search(kScriptWords, rest.substr(0, length));
  return {length, is_of_language && before != '.' && before != '=' ? "k" : ""};
}

}  // namespace

std::string_view name_of(CodeKind kind) {
  constexpr std::array<std::string_view, 8> kNames{"html", "script", "shell", "header",
                                                   "json", "react",  "vue",   "python"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Html code_block(CodeKind kind, std::string_view id, std::string_view code) {
  std::string html = R"(<div class="block"><pre><code class=")";
  html.append(name_of(kind)).append(R"(" id=")");
  text::append_html_escaped(html, id);
  html += "\">";
  char before = '\n';
  const auto append = [&](std::string_view text) {
    // Line feeds stay as they are: they are the lines of the block.
    while (true) {
      const std::size_t end = text.find('\n');
      text::append_html_escaped(html, text.substr(0, end));
      if (end == std::string_view::npos) return;
      html += '\n';
      text.remove_prefix(end + 1);
    }
  };
  while (!code.empty()) {
    const Piece piece = next_piece(look_of(kind), code, before);
    if (!piece.look.empty()) html.append("<span class=\"").append(piece.look).append("\">");
    append(code.substr(0, piece.length));
    if (!piece.look.empty()) html += "</span>";
    before = code[piece.length - 1];
    code.remove_prefix(piece.length);
  }
  html += R"(</code></pre><button type="button" class="copy" data-copy=")";
  text::append_html_escaped(html, id);
  html += R"(" hidden>Copy</button></div>)";
  return Html(html);
}

}  // namespace svc::pages
