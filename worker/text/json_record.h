// JsonRecord: takes one JSON object apart, key by key, and remembers the first thing that is wrong.
//
// Every reader returns a value in any case, so that a record is read in one go and asked once,
// at the end, whether it was right: error() is empty, or a sentence that names the key and what is
// allowed there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "text/json.h"

namespace svc::text {

class JsonRecord {
 public:
  // `where` stands before every message, e.g. "assets[2]: ".
  explicit JsonRecord(json::Value object, std::string where = "");

  // Refuses keys that are not in the list, by name, and keys that come twice.
  void allow_only(std::span<const std::string_view> keys);

  // Missing is wrong. Text is at most `max_bytes` long.
  std::string text(std::string_view key, std::size_t max_bytes);
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  bool boolean(std::string_view key);
  // An array or nothing; elements are read by the caller.
  std::optional<json::Value> array(std::string_view key);

  // Missing and null are nothing.
  std::optional<std::string> optional_text(std::string_view key, std::size_t max_bytes);
  std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t low,
                                               std::int64_t high);
  std::optional<double> optional_number(std::string_view key, double low, double high);
  std::optional<json::Value> optional_array(std::string_view key);
  std::optional<json::Value> optional_object(std::string_view key);
  bool optional_boolean(std::string_view key, bool otherwise);

  // The caller's own rule for a key: "name: must …". Only the first is kept.
  void refuse(std::string_view key, std::string_view what);
  void adopt(const std::string& error);  // an error of a nested record, or nothing

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  const std::string& where() const { return where_; }

 private:
  std::optional<json::Value> find(std::string_view key) const;

  json::Value object_;
  std::string where_;
  std::string error_;
};

}  // namespace svc::text
