// Customizations: the options of the player that applications set for a media (api-Z1), by name.
//
// A value has the type that the application sent. embed/player_options.h has the names and the
// values that are allowed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "text/json.h"

namespace svc::media {

using OptionValue = std::variant<bool, double, std::string>;
using Customizations = std::map<std::string, OptionValue, std::less<>>;

// Returns nullopt for null, an array or an object.
std::optional<OptionValue> option_value(const text::json::Value& value);

// Returns the text that an embed code would have. Numbers are the shortest that read as the same
// value.
std::string to_text(const OptionValue& value);

// Appends a JSON object.
void append_customizations(std::string& out, const Customizations& customizations);
std::string to_json(const Customizations& customizations);

// Reads such an object. Members of other types are left out.
Customizations customizations_of(const text::json::Value& object);

}  // namespace svc::media
