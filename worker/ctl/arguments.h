// arguments: parses the arguments of an svcctl command against the command's
// Syntax.
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

// The value of a flag or an operand: its name in the help, its allowed texts,
// and its shell completion. The parser checks it, so a command receives only
// allowed texts.
struct Takes {
  enum class Type { Text, Integer, Seconds, Choice, File, Command };

  // The completion offers `offered`; other texts are allowed too.
  static Takes text(std::string_view name, std::vector<std::string_view> offered = {});
  static Takes integer(std::string_view name, std::int64_t low, std::int64_t high);
  // A decimal number from 0.1 to 3600, in seconds.
  static Takes seconds(std::string_view name = "SECONDS");
  static Takes choice(std::string_view name, std::vector<std::string_view> choices);
  // A path; the completion offers files.
  static Takes file(std::string_view name = "FILE");
  // A word of an svcctl command; the completion offers commands.
  static Takes command();

  std::string_view name{};  // "URI"; empty: the flag has no value
  Type type = Type::Text;
  std::int64_t low = 0;                     // minimum of an Integer
  std::int64_t high = 0;                    // maximum of an Integer
  std::vector<std::string_view> choices{};  // for Choice and Text
};

struct Flag {
  std::string_view name{};  // with its dashes: "--limit"
  Takes takes{};
  std::string_view help{};  // one line in lower case, without a full stop
  bool required = false;
  bool repeats = false;  // several values are allowed
};

struct Operand {
  enum class Count { One, Optional, Any };

  Takes takes{};
  std::string_view help{};  // "the application's client id"
  Count count = Count::One;
};

struct Syntax {
  std::vector<Operand> operands{};
  std::vector<Flag> flags{};
  // What --json prints, for the help: kJsonObject or kJsonLines. Empty if the
  // command does not accept --json.
  std::string_view json{};
};

inline constexpr std::string_view kJsonObject = "print one JSON object";
inline constexpr std::string_view kJsonLines = "print one JSON object per line";

// Returns the flags, followed by --json if the command accepts it.
std::vector<Flag> all_flags(const Syntax& syntax);

class Arguments {
 public:
  // Parses `--flag value` and `--flag=value`; every word after `--` is an
  // operand. A syntax error, such as an unknown option, is reported alone.
  // Otherwise the error lists all values that are not allowed and all missing
  // arguments.
  static base::Result<Arguments, std::string> parse(const Syntax& syntax,
                                                    const std::vector<std::string>& words);

  bool has(std::string_view flag) const { return flags_.contains(flag); }
  // Returns the first value, or "" if the flag was not given.
  const std::string& value(std::string_view flag) const;
  std::vector<std::string> values(std::string_view flag) const;
  // Return the value of a flag of type integer() or seconds(), or nullopt if
  // the flag was not given.
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

}  // namespace svc::ctl
