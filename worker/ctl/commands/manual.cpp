#include "ctl/commands/manual.h"

#include <algorithm>
#include <string_view>

#include "ctl/help.h"

namespace svc::ctl {
namespace {

// Escapes text for troff: hyphens become minus signs, which can be copied, and
// a line that begins with a dot or apostrophe is not a request.
std::string escaped(std::string_view text) {
  std::string out;
  bool begins = true;
  while (!text.empty()) {
    constexpr std::string_view kEllipsis = "…";
    if (text.starts_with(kEllipsis)) {
      out += "...";
      text.remove_prefix(kEllipsis.size());
      begins = false;
      continue;
    }
    const char c = text.front();
    text.remove_prefix(1);
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins = c == '\n';
  }
  return out;
}

std::string row(const std::string& name, const std::string& help) {
  return ".TP\n.B " + escaped(name) + "\n" + escaped(help) + "\n";
}

std::string manual_of(const Command& command) {
  std::string line = "svcctl " + std::string(command.name);
  for (const std::string& word : synopsis_words(command)) line += " " + word;
  std::string text = ".TP\n.B " + escaped(line) + "\n" + escaped(command.summary) + ".\n";
  std::string rows;
  for (const Operand& operand : command.syntax.operands)
    rows += row(std::string(operand.takes.name), std::string(operand.help));
  for (const Flag& flag : all_flags(command.syntax)) {
    rows += row(to_text(flag),
                std::string(flag.help) + (flag.repeats ? "; may be given several times" : ""));
  }
  if (!rows.empty()) text += ".RS\n" + rows + ".RE\n";
  for (const std::string_view paragraph : command.details) {
    text += ".IP\n";
    if (paragraph.starts_with(' ')) {
      text += ".nf\n" + escaped(paragraph) + "\n.fi\n";
    } else {
      text += escaped(paragraph) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string manual_of(const Commands& all) {
  std::string text;
  for (const Group* group : all) {
    for (const Command& command : group->commands) text += manual_of(command);
  }
  return text;
}

}  // namespace svc::ctl
