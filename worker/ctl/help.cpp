#include "ctl/help.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "text/word_list.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kNames = 11;  // in the overview; the longest name is "completion"
// The maximum width of the name column, including two spaces. The help of a
// longer name begins on the next line.
constexpr std::size_t kMostIndent = 30;

// Without a title of its own, a section follows under the title before: the help fits on a screen.
constexpr std::array<std::pair<Section, std::string_view>, 3> kSections{
    std::pair(Section::Catalog, "Catalog and access"), std::pair(Section::Access, ""),
    std::pair(Section::Pools, "Pools and svcctl")};

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(std::max(width, text.size() + 1) - text.size(), ' ');
}

// Appends `words` to `line`, wrapped at kColumns; further lines are indented by
// `indent` spaces. Ends with a newline.
template <class Words>
std::string wrapped(std::string line, const Words& words, std::size_t indent) {
  std::string text;
  bool is_begun = line.find_first_not_of(' ') != std::string::npos && line.back() != ' ';
  for (const std::string_view word : words) {
    if (is_begun && line.size() + 1 + word.size() > kColumns) {
      text += line + "\n";
      line = std::string(indent, ' ');
      is_begun = false;
    }
    if (is_begun) line += ' ';
    line += word;
    is_begun = true;
  }
  return text + line + "\n";
}

// An entry of a list: a name and its description, wrapped.
std::string entry(std::string_view name, std::size_t width, const std::string& what) {
  return wrapped("  " + padded(name, width), text::words(what), width + 2);
}

// On one line: without the subjects if they leave too little room.
std::string summary_of(const Group& group) {
  if (group.subjects.empty()) return std::string(group.commands.front().summary);
  const std::string names = text::joined(names_in(group));
  const std::string text = std::string(group.subjects) + ": " + names;
  return 2 + kNames + text.size() <= kColumns ? text : names;
}

}  // namespace

std::vector<std::string_view> names_in(const Group& group) {
  std::vector<std::string_view> names;
  for (const Command& command : group.commands) {
    if (command.name != group.name) names.push_back(command.name.substr(group.name.size() + 1));
  }
  return names;
}

std::string to_text(const Flag& flag) {
  if (flag.takes.name.empty()) return std::string(flag.name);
  return std::string(flag.name) + " " + std::string(flag.takes.name);
}

std::string overview(const Commands& all) {
  std::string text = "usage: svcctl [--SETTING VALUE]... COMMAND [ARGUMENT]...\n";
  for (const auto& [section, title] : kSections) {
    if (!title.empty()) text += std::string(title) + "\n";
    for (const Group* group : all) {
      if (group->section == section) text += entry(group->name, kNames, summary_of(*group));
    }
  }
  return text;
}

std::vector<std::string> synopsis_words(const Command& command) {
  std::vector<std::string> words;
  for (const Operand& operand : command.syntax.operands) {
    const std::string name(operand.takes.name);
    switch (operand.count) {
      case Operand::Count::One: words.push_back(name); break;
      case Operand::Count::Optional: words.push_back("[" + name + "]"); break;
      case Operand::Count::Any: words.push_back("[" + name + "]..."); break;
    }
  }
  const std::vector<Flag> flags = all_flags(command.syntax);
  for (const Flag& flag : flags) {
    if (flag.required) words.push_back(to_text(flag) + (flag.repeats ? "..." : ""));
  }
  for (const Flag& flag : flags) {
    if (!flag.required) words.push_back("[" + to_text(flag) + "]" + (flag.repeats ? "..." : ""));
  }
  return words;
}

std::string synopsis(const Command& command) {
  return wrapped("svcctl " + std::string(command.name), synopsis_words(command), 8);
}

// Adds the words that it takes, unless its name has them, as in "yes|no".
std::string with_choices(const Takes& takes, std::string_view help) {
  std::string text(help);
  const bool has_own_name = takes.name.find('|') == std::string_view::npos;
  if (takes.type == Takes::Type::Choice && has_own_name)
    text += " (" + text::joined(takes.choices) + ")";
  return text;
}

std::string help_of(const Command& command) {
  std::string text = synopsis(command) + "  " + std::string(command.summary) + ".\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Operand& operand : command.syntax.operands)
    rows.emplace_back(operand.takes.name, with_choices(operand.takes, operand.help));
  for (const Flag& flag : all_flags(command.syntax)) {
    rows.emplace_back(to_text(flag), with_choices(flag.takes, flag.help) +
                                         (flag.repeats ? "; may be given several times" : ""));
  }
  std::size_t width = 0;
  for (const auto& [name, help] : rows) {
    if (name.size() + 2 <= kMostIndent) width = std::max(width, name.size() + 2);
  }
  if (!rows.empty()) text += "\n";
  for (const auto& [name, help] : rows) {
    if (name.size() + 2 <= width) {
      text += entry(name, width, help);
    } else {
      text +=
          "  " + name + "\n" + wrapped(std::string(width + 2, ' '), text::words(help), width + 2);
    }
  }
  for (std::string_view paragraph : command.details) {
    text += "\n";
    if (!paragraph.starts_with(' ')) {
      text += wrapped("  ", text::words(paragraph), 2);
      continue;
    }
    while (!paragraph.empty()) {
      const std::string_view line = paragraph.substr(0, paragraph.find('\n'));
      text += "  " + std::string(line) + "\n";
      paragraph.remove_prefix(std::min(paragraph.size(), line.size() + 1));
    }
  }
  return text;
}

std::string help_of(const Group& group) {
  if (group.subjects.empty()) return help_of(group.commands.front());
  std::size_t width = 0;
  for (const Command& command : group.commands) width = std::max(width, command.name.size() + 2);
  std::string text;
  for (const Command& command : group.commands) {
    const std::string opening = "svcctl " + padded(command.name, width);
    text += wrapped(opening, text::words(command.summary), opening.size());
  }
  return text + "svcctl help " + std::string(group.name) + " COMMAND describes one of them\n";
}

std::string help_of(const Commands& all) {
  std::string text;
  for (const Group* group : all) {
    for (const Command& command : group->commands)
      text += (text.empty() ? "" : "\n") + help_of(command);
  }
  return text;
}

}  // namespace svc::ctl
