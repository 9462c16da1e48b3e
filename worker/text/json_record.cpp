#include "text/json_record.h"

#include <cassert>
#include <cmath>

namespace svc::text {

JsonRecord::JsonRecord(json::Value object) : object_(object) {
  if (!object_.is_object()) error_ = "must be a JSON object";
}

JsonRecord::JsonRecord(const JsonRecord& outer, std::string_view key, json::Value object)
    : object_(object), outer_(&outer), key_(key), strict_(outer.strict_) {
  if (!object_.is_object()) error_ = where() + "must be a JSON object";
}

JsonRecord::JsonRecord(const JsonRecord& outer, std::string_view key, std::size_t index,
                       json::Value object)
    : object_(object), outer_(&outer), key_(key), index_(index), strict_(outer.strict_) {
  if (!object_.is_object()) error_ = where() + "must be a JSON object";
}

std::string JsonRecord::where() const {
  if (outer_ == nullptr) return "";
  return outer_->where() + std::string(key_) +
         (index_ ? "[" + std::to_string(*index_) + "]: " : ": ");
}

// Keys are mostly in the order of the list, so each search starts after the
// previous match.
void JsonRecord::allow_only(std::span<const std::string_view> keys) {
  if (!strict_ || !ok()) return;
  std::uint64_t seen = 0;
  assert(keys.size() <= 64);
  std::size_t at = 0;
  for (std::size_t i = 0; i < object_.size(); ++i) {
    const std::string_view key = object_.key(i);
    std::size_t looked = 0;
    for (; looked < keys.size(); ++looked, ++at) {
      if (at >= keys.size()) at = 0;
      if (keys[at] == key) break;
    }
    if (looked == keys.size()) {
      std::string allowed;
      for (const std::string_view name : keys) {
        if (!allowed.empty()) allowed += ", ";
        allowed += name;
      }
      return refuse(key, "is an unknown key; the allowed keys are " + allowed);
    }
    const std::uint64_t bit = std::uint64_t{1} << at++;
    if ((seen & bit) != 0) return refuse(key, "occurs twice");
    seen |= bit;
  }
}

std::optional<json::Value> JsonRecord::find(std::string_view key) {
  auto value = object_.find(key, hint_);
  if (value && value->is_null()) value.reset();
  return value;  // modified in place: a copy would take longer than the search
}

std::optional<json::Value> JsonRecord::must_find(std::string_view key) {
  const auto value = find(key);
  if (!value) refuse(key, "is missing");
  return value;
}

std::string JsonRecord::text(std::string_view key, std::size_t max_bytes) {
  return as_text(key, must_find(key), max_bytes).value_or("");
}

std::optional<std::string> JsonRecord::optional_text(std::string_view key, std::size_t max_bytes) {
  return as_text(key, find(key), max_bytes);
}

std::optional<std::string> JsonRecord::as_text(std::string_view key,
                                               const std::optional<json::Value>& value,
                                               std::size_t max_bytes) {
  if (!value) return std::nullopt;
  const auto text = value->string();
  if (!text) {
    refuse(key, "must be a string");
    return std::nullopt;
  }
  if (text->size() > max_bytes) {
    refuse(key, "is longer than " + std::to_string(max_bytes) + " bytes");
    return std::nullopt;
  }
  return std::string(*text);
}

std::int64_t JsonRecord::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  return as_integer(key, must_find(key), low, high).value_or(low);
}

std::optional<std::int64_t> JsonRecord::optional_integer(std::string_view key, std::int64_t low,
                                                         std::int64_t high) {
  return as_integer(key, find(key), low, high);
}

std::optional<std::int64_t> JsonRecord::as_integer(std::string_view key,
                                                   const std::optional<json::Value>& value,
                                                   std::int64_t low, std::int64_t high) {
  if (!value) return std::nullopt;
  const auto integer = value->integer();
  if (!integer || *integer < low || *integer > high) {
    refuse(key, "must be an integer from " + std::to_string(low) + " to " + std::to_string(high));
    return std::nullopt;
  }
  return integer;
}

std::optional<double> JsonRecord::optional_number(std::string_view key, double low, double high) {
  const auto value = find(key);
  if (!value) return std::nullopt;
  const auto number = value->number();
  if (!number || !std::isfinite(*number) || *number < low || *number > high) {
    std::string range;
    json::append_decimal(range, low);
    range += " to ";
    json::append_decimal(range, high);
    refuse(key, "must be a number from " + range);
    return std::nullopt;
  }
  return number;
}

bool JsonRecord::boolean(std::string_view key) {
  if (!find(key)) refuse(key, "is missing");
  return optional_boolean(key, false);
}

bool JsonRecord::optional_boolean(std::string_view key, bool otherwise) {
  const auto value = find(key);
  if (!value) return otherwise;
  const auto boolean = value->boolean();
  if (!boolean) refuse(key, "must be true or false");
  return boolean.value_or(otherwise);
}

std::optional<json::Value> JsonRecord::array(std::string_view key) {
  if (!find(key)) refuse(key, "is missing");
  return optional_array(key);
}

std::optional<json::Value> JsonRecord::optional_array(std::string_view key) {
  const auto value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_array()) {
    refuse(key, "must be an array");
    return std::nullopt;
  }
  return value;
}

std::optional<json::Value> JsonRecord::optional_object(std::string_view key) {
  const auto value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_object()) {
    refuse(key, "must be an object or null");
    return std::nullopt;
  }
  return value;
}

void JsonRecord::refuse(std::string_view key, std::string_view what) {
  if (!ok()) return;
  error_ = where() + std::string(key) + " " + std::string(what);
}

void JsonRecord::adopt(const JsonRecord& nested) {
  if (ok()) error_ = nested.error();
}

}  // namespace svc::text
