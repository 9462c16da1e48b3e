#include "ctl/arguments.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "ctl/printable.h"
#include "text/nearest.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

constexpr double kLeastSeconds = 0.1;
constexpr double kMostSeconds = 3'600;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string what_is_missing(const std::vector<std::string>& names) {
  return listed(names) + (names.size() == 1 ? " is missing" : " are missing");
}

// Returns why the value is not allowed; empty if it is allowed.
std::string why_not_allowed(const Takes& takes, const std::string& value) {
  switch (takes.type) {
    case Takes::Type::Integer:
      if (base::parse_number<std::int64_t>(value, takes.low, takes.high)) return "";
      return "must be an integer from " + std::to_string(takes.low) + " to " +
             std::to_string(takes.high);
    case Takes::Type::Seconds:
      if (base::parse_number<double>(value, kLeastSeconds, kMostSeconds)) return "";
      return "must be a number of seconds from 0.1 to 3600";
    case Takes::Type::Choice: {
      if (std::ranges::find(takes.choices, value) != takes.choices.end()) return "";
      return "must be one of " + text::joined(takes.choices) +
             text::did_you_mean(value, takes.choices);
    }
    case Takes::Type::Text:
    case Takes::Type::File:
    case Takes::Type::Command: break;
  }
  return "";
}

// Returns the operand at the index; a last operand of Count::Any repeats.
// Returns null if the command has fewer operands.
const Operand* operand_at(const Syntax& syntax, std::size_t index) {
  if (index < syntax.operands.size()) return &syntax.operands[index];
  const bool any = !syntax.operands.empty() && syntax.operands.back().count == Operand::Count::Any;
  return any ? &syntax.operands.back() : nullptr;
}

std::string unknown_flag(const std::string& name, const std::vector<Flag>& flags) {
  std::vector<std::string_view> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  std::string near = text::did_you_mean(name, names);
  if (near.empty()) near = "; settings, --config among them, come before the command";
  return "unknown option: " + printable(name) + near;
}

}  // namespace

Takes Takes::text(std::string_view name, std::vector<std::string_view> offered) {
  return {.name = name, .choices = std::move(offered)};
}

Takes Takes::integer(std::string_view name, std::int64_t low, std::int64_t high) {
  return {.name = name, .type = Type::Integer, .low = low, .high = high};
}

Takes Takes::seconds(std::string_view name) { return {.name = name, .type = Type::Seconds}; }

Takes Takes::choice(std::string_view name, std::vector<std::string_view> choices) {
  return {.name = name, .type = Type::Choice, .choices = std::move(choices)};
}

Takes Takes::file(std::string_view name) { return {.name = name, .type = Type::File}; }

Takes Takes::command() { return {.name = "COMMAND", .type = Type::Command}; }

std::vector<Flag> all_flags(const Syntax& syntax) {
  std::vector<Flag> flags = syntax.flags;
  if (!syntax.json.empty()) flags.push_back({.name = "--json", .help = syntax.json});
  return flags;
}

base::Result<Arguments, std::string> Arguments::parse(const Syntax& syntax,
                                                      const std::vector<std::string>& words) {
  Arguments arguments;
  const std::vector<Flag> flags = all_flags(syntax);
  std::string problems;
  const auto add_problem = [&](const std::string& problem) {
    if (!problem.empty()) text::add_word(problems, problem, "; ");
  };
  bool flags_end = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (flags_end || word == "-" || !word.starts_with("-")) {
      const Operand* const operand = operand_at(syntax, arguments.operands_.size());
      if (operand == nullptr) return base::Refusal{"unexpected argument: " + printable(word)};
      arguments.operands_.push_back(word);
      if (const std::string why = why_not_allowed(operand->takes, word); !why.empty())
        add_problem(std::string(operand->takes.name) + " " + why);
      continue;
    }
    if (word == "--") {
      flags_end = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto flag = std::ranges::find(flags, name, &Flag::name);
    if (flag == flags.end()) return base::Refusal{unknown_flag(name, flags)};
    auto& values = arguments.flags_[name];
    if (flag->takes.name.empty()) {
      if (equals != std::string::npos) return base::Refusal{name + " takes no value"};
      continue;
    }
    if (!values.empty() && !flag->repeats) return base::Refusal{name + " is given twice"};
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (i + 1 < words.size() && !words[i + 1].starts_with("--")) {
      values.push_back(words[++i]);
    } else {
      return base::Refusal{name + " needs a value; write a value that begins with dashes as " +
                           name + "=…"};
    }
    if (const std::string why = why_not_allowed(flag->takes, values.back()); !why.empty())
      add_problem(name + " " + why);
  }
  std::vector<std::string> missing;
  for (std::size_t i = arguments.operands_.size(); i < syntax.operands.size(); ++i) {
    const Operand& operand = syntax.operands[i];
    if (operand.count == Operand::Count::One) missing.emplace_back(operand.help);
  }
  for (const Flag& flag : flags) {
    if (flag.required && !arguments.has(flag.name)) missing.emplace_back(flag.name);
  }
  if (!missing.empty()) add_problem(what_is_missing(missing));
  if (!problems.empty()) return base::Refusal{problems};
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

std::optional<std::int64_t> Arguments::integer(std::string_view flag) const {
  return base::parse_number<std::int64_t>(value(flag));
}

std::optional<std::chrono::milliseconds> Arguments::seconds(std::string_view flag) const {
  const auto number = base::parse_number<double>(value(flag), kLeastSeconds, kMostSeconds);
  if (!number) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*number * 1000));
}

std::int64_t Arguments::integer_operand(std::size_t index) const {
  return base::parse_number<std::int64_t>(operand(index)).value_or(0);
}

}  // namespace svc::ctl
