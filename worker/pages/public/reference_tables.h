// reference_tables: reads the documents of sources.h. Each fact on the pages for developers that a
// document, a declaration or a configuration has already is read from there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::pages {

// The cells of a table below a heading of a Markdown document, without its head: of the first, if
// `number` is 0. Empty if the document has no such heading or table.
std::vector<std::vector<std::string>> table_below(std::string_view document,
                                                  std::string_view heading, int number = 0);

// A text of Markdown as sentences with code between backticks: without the target of a link and
// the ids of rules.
std::string without_links(std::string_view text);

// The words between backticks.
std::vector<std::string> codes_in(std::string_view text);

// A method or an event in the declarations of the player for TypeScript.
struct DeclaredMember {
  std::string code;   // "time(seconds: number): this"
  std::string about;  // its comment; "": none
};
// The members of an interface, in their order. Overloads follow each other.
std::vector<DeclaredMember> members_of(std::string_view declarations, std::string_view interface);

// A limit of nginx's configuration.
struct RequestLimit {
  std::string rate;     // "20 per second"; "": no limit
  std::string burst;    // at once, before the rate applies
  std::string at_once;  // simultaneous requests; "": no limit
};
// The limit of a zone, such as "token".
RequestLimit limit_of(std::string_view configuration, std::string_view zone);
// The last word of a directive of nginx's configuration as a size: "16 KiB". Aborts if there is no
// such directive: a bug.
std::string size_of(std::string_view configuration, std::string_view directive);

// A version of the changelog, as app::changes() has it.
struct ChangedVersion {
  std::string version;
  std::string date;
  std::vector<std::string> changes;
};
std::vector<ChangedVersion> versions_in(std::string_view changelog);

}  // namespace svc::pages
