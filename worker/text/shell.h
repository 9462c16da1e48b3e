// shell: texts as words of a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace svc::text {

// Returns the text as one word: in single quotes, or in double quotes if the shell has to fill in
// `variables`, such as `$media`.
enum class Variables : bool { Plain, Filled };
inline std::string shell_word(std::string_view text, Variables variables = Variables::Plain) {
  const bool is_filled = variables == Variables::Filled;
  const std::string_view escaped = is_filled ? "\"\\`" : "";
  std::string word(1, is_filled ? '"' : '\'');
  for (const char c : text) {
    if (escaped.find(c) != std::string_view::npos) word += '\\';
    word += !is_filled && c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
  }
  return word + word.front();
}

}  // namespace svc::text
