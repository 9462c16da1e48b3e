// JsonFields: a JSON object whose keys a test changes one at a time.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::fakes {

class JsonFields {
 public:
  using Field = std::pair<std::string, std::string>;  // a key, and its value as JSON

  JsonFields(std::initializer_list<Field> fields) : fields_(fields) {}

  // Returns a copy with this value for the key; a new key is appended.
  JsonFields with(const std::string& key, const std::string& json) const {
    JsonFields changed = *this;
    for (Field& field : changed.fields_) {
      if (field.first == key) {
        field.second = json;
        return changed;
      }
    }
    changed.fields_.emplace_back(key, json);
    return changed;
  }

  JsonFields without(const std::string& key) const {
    JsonFields changed = *this;
    std::erase_if(changed.fields_, [&](const Field& field) { return field.first == key; });
    return changed;
  }

  // Returns a copy with only these keys, in this order; skips absent keys.
  JsonFields only(std::initializer_list<std::string_view> keys) const {
    JsonFields chosen({});
    for (const std::string_view key : keys) {
      for (const Field& field : fields_) {
        if (field.first == key) chosen.fields_.push_back(field);
      }
    }
    return chosen;
  }

  std::string text() const {
    std::string out = "{";
    for (const auto& [key, json] : fields_) {
      out += (out.size() > 1 ? ",\"" : "\"") + key + "\":" + json;
    }
    return out + "}";
  }

 private:
  std::vector<Field> fields_;
};

}  // namespace svc::fakes
