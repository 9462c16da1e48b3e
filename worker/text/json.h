// json: reads and writes RFC 8259. RapidJSON stops here.
//
// Written strings are safe inside an HTML script element too: `<`, `>`, `&`,
// U+2028 and U+2029 are always escaped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::text::json {

// Appends `text` as a JSON string with its quotes. Replaces each byte that is
// not UTF-8 by U+FFFD.
void append_string(std::string& out, std::string_view text);

// Returns the bytes that append_string() writes between the quotes: a character
// takes up to six.
std::size_t written_size(std::string_view text);

// Returns whether arrays and objects are nested deeper than `most`. Reads any text, also invalid
// JSON. parse() accepts any depth, but a caller that recurses into values needs stack for it.
bool is_nested_deeper(std::string_view text, std::size_t most);

// Appends a number with up to three decimals and no trailing zeros: 16.43, 5,
// 0.001. Appends 0 for NaN, infinity and magnitudes over 1e15.
void append_decimal(std::string& out, double number);

// ArrayWriter: appends one JSON array to a string.
class ArrayWriter {
 public:
  explicit ArrayWriter(std::string& out) : out_(out) { out_ += '['; }

  ArrayWriter& string(std::string_view value);
  // Begins an element. The caller appends exactly one value to the returned
  // string.
  std::string& next() {
    if (!first_) out_ += ',';
    first_ = false;
    return out_;
  }
  void end() { out_ += ']'; }

 private:
  std::string& out_;
  bool first_ = true;
};

// ObjectWriter: appends one JSON object to a string, its keys in the order of
// the calls.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

  ObjectWriter& string(std::string_view key, std::string_view value);
  ObjectWriter& integer(std::string_view key, std::int64_t value);
  ObjectWriter& decimal(std::string_view key, double value);
  ObjectWriter& boolean(std::string_view key, bool value);
  ObjectWriter& null(std::string_view key);
  // An array of these strings.
  template <class Strings>
  ObjectWriter& strings(std::string_view key, const Strings& values) {
    ArrayWriter array(raw(key));
    for (const auto& value : values) array.string(value);
    array.end();
    return *this;
  }
  // Writes the key. The caller then appends exactly one value to the returned
  // string.
  std::string& raw(std::string_view key);
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

// Value: a view of one value in a Document. Valid until the document's next
// parse() or its end.
class Value {
 public:
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  std::optional<std::string_view> string() const;
  std::optional<std::int64_t> integer() const;  // nullopt for 1.5, or if it does not fit
  std::optional<double> number() const;
  std::optional<bool> boolean() const;

  // The number of members or elements; 0 for any other value.
  std::size_t size() const;
  Value at(std::size_t index) const;              // an element of an array
  std::string_view key(std::size_t index) const;  // a member's key, in document order
  Value member(std::size_t index) const;          // a member's value
  // Returns the first member of that name, or nullopt. Searches from `hint` to
  // the end, then from the beginning, and sets `hint` to the next member.
  // Lookups in the order of the text therefore need no search.
  std::optional<Value> find(std::string_view name, std::size_t& hint) const {
    const void* const found = find_member(name, hint);
    return found == nullptr ? std::nullopt : std::optional<Value>(Value(found));
  }
  std::optional<Value> find(std::string_view name) const {
    std::size_t hint = 0;
    return find(name, hint);
  }

 private:
  friend class Document;
  explicit Value(const void* value) : value_(value) {}
  const void* find_member(std::string_view name,
                          std::size_t& hint) const;  // nullptr: no such member
  const void* value_;
};

// The source of a text. Ours: it was checked when it was stored, so parse()
// does not check its UTF-8 and surrogate pairs again.
enum class Origin { Outside, Ours };

// Document: parses one text at a time and reuses its memory for the next.
class Document {
 public:
  Document();
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // Copies `text`. The error contains the reason and the byte position.
  // Invalidates all values and views of the previous text.
  base::Result<Value, std::string> parse(std::string_view text, Origin origin = Origin::Outside);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::text::json
