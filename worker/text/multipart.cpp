#include "text/multipart.h"

#include <algorithm>
#include <utility>

#include "text/ascii.h"
#include "text/encoded_name.h"

namespace svc::text {
namespace {

constexpr std::size_t kMaxBoundary = 70;        // RFC 2046 §5.1.1
constexpr std::size_t kMaxPartHead = 8 * 1024;  // bytes of the headers of a part

// Takes one parameter, `; name=value` or `; name="value"`, from the beginning of `rest`. Returns
// false at the end, or if the text is malformed.
bool take_parameter(std::string_view& rest, std::string& name, std::string& value) {
  rest = trimmed(rest);
  if (rest.empty() || rest.front() != ';') return false;
  rest = trimmed(rest.substr(1));
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) return false;
  name = to_lower(trimmed(rest.substr(0, equals)));
  rest.remove_prefix(equals + 1);
  value.clear();
  if (!rest.starts_with('"')) {
    const std::string_view token = rest.substr(0, rest.find(';'));
    rest.remove_prefix(token.size());
    value = std::string(trimmed(token));
    return true;
  }
  rest.remove_prefix(1);
  // A backslash is itself, as browsers write file names of Windows; only \" is
  // a quote, as curl writes it.
  while (!rest.empty() && rest.front() != '"') {
    if (rest.starts_with("\\\"")) rest.remove_prefix(1);
    value += rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) return false;
  rest.remove_prefix(1);
  return true;
}

// Browsers write ", CR and LF in names as %22, %0D and %0A (the HTML standard,
// "multipart form data").
std::string decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.starts_with("%22")) {
      out += '"';
      text.remove_prefix(3);
    } else if (text.starts_with("%0D") || text.starts_with("%0A")) {
      out += ' ';
      text.remove_prefix(3);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

struct Disposition {
  std::string name;
  std::optional<std::string> file_name;
};

// Joins the lines of folded headers, RFC 822 §3.1.1: mail libraries fold long
// ones.
std::string unfolded(std::string_view head) {
  std::string out(head);
  for (const std::string_view fold : {"\r\n ", "\r\n\t"}) {
    for (std::size_t at = out.find(fold); at != std::string::npos; at = out.find(fold, at))
      out.replace(at, fold.size(), " ");
  }
  return out;
}

// RFC 6266 §4.3: filename* takes precedence, if it can be decoded.
std::optional<std::string> file_name_of(const std::vector<FormField>& parameters) {
  std::optional<std::string> name;
  for (const auto& [key, value] : parameters) {
    if (key == "filename" && !name) name = decode_encoded_words(decoded(value));
  }
  const bool extended = std::ranges::any_of(
      parameters, [](const FormField& one) { return one.name.starts_with("filename*"); });
  if (!extended) return name;
  std::string better = extended_parameter(parameters, "filename");
  return better.empty() ? name.value_or("") : std::move(better);
}

// Reads the Content-Disposition among the header lines of a part; nullopt if it
// is missing or malformed.
std::optional<Disposition> read_disposition(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    if (!equal_ignoring_case(trimmed(line.substr(0, colon)), "content-disposition")) continue;
    std::string_view rest = trimmed(line.substr(colon + 1));
    const std::string_view type = rest.substr(0, rest.find(';'));
    if (!equal_ignoring_case(trimmed(type), "form-data")) return std::nullopt;
    rest.remove_prefix(type.size());
    std::optional<std::string> name;
    std::vector<FormField> parameters;
    std::string key;
    std::string value;
    while (take_parameter(rest, key, value)) {
      if (key == "name" && !name) name = decoded(value);
      parameters.push_back({key, value});
    }
    if (!name || !trimmed(rest).empty()) return std::nullopt;
    return Disposition{std::move(*name), file_name_of(parameters)};
  }
  return std::nullopt;
}

// A piece of the body.
struct Window {
  std::string text;
  std::uint64_t offset = 0;

  std::uint64_t end() const { return offset + text.size(); }
  bool has(std::uint64_t at) const { return at >= offset && at <= end(); }
  std::string_view from(std::uint64_t at) const {
    return std::string_view(text).substr(static_cast<std::size_t>(at - offset));
  }
};

base::Refusal<std::string> refusal(const char* why) { return base::Refusal{std::string(why)}; }

}  // namespace

std::optional<std::string> multipart_boundary(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  if (!equal_ignoring_case(trimmed(type), "multipart/form-data")) return std::nullopt;
  std::string_view rest = content_type.substr(type.size());
  std::string name;
  std::string value;
  while (take_parameter(rest, name, value)) {
    if (name != "boundary") continue;
    if (value.empty() || value.size() > kMaxBoundary || value.back() == ' ') return std::nullopt;
    for (const char c : value) {
      if (!is_alnum(c) && std::string_view("'()+_,-./:=? ").find(c) == std::string_view::npos)
        return std::nullopt;
    }
    return value;
  }
  return std::nullopt;
}

const std::string* Multipart::find(std::string_view name) const {
  for (const Field& field : fields) {
    if (field.name == name) return &field.value;
  }
  return nullptr;
}

base::Result<Multipart, std::string> read_multipart(std::string_view boundary, std::uint64_t size,
                                                    const ReadPiece& read,
                                                    std::size_t window_size) {
  constexpr auto kCut = "the form is cut off";
  constexpr auto kMalformed = "the form is malformed";
  const std::string first = "--" + std::string(boundary);
  const std::string next = "\r\n" + first;
  const auto window_at = [&](std::uint64_t offset) {
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(window_size, size - offset));
    return Window{read(offset, length), offset};
  };
  Window window = window_at(0);
  // §5.1.1: a preamble ends with a line end, which belongs to the boundary. Some
  // clients begin with that line end alone.
  std::uint64_t at = first.size();  // after a boundary
  if (!window.from(0).starts_with(first)) {
    const std::size_t preamble = window.from(0).find("\n" + first);
    if (preamble == std::string_view::npos) return refusal(kMalformed);
    at += preamble + 1;
  }
  Multipart form;
  while (true) {
    std::string_view rest = window.from(at);
    if (rest.starts_with("--")) return form;  // §5.1.1: ignore the epilogue
    const std::size_t line = rest.find_first_not_of(" \t");
    if (line == std::string_view::npos || rest.size() < line + 2) return refusal(kCut);
    if (rest.substr(line, 2) != "\r\n") return refusal(kMalformed);
    rest.remove_prefix(line + 2);
    at += line + 2;
    const std::size_t head = rest.substr(0, kMaxPartHead).find("\r\n\r\n");
    if (head == std::string_view::npos)
      return refusal(rest.size() < kMaxPartHead ? kCut : kMalformed);
    auto disposition = read_disposition(unfolded(rest.substr(0, head)));
    if (!disposition) return refusal(kMalformed);
    at += head + 4;
    if (form.fields.size() + (form.file ? 1 : 0) >= Multipart::kMaxParts)
      return refusal("the form has more than 64 fields");
    if (disposition->file_name) {
      if (form.file) return refusal("the form has more than one file");
      // The file ends in this window or in the last window.
      std::uint64_t from = at;
      std::size_t end = window.from(from).find(next);
      if (end == std::string::npos && window.end() < size) {
        window = window_at(size - at > window_size ? size - window_size : at);
        from = std::max(at, window.offset);
        end = window.has(from) ? window.from(from).find(next) : std::string::npos;
      }
      if (end == std::string::npos)
        return refusal("the form is cut off, or the fields after the file are too long");
      form.file = Multipart::File{std::move(disposition->name), std::move(*disposition->file_name),
                                  at, from + end - at};
      at = from + end + next.size();
      if (window.end() < size) window = window_at(at);
      if (!window.has(at)) return refusal(kCut);
      continue;
    }
    const std::string_view value = window.from(at);
    const std::size_t end = value.find(next);
    if (end == std::string_view::npos)
      return refusal("the form is cut off, or its fields are too long");
    form.fields.push_back({std::move(disposition->name), std::string(value.substr(0, end))});
    at += end + next.size();
  }
}

}  // namespace svc::text
