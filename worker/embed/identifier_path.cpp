#include "embed/identifier_path.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "embed/browser_globals.h"
#include "text/ascii.h"

namespace svc::embed {
namespace {

// ECMA-262 §12.7.2, the words that strict code and modules reserve, and
// literals that look like names. Sorted.
constexpr std::array<std::string_view, 49> kReserved{
    "arguments", "await",      "break",   "case",    "catch",      "class",     "const",
    "continue",  "debugger",   "default", "delete",  "do",         "else",      "enum",
    "eval",      "export",     "extends", "false",   "finally",    "for",       "function",
    "if",        "implements", "import",  "in",      "instanceof", "interface", "let",
    "new",       "null",       "package", "private", "protected",  "public",    "return",
    "static",    "super",      "switch",  "this",    "throw",      "true",      "try",
    "typeof",    "undefined",  "var",     "void",    "while",      "with",      "yield"};
static_assert(std::is_sorted(kReserved.begin(), kReserved.end()));

// Segments that lead from an object of the page to an object of the language:
// names that every object inherits, and the prototype of a function. Sorted.
constexpr std::array<std::string_view, 13> kOfObjects{
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",     "__proto__",
    "constructor",      "hasOwnProperty",   "isPrototypeOf",    "propertyIsEnumerable", "prototype",
    "toLocaleString",   "toString",         "valueOf"};
static_assert(std::is_sorted(kOfObjects.begin(), kOfObjects.end()));
static_assert(std::is_sorted(kBrowserGlobals.begin(), kBrowserGlobals.end()));

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
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    if (std::binary_search(kOfObjects.begin(), kOfObjects.end(), rest.substr(0, dot))) return false;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  const std::string_view first = path.substr(0, path.find('.'));
  return !std::binary_search(kBrowserGlobals.begin(), kBrowserGlobals.end(), first);
}

}  // namespace svc::embed
