// json: RFC 8259 in and out. RapidJSON stops here.
//
// What is written is safe to stand in an HTML script element too: `<`, `>`, `&`, U+2028 and U+2029
// are always escaped. What is read must be valid UTF-8.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::text::json {

// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_string(std::string& out, std::string_view text);

// A number with up to three decimals, no trailing zeros: 16.43, 5, 0.001. Infinite and not-a-number
// become 0.
void append_decimal(std::string& out, double number);

// ArrayWriter: appends one JSON array to a string.
class ArrayWriter {
 public:
  explicit ArrayWriter(std::string& out) : out_(out) { out_ += '['; }

  ArrayWriter& string(std::string_view value);
  // Begins an element; the caller appends exactly one value to the string.
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

// ObjectWriter: appends one JSON object to a string, keys in the order they are given.
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
  // Writes the key; the caller appends exactly one value to the string behind it.
  std::string& raw(std::string_view key);
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

// Value: a look at one value inside a Document; lives as long as the document keeps its text.
class Value {
 public:
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  std::optional<std::string_view> string() const;
  std::optional<std::int64_t> integer() const;  // nothing for 1.5, or when it does not fit
  std::optional<double> number() const;
  std::optional<bool> boolean() const;

  // Members of an object, elements of an array; 0 for anything else.
  std::size_t size() const;
  Value at(std::size_t index) const;              // an element of an array
  std::string_view key(std::size_t index) const;  // a member's key, in document order
  Value member(std::size_t index) const;          // a member's value
  // The first member of that name, looked for from `hint` on and then from the beginning; `hint` is
  // set behind it. Whoever asks in the order of the text finds each at once.
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
  const void* find_member(std::string_view name, std::size_t& hint) const;  // nullptr for none
  const void* value_;
};

// Who wrote a text. Ours: it was checked when it was stored, so its UTF-8 is not checked again, and
// its nesting is known.
enum class Origin { Outside, Ours };

// Document: parses one text at a time and keeps its memory for the next.
class Document {
 public:
  Document();
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // The error says what is wrong and at which byte. Views of earlier texts end here.
  base::Result<Value, std::string> parse(std::string_view text, Origin origin = Origin::Outside);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::text::json
