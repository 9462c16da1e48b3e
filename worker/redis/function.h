// FunctionCall: a call of a function that Redis runs (FCALL), as one of the types that
// stores/functions.py makes gives it. Argument: one of its keys and arguments.
//
// Every function must be safe to run twice for one request.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/reply_shape.h"

namespace svc::redis {

// A text or a number. Without a default value, so that a member that is forgotten does not compile.
struct Argument {
  // NOLINTBEGIN(google-explicit-constructor): a member is written as what it holds.
  Argument(std::string value) : text(std::move(value)) {}
  Argument(std::string_view value) : text(value) {}
  Argument(const char* value) : text(value) {}
  template <std::integral Number>
  Argument(Number value) : text(std::to_string(value)) {}
  // NOLINTEND(google-explicit-constructor)

  std::string text;
};

class FunctionCall {
 public:
  // `name` and `reply` are literals; `protocol` as stores/functions.py has it.
  FunctionCall(std::string_view name, std::string_view reply, std::size_t keys,
               std::size_t arguments, unsigned protocol)
      : reply_{reply}, protocol_(protocol) {
    words_.reserve(4 + keys + arguments);
    words_.emplace_back("FCALL");
    words_.emplace_back(name);
    words_.push_back(std::to_string(keys));
  }

  void add(Argument word) { words_.push_back(std::move(word.text)); }
  void add(std::vector<Argument> words) {
    for (Argument& word : words) add(std::move(word));
  }
  // After all keys.
  void end_keys() { words_.push_back(std::to_string(protocol_)); }

  const std::vector<std::string>& words() const { return words_; }
  ReplyShape reply() const { return reply_; }

 private:
  ReplyShape reply_;
  unsigned protocol_;
  std::vector<std::string> words_;
};

// What a user of a Redis without them reads.
inline constexpr std::string_view kFunctionsMissing =
    "it has not the functions of this version: svcctl catalog load-functions";
// Whether an error reply says so.
bool are_functions_missing(std::string_view error);

}  // namespace svc::redis
