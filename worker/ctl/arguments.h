// arguments: the words behind a command of svcctl, checked against what the command takes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::ctl {

struct Flag {
  enum class Takes { Nothing, OneValue, Values };

  std::string_view name;  // with its dashes
  Takes takes = Takes::Nothing;
  bool required = false;
};

struct Syntax {
  std::vector<Flag> flags;                 // --json is every command's
  std::vector<std::string_view> operands;  // what they are, for messages; all are required
};

class Arguments {
 public:
  // `--flag value` and `--flag=value`; everything behind `--` is an operand. The error says what is
  // wrong and what is known.
  static base::Result<Arguments, std::string> parse(const Syntax& syntax,
                                                    const std::vector<std::string>& words);

  bool has(std::string_view flag) const { return flags_.contains(flag); }
  // "" where it was not given.
  const std::string& value(std::string_view flag) const;
  std::vector<std::string> values(std::string_view flag) const;
  const std::string& operand(std::size_t index) const { return operands_.at(index); }
  bool json() const { return has("--json"); }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> flags_;
  std::vector<std::string> operands_;
};

// What is wrong with a word that a command does not know: of one with dashes, where settings stand.
std::string why_not_understood(std::string_view word);

}  // namespace svc::ctl
