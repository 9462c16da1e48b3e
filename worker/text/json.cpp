#include "text/json.h"

// Every x86-64 has SSE2. On other machines RapidJSON reads byte by byte.
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/number.h"
#include "text/utf16.h"
#include "text/utf8.h"

// RapidJSON copies the stream for every string and immediately reads its own
// writes, which stalls the processor. Without the copy an import takes a tenth
// less processor time.
template <>
struct rapidjson::StreamTraits<rapidjson::InsituStringStream> {
  enum { copyOptimization = 0 };
};

namespace svc::text::json {
namespace {

// 0: copy; 1: \u00XX; 2: first byte of a multi-byte sequence; otherwise the
// letter after the backslash.
constexpr std::array<char, 256> make_escapes() {
  std::array<char, 256> table{};
  for (int c = 0; c < 0x20; ++c) table[static_cast<std::size_t>(c)] = 1;
  for (int c = 0x80; c < 0x100; ++c) table[static_cast<std::size_t>(c)] = 2;
  table[0x7f] = 1;
  table['<'] = table['>'] = table['&'] = 1;
  table['"'] = '"';
  table['\\'] = '\\';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['\b'] = 'b';
  table['\f'] = 'f';
  return table;
}
constexpr std::array<char, 256> kEscapes = make_escapes();
constexpr bool is_escaped(char c) { return kEscapes[static_cast<unsigned char>(c)] != 0; }
constexpr std::size_t kMaxRecursion = 4096;
constexpr std::string_view kHex = "0123456789abcdef";

// Returns the UTF-16 code unit of the escape \uXXXX at `at`, or nullopt.
std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  return base::parse_number<unsigned>(text.substr(at + 2, 4), 0, 0xffff, 16);
}

// Half a surrogate pair (RFC 8259 §8.2): RapidJSON would turn it into invalid
// UTF-8.
bool has_lone_surrogate(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    const unsigned unit = escaped_unit(text, at).value_or(0);
    if (is_low_surrogate(unit)) return true;
    if (is_high_surrogate(unit)) {
      if (!is_low_surrogate(escaped_unit(text, at + 6).value_or(0))) return true;
      at += 12;
    } else {
      at += 2;
    }
  }
  return false;
}

using Node = rapidjson::Value;
const Node& node(const void* value) { return *static_cast<const Node*>(value); }

}  // namespace

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // start of the part that needs no escape
  for (std::size_t i = 0;;) {
    const char* const next = std::find_if(text.data() + i, text.data() + text.size(), is_escaped);
    i = static_cast<std::size_t>(next - text.data());
    if (i == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escape = kEscapes[byte];
    if (escape == 2) {
      const std::size_t length = utf8_length(text.substr(i));
      const bool separator = length == 3 && byte == 0xe2 &&
                             static_cast<unsigned char>(text[i + 1]) == 0x80 &&
                             (static_cast<unsigned char>(text[i + 2]) | 1) == 0xa9;
      if (length > 0 && !separator) {
        i += length;
        continue;
      }
      out.append(text, plain, i - plain);
      if (length == 0) {
        out += "\\ufffd";
        i += 1;
      } else {
        out += static_cast<unsigned char>(text[i + 2]) == 0xa8 ? "\\u2028" : "\\u2029";
        i += 3;
      }
      plain = i;
      continue;
    }
    out.append(text, plain, i - plain);
    if (escape == 1) {
      const std::array<char, 6> written{'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      out.append(written.data(), written.size());
    } else {
      const std::array<char, 2> written{'\\', escape};
      out.append(written.data(), written.size());
    }
    plain = ++i;
  }
  out.append(text, plain, text.size() - plain);
  out += '"';
}

std::size_t written_size(std::string_view text) {
  std::string written;
  append_string(written, text);
  return written.size() - 2;
}

bool is_nested_deeper(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

void append_decimal(std::string& out, double number) {
  if (!std::isfinite(number) || std::fabs(number) > 1e15) {
    out += '0';
    return;
  }
  const long long thousandths = std::llround(number * 1000);
  std::array<char, 32> digits{};
  const auto append = [&](long long value) {
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
  };
  if (thousandths < 0) out += '-';
  const long long magnitude = std::llabs(thousandths);
  append(magnitude / 1000);
  if (magnitude % 1000 == 0) return;
  const int rest = static_cast<int>(magnitude % 1000);
  out += '.';
  out += static_cast<char>('0' + rest / 100);
  if (rest % 100 == 0) return;
  out += static_cast<char>('0' + rest / 10 % 10);
  if (rest % 10 != 0) out += static_cast<char>('0' + rest % 10);
}

ArrayWriter& ArrayWriter::string(std::string_view value) {
  append_string(next(), value);
  return *this;
}

std::string& ObjectWriter::raw(std::string_view key) {
  if (!first_) out_ += ',';
  first_ = false;
  append_string(out_, key);
  out_ += ':';
  return out_;
}

ObjectWriter& ObjectWriter::string(std::string_view key, std::string_view value) {
  append_string(raw(key), value);
  return *this;
}

ObjectWriter& ObjectWriter::integer(std::string_view key, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  raw(key).append(digits.data(), end);
  return *this;
}

ObjectWriter& ObjectWriter::decimal(std::string_view key, double value) {
  append_decimal(raw(key), value);
  return *this;
}

ObjectWriter& ObjectWriter::boolean(std::string_view key, bool value) {
  raw(key) += value ? "true" : "false";
  return *this;
}

ObjectWriter& ObjectWriter::null(std::string_view key) {
  raw(key) += "null";
  return *this;
}

bool Value::is_null() const { return node(value_).IsNull(); }
bool Value::is_object() const { return node(value_).IsObject(); }
bool Value::is_array() const { return node(value_).IsArray(); }

std::optional<std::string_view> Value::string() const {
  const Node& value = node(value_);
  if (!value.IsString()) return std::nullopt;
  return std::string_view(value.GetString(), value.GetStringLength());
}

std::optional<std::int64_t> Value::integer() const {
  const Node& value = node(value_);
  if (!value.IsInt64()) return std::nullopt;
  return value.GetInt64();
}

std::optional<double> Value::number() const {
  const Node& value = node(value_);
  if (!value.IsNumber()) return std::nullopt;
  return value.GetDouble();
}

std::optional<bool> Value::boolean() const {
  const Node& value = node(value_);
  if (!value.IsBool()) return std::nullopt;
  return value.GetBool();
}

std::size_t Value::size() const {
  const Node& value = node(value_);
  if (value.IsObject()) return value.MemberCount();
  if (value.IsArray()) return value.Size();
  return 0;
}

Value Value::at(std::size_t index) const {
  return Value(&node(value_)[static_cast<rapidjson::SizeType>(index)]);
}

std::string_view Value::key(std::size_t index) const {
  const Node& name = (node(value_).MemberBegin() + static_cast<std::ptrdiff_t>(index))->name;
  return {name.GetString(), name.GetStringLength()};
}

Value Value::member(std::size_t index) const {
  return Value(&(node(value_).MemberBegin() + static_cast<std::ptrdiff_t>(index))->value);
}

const void* Value::find_member(std::string_view name, std::size_t& hint) const {
  const Node& value = node(value_);
  if (!value.IsObject()) return nullptr;
  const std::size_t count = value.MemberCount();
  if (count == 0) return nullptr;
  const Node::Member* const members = &*value.MemberBegin();
  std::size_t i = hint < count ? hint : 0;
  for (std::size_t looked = 0; looked < count; ++looked) {
    const Node& key = members[i].name;
    // Compare the length first: it already differs for most names.
    if (key.GetStringLength() == name.size() &&
        std::memcmp(key.GetString(), name.data(), name.size()) == 0) {
      hint = i + 1;
      return &members[i].value;
    }
    if (++i == count) i = 0;
  }
  return nullptr;
}

// Parses in place: strings stay in `text`, which saves a copy of each. `pool`
// holds the nodes; it is cleared, not freed, between texts.
struct Document::Impl {
  using Allocator = rapidjson::MemoryPoolAllocator<>;
  std::vector<char> text;
  std::array<char, 16 * 1024> pool;
  Allocator allocator{pool.data(), pool.size()};
  rapidjson::GenericDocument<rapidjson::UTF8<>, Allocator> document{&allocator};
};

Document::Document() : impl_(std::make_unique<Impl>()) {}
Document::~Document() = default;

base::Result<Value, std::string> Document::parse(std::string_view text, Origin origin) {
  impl_->document.SetNull();
  impl_->allocator.Clear();
  // RapidJSON takes a NUL for the end of the text and would ignore the rest.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return base::Refusal{"a NUL byte (at byte " + std::to_string(nul + 1) + ")"};
  }
  impl_->text.assign(text.begin(), text.end());
  // RapidJSON looks for the end 16 bytes at a time: enough zeros for that.
  impl_->text.insert(impl_->text.end(), 32, '\0');
  if (origin == Origin::Outside) {
    if (!is_utf8(text)) return base::Refusal{std::string("not valid UTF-8")};
    if (has_lone_surrogate(text)) return base::Refusal{std::string("half of a surrogate pair")};
  }
  // RapidJSON's fast parser recurses per level, and a text of brackets must not
  // exhaust the stack. A short text cannot be nested deeply enough for that.
  if (text.size() <= kMaxRecursion) {
    impl_->document.ParseInsitu(impl_->text.data());
  } else {
    impl_->document.ParseInsitu<rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag>(
        impl_->text.data());
  }
  if (impl_->document.HasParseError()) {
    return base::Refusal{std::string(rapidjson::GetParseError_En(impl_->document.GetParseError())) +
                         " (at byte " + std::to_string(impl_->document.GetErrorOffset() + 1) + ")"};
  }
  return Value(&impl_->document);
}

}  // namespace svc::text::json
