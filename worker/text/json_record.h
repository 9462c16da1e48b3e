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
  explicit JsonRecord(json::Value object);
  // A record inside `outer`, at `key`: its messages say so, and its readers are as strict.
  JsonRecord(const JsonRecord& outer, std::string_view key, json::Value object);
  // An element of the array at `key`.
  JsonRecord(const JsonRecord& outer, std::string_view key, std::size_t index, json::Value object);

  // From here on keys that nobody allows are wrong; records from the store may have more, so that
  // an older worker can read what a newer one wrote.
  void be_strict() { strict_ = true; }
  // In a strict record: refuses keys that are not in the list, by name, and keys that come twice.
  // The list has at most 64.
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
  void adopt(const JsonRecord& nested);  // its error, if it has one

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  std::optional<json::Value> find(std::string_view key);
  std::optional<json::Value> must_find(std::string_view key);
  std::optional<std::string> as_text(std::string_view key, const std::optional<json::Value>& value,
                                     std::size_t max_bytes);
  std::optional<std::int64_t> as_integer(std::string_view key,
                                         const std::optional<json::Value>& value, std::int64_t low,
                                         std::int64_t high);

  std::string where() const;  // "assets[2]: ", or nothing

  json::Value object_;
  // Made into text only when there is something to say.
  const JsonRecord* outer_ = nullptr;
  std::string_view key_;
  std::optional<std::size_t> index_;
  bool strict_ = false;
  std::size_t hint_ = 0;
  std::string error_;
};

}  // namespace svc::text
