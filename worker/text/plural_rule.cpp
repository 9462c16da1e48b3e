#include "text/plural_rule.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/number.h"
#include "text/ascii.h"

namespace svc::text {
namespace {

constexpr std::size_t kMaxExpression = 500;  // bytes
constexpr int kMaxDepth = 30;
constexpr std::uint64_t kLastChecked = 1000;

// Evaluates an expression while it reads it. `live` is false in the parts that C would not
// evaluate, where a division by zero is not a mistake.
class Expression {
 public:
  Expression(std::string_view text, std::uint64_t n) : rest_(text), n_(n) {}

  // Returns nullopt for a text that is not an expression, and for a division by zero.
  std::optional<std::uint64_t> value() {
    const std::uint64_t result = choice(true);
    skip_spaces();
    if (wrong_ || !rest_.empty()) return std::nullopt;
    return result;
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool take(std::string_view symbol) {
    skip_spaces();
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }
  std::uint64_t fail() {
    wrong_ = true;
    return 0;
  }

  std::uint64_t choice(bool live) {
    if (++depth_ > kMaxDepth) return fail();
    const std::uint64_t condition = binary(0, live);
    std::uint64_t result = condition;
    if (take("?")) {
      const std::uint64_t yes = choice(live && condition != 0);
      if (!take(":")) return fail();
      const std::uint64_t no = choice(live && condition == 0);
      result = condition != 0 ? yes : no;
    }
    --depth_;
    return result;
  }

  // The operators of each level, from the weakest; "<=" must come before its beginning "<".
  using Level = std::array<std::string_view, 4>;
  static constexpr std::array<Level, 6> kLevels{
      {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};

  std::string_view take_operator(const Level& level) {
    for (const std::string_view symbol : level) {
      if (!symbol.empty() && take(symbol)) return symbol;
    }
    return "";
  }

  std::uint64_t binary(std::size_t level, bool live) {
    if (level == kLevels.size()) return unary(live);
    std::uint64_t left = binary(level + 1, live);
    while (!wrong_) {
      const std::string_view symbol = take_operator(kLevels.at(level));
      if (symbol.empty()) break;
      const bool needed = !(symbol == "||" && left != 0) && !(symbol == "&&" && left == 0);
      left = apply(symbol, left, binary(level + 1, live && needed), live && needed);
    }
    return left;
  }

  std::uint64_t apply(std::string_view symbol, std::uint64_t a, std::uint64_t b, bool live) {
    if (symbol == "||") return a != 0 || b != 0 ? 1 : 0;
    if (symbol == "&&") return a != 0 && b != 0 ? 1 : 0;
    if (symbol == "==") return a == b ? 1 : 0;
    if (symbol == "!=") return a != b ? 1 : 0;
    if (symbol == "<=") return a <= b ? 1 : 0;
    if (symbol == ">=") return a >= b ? 1 : 0;
    if (symbol == "<") return a < b ? 1 : 0;
    if (symbol == ">") return a > b ? 1 : 0;
    if (symbol == "+") return a + b;
    if (symbol == "-") return a - b;
    if (symbol == "*") return a * b;
    if (b == 0) return live ? fail() : 0;
    return symbol == "/" ? a / b : a % b;
  }

  std::uint64_t unary(bool live) {
    if (++depth_ > kMaxDepth) return fail();
    std::uint64_t result = 0;
    if (take("!")) {
      result = unary(live) == 0 ? 1 : 0;
    } else if (take("(")) {
      result = choice(live);
      if (!take(")")) return fail();
    } else if (take("n")) {
      result = n_;
    } else {
      skip_spaces();
      const auto number = base::take_number<std::uint64_t>(rest_);
      if (!number) return fail();
      result = *number;
    }
    --depth_;
    return result;
  }

  std::string_view rest_;
  const std::uint64_t n_;
  int depth_ = 0;
  bool wrong_ = false;
};

// Removes "NAME = VALUE ;" from the beginning of `text`. Returns the value, or nullopt.
std::optional<std::string_view> take_setting(std::string_view& text, std::string_view name) {
  text = trimmed(text);
  if (!text.starts_with(name)) return std::nullopt;
  text = trimmed(text.substr(name.size()));
  if (!text.starts_with('=')) return std::nullopt;
  const std::size_t end = text.find(';');
  const std::string_view value = trimmed(text.substr(1, end == text.npos ? end : end - 1));
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return value;
}

}  // namespace

std::optional<PluralRule> PluralRule::parse(std::string_view text) {
  const auto forms = take_setting(text, "nplurals");
  const auto expression = take_setting(text, "plural");
  if (!forms || !expression || !trimmed(text).empty() || expression->size() > kMaxExpression)
    return std::nullopt;
  const auto count = base::parse_number<std::size_t>(*forms, 1, kMaxForms);
  if (!count) return std::nullopt;
  for (std::uint64_t n = 0; n <= kLastChecked; ++n) {
    const auto form = Expression(*expression, n).value();
    if (!form || *form >= *count) return std::nullopt;
  }
  PluralRule rule;
  rule.forms_ = *count;
  rule.expression_ = *expression;
  return rule;
}

std::size_t PluralRule::form_of(std::uint64_t number) const {
  const auto form = Expression(expression_, number).value();
  return form && *form < forms_ ? static_cast<std::size_t>(*form) : 0;
}

}  // namespace svc::text
