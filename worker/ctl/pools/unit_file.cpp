#include "ctl/pools/unit_file.h"

#include <algorithm>
#include <sstream>

namespace svc::ctl {
namespace {

// Words may be quoted as a whole: "A=b c".
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const bool is_quoted = text.front() == '"';
    if (is_quoted) text.remove_prefix(1);
    const std::size_t end = std::min(text.find(is_quoted ? '"' : ' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void replace(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

UnitFile::UnitFile(std::string_view text, const std::string& name, const std::string& credentials) {
  const std::size_t at = name.find('@');
  const std::string instance =
      at == std::string::npos ? "" : name.substr(at + 1, name.rfind('.') - at - 1);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || line.front() == '#') continue;
    replace(line, "%i", instance);
    std::vector<std::string>& words = directives_[line.substr(0, equals)];
    std::string value = line.substr(line.find('=') + 1);
    replace(value, "%d", credentials);
    if (value.empty()) words.clear();
    for (std::string& word : split(value)) words.push_back(std::move(word));
  }
}

const std::vector<std::string>& UnitFile::words(const std::string& directive) const {
  static const std::vector<std::string> kNone;
  const auto found = directives_.find(directive);
  return found == directives_.end() ? kNone : found->second;
}

std::string UnitFile::last(const std::string& directive) const {
  const auto& all = words(directive);
  return all.empty() ? "" : all.back();
}

std::vector<std::string> UnitFile::command() const {
  std::vector<std::string> command;
  for (const std::string& word : words("ExecStart")) {
    if (!word.starts_with('$')) {
      command.push_back(word);
      continue;
    }
    const std::string name = word.substr(1) + "=";
    std::string value;
    for (const std::string& assignment : words("Environment")) {
      if (assignment.starts_with(name)) value = assignment.substr(name.size());
    }
    for (std::string& part : split(value)) command.push_back(std::move(part));
  }
  return command;
}

}  // namespace svc::ctl
