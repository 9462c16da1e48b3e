// field_edit: fields of a record that an edit sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::library {

// Sets the member, if there is a value and it is another one, and appends a blank and the field's
// name to `changed`.
inline void set_field(std::string& changed, std::string_view name,
                      const std::optional<std::string>& value, std::string& member) {
  if (!value || *value == member) return;
  member = *value;
  changed.append(" ").append(name);
}

}  // namespace svc::library
