#include "ctl/arguments.h"

#include <algorithm>

#include "ctl/printable.h"

namespace svc::ctl {
namespace {

constexpr std::string_view kWhereSettingsStand =
    "settings, --config among them, stand before the command";

std::string known_flags(const Syntax& syntax) {
  std::string names;
  for (const Flag& flag : syntax.flags) names += std::string(flag.name) + ", ";
  return names + "--json";
}

}  // namespace

base::Result<Arguments, std::string> Arguments::parse(const Syntax& syntax,
                                                      const std::vector<std::string>& words) {
  Arguments arguments;
  bool flags_end = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (flags_end || word == "-" || !word.starts_with("-")) {
      if (arguments.operands_.size() == syntax.operands.size())
        return base::Refusal{printable(word) + " is one word too many"};
      arguments.operands_.push_back(word);
      continue;
    }
    if (word == "--") {
      flags_end = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    static const Flag kJson{"--json"};
    const auto found = std::ranges::find(syntax.flags, name, &Flag::name);
    if (found == syntax.flags.end() && name != kJson.name) {
      return base::Refusal{printable(name) + " is not known here; known are " +
                           known_flags(syntax) + " (" + std::string(kWhereSettingsStand) + ")"};
    }
    const Flag& flag = found == syntax.flags.end() ? kJson : *found;
    auto& values = arguments.flags_[name];
    if (flag.takes == Flag::Takes::Nothing) {
      if (equals != std::string::npos) return base::Refusal{name + " takes no value"};
      continue;
    }
    if (!values.empty() && flag.takes == Flag::Takes::OneValue)
      return base::Refusal{name + " is there twice"};
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (i + 1 < words.size() && !words[i + 1].starts_with("--")) {
      values.push_back(words[++i]);
    } else {
      return base::Refusal{name + " needs a value; one that begins with dashes is written " + name +
                           "=…"};
    }
  }
  if (arguments.operands_.size() < syntax.operands.size()) {
    return base::Refusal{std::string(syntax.operands[arguments.operands_.size()]) + " is missing"};
  }
  for (const Flag& flag : syntax.flags) {
    if (flag.required && !arguments.has(flag.name))
      return base::Refusal{std::string(flag.name) + " is missing"};
  }
  return arguments;
}

const std::string& Arguments::value(std::string_view flag) const {
  static const std::string kNone;
  const auto found = flags_.find(flag);
  return found == flags_.end() || found->second.empty() ? kNone : found->second.front();
}

std::vector<std::string> Arguments::values(std::string_view flag) const {
  const auto found = flags_.find(flag);
  return found == flags_.end() ? std::vector<std::string>() : found->second;
}

std::string why_not_understood(std::string_view word) {
  const std::string why = printable(word) + " is not understood";
  if (word.size() < 2 || word.front() != '-' || (word[1] >= '0' && word[1] <= '9')) return why;
  return why + " here; " + std::string(kWhereSettingsStand);
}

}  // namespace svc::ctl
