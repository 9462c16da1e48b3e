#include "embed/identifier_path.h"

#include <algorithm>
#include <array>

#include "text/ascii.h"

namespace svc::embed {
namespace {

// ECMA-262 §12.7.2 and the words that strict code and modules reserve, with the literals that look
// like names. Sorted.
constexpr std::array<std::string_view, 49> kReserved{
    "arguments", "await",      "break",   "case",    "catch",      "class",     "const",
    "continue",  "debugger",   "default", "delete",  "do",         "else",      "enum",
    "eval",      "export",     "extends", "false",   "finally",    "for",       "function",
    "if",        "implements", "import",  "in",      "instanceof", "interface", "let",
    "new",       "null",       "package", "private", "protected",  "public",    "return",
    "static",    "super",      "switch",  "this",    "throw",      "true",      "try",
    "typeof",    "undefined",  "var",     "void",    "while",      "with",      "yield"};
static_assert(std::is_sorted(kReserved.begin(), kReserved.end()));

bool is_identifier(std::string_view text) {
  if (text.empty() || text::is_digit(text.front())) return false;
  for (const char c : text) {
    if (!text::is_alnum(c) && c != '_' && c != '$') return false;
  }
  return !std::binary_search(kReserved.begin(), kReserved.end(), text);
}

}  // namespace

bool is_identifier_path(std::string_view text, std::size_t max_length) {
  if (text.size() > max_length) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_identifier(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_free_global(std::string_view path) {
  // The window by its other names, in front of the name that counts.
  constexpr std::array<std::string_view, 7> kWindows{"frames", "globalThis", "parent", "self",
                                                     "top",    "window",     "opener"};
  // HTML's Window (§7.2), and the globals of ECMA-262 §19 that scripts of a page lean on.
  constexpr std::array<std::string_view, 76> kTaken{"Array",
                                                    "BigInt",
                                                    "Blob",
                                                    "Boolean",
                                                    "CSS",
                                                    "Date",
                                                    "Document",
                                                    "Element",
                                                    "Error",
                                                    "Event",
                                                    "FormData",
                                                    "Function",
                                                    "HTMLElement",
                                                    "Headers",
                                                    "Infinity",
                                                    "Intl",
                                                    "JSON",
                                                    "Map",
                                                    "Math",
                                                    "MutationObserver",
                                                    "NaN",
                                                    "Node",
                                                    "Number",
                                                    "Object",
                                                    "Promise",
                                                    "Proxy",
                                                    "Reflect",
                                                    "RegExp",
                                                    "Request",
                                                    "Response",
                                                    "Set",
                                                    "String",
                                                    "Symbol",
                                                    "URL",
                                                    "URLSearchParams",
                                                    "WeakMap",
                                                    "WebSocket",
                                                    "Window",
                                                    "Worker",
                                                    "XMLHttpRequest",
                                                    "addEventListener",
                                                    "alert",
                                                    "caches",
                                                    "clearInterval",
                                                    "clearTimeout",
                                                    "close",
                                                    "closed",
                                                    "confirm",
                                                    "console",
                                                    "cookieStore",
                                                    "crypto",
                                                    "customElements",
                                                    "document",
                                                    "event",
                                                    "external",
                                                    "fetch",
                                                    "frameElement",
                                                    "history",
                                                    "indexedDB",
                                                    "isNaN",
                                                    "length",
                                                    "localStorage",
                                                    "location",
                                                    "name",
                                                    "navigator",
                                                    "open",
                                                    "origin",
                                                    "parseInt",
                                                    "performance",
                                                    "postMessage",
                                                    "prompt",
                                                    "requestAnimationFrame",
                                                    "sessionStorage",
                                                    "setInterval",
                                                    "setTimeout",
                                                    "svc"};
  static_assert(std::is_sorted(kTaken.begin(), kTaken.end()));
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view first = path.substr(0, dot);
    if (first == "__proto__" || first == "constructor" || first == "prototype") return false;
    const bool window = std::find(kWindows.begin(), kWindows.end(), first) != kWindows.end();
    if (!window) return !std::binary_search(kTaken.begin(), kTaken.end(), first);
    if (dot == std::string_view::npos) return false;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace svc::embed
