// arguments: the words after a command of svcctl, checked against what the command's description
// says it takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::ctl {

// What a flag or an operand takes: its name in the help, which texts are allowed, and how the shell
// completes it. The parser checks it, so a command never sees a text that is not allowed.
struct Takes {
  enum class Type { Text, Integer, Seconds, Choice, File, Command };

  // The shell offers `offered`; other texts are allowed, too.
  static Takes text(std::string_view name, std::vector<std::string_view> offered = {});
  static Takes integer(std::string_view name, std::int64_t low, std::int64_t high);
  // A decimal number from 0.1 to 3600.
  static Takes seconds(std::string_view name = "SECONDS");
  static Takes choice(std::string_view name, std::vector<std::string_view> choices);
  // The path of a file, which the shell completes.
  static Takes file(std::string_view name = "FILE");
  // A word of a command of svcctl.
  static Takes command();

  std::string_view name{};  // "URI"; empty: a flag takes no value
  Type type = Type::Text;
  std::int64_t low = 0;                     // of an Integer
  std::int64_t high = 0;                    // of an Integer
  std::vector<std::string_view> choices{};  // of a Choice; what is offered for a Text
};

struct Flag {
  std::string_view name{};  // with its dashes
  Takes takes{};
  std::string_view help{};  // what it does, in one line without a capital and a full stop
  bool required = false;
  bool repeats = false;  // may be given several times
};

struct Operand {
  enum class Count { One, Optional, Any };

  Takes takes{};
  std::string_view help{};  // what it is: "the application's client id"
  Count count = Count::One;
};

struct Syntax {
  std::vector<Operand> operands{};
  std::vector<Flag> flags{};
  // What --json prints, for the help: kJsonObject, kJsonLines. Empty if there is no --json.
  std::string_view json{};
};

inline constexpr std::string_view kJsonObject = "print one JSON object";
inline constexpr std::string_view kJsonLines = "print one JSON object per line";

// The flags with --json among them.
std::vector<Flag> all_flags(const Syntax& syntax);

class Arguments {
 public:
  // `--flag value` and `--flag=value`; everything after `--` is an operand. The error names all
  // that is missing, and says what is wrong with a value.
  static base::Result<Arguments, std::string> parse(const Syntax& syntax,
                                                    const std::vector<std::string>& words);

  bool has(std::string_view flag) const { return flags_.contains(flag); }
  // "" if it was not given.
  const std::string& value(std::string_view flag) const;
  std::vector<std::string> values(std::string_view flag) const;
  // The value of a flag of integer() or seconds(), nothing if it was not given.
  std::optional<std::int64_t> integer(std::string_view flag) const;
  std::optional<std::chrono::milliseconds> seconds(std::string_view flag) const;

  std::size_t operands() const { return operands_.size(); }
  const std::string& operand(std::size_t index) const { return operands_.at(index); }
  std::int64_t integer_operand(std::size_t index) const;
  bool json() const { return has("--json"); }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> flags_;
  std::vector<std::string> operands_;
};

// The name of `names` that `word` was probably meant to be. Empty if none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names);
// "; did you mean X?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace svc::ctl
