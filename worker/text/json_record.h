// JsonRecord: reads one JSON object key by key and remembers the first error.
//
// Every reader returns a value in any case, so a caller reads the whole record
// and checks error() once at the end. It is empty, or a sentence that names the
// key and the allowed values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"
#include "text/json.h"

namespace svc::text {

class JsonRecord {
 public:
  explicit JsonRecord(json::Value object);
  // A record at `key` inside `outer`: its errors contain that path, and it is
  // strict if `outer` is. `outer` and `key` outlive it.
  JsonRecord(const JsonRecord& outer, std::string_view key, json::Value object);
  // The same for an element of the array at `key`.
  JsonRecord(const JsonRecord& outer, std::string_view key, std::size_t index, json::Value object);

  // From now on unknown keys are errors. Records from the store may contain
  // more keys, so that an older worker can read the records of a newer worker.
  void be_strict() { strict_ = true; }
  bool is_strict() const { return strict_; }
  // If the record is strict, reports a key that is not in the list, or that
  // occurs twice. The list has at most 64 keys.
  void allow_only(std::span<const std::string_view> keys);

  // A missing or null key is an error. On an error these return an empty text,
  // `low`, false or nullopt. Texts have at most `max_bytes`.
  std::string text(std::string_view key, std::size_t max_bytes);
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  bool boolean(std::string_view key);
  // Returns an array or nullopt. The caller reads the elements.
  std::optional<json::Value> array(std::string_view key);

  // A missing or null key is not an error; the result is nullopt. So is it
  // after an error.
  std::optional<std::string> optional_text(std::string_view key, std::size_t max_bytes);
  std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t low,
                                               std::int64_t high);
  std::optional<double> optional_number(std::string_view key, double low, double high);
  std::optional<json::Value> optional_array(std::string_view key);
  std::optional<json::Value> optional_object(std::string_view key);
  bool optional_boolean(std::string_view key, bool otherwise);

  // Reports an error of the caller's own: "<key> <what>", such as "name must
  // not be empty". Only the first error is kept.
  void refuse(std::string_view key, std::string_view what);
  void adopt(const JsonRecord& nested);  // takes over its error, if any

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

  std::string where() const;  // "assets[2]: ", or empty

  json::Value object_;
  // Only used to build an error text.
  const JsonRecord* outer_ = nullptr;
  std::string_view key_;
  std::optional<std::size_t> index_;
  bool strict_ = false;
  std::size_t hint_ = 0;
  std::string error_;
};

// Returns the result of `from_record` for the text of a record, or why the text is not a record.
template <class FromRecord>
std::invoke_result_t<FromRecord, JsonRecord&> parse_record(
    json::Document& document, std::string_view text, FromRecord from_record,
    json::Origin origin = json::Origin::Ours) {
  const auto value = document.parse(text, origin);
  if (!value) return base::Refusal{std::string(value.error())};
  JsonRecord record(*value);
  return from_record(record);
}

}  // namespace svc::text
