// words: texts of the program that pages translate.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace svc::text {

// Marks a text for scripts/words, which collects the texts to translate. Returns it unchanged.
constexpr std::string_view translatable(std::string_view text) { return text; }

// Returns the text with each "{name}" replaced by the value of that name. A name without a value
// stays.
std::string filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values);

}  // namespace svc::text
