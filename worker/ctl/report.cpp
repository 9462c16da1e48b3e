#include "ctl/report.h"

#include <algorithm>

#include "ctl/printable.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

// Longer than any authorization link, because a truncated link is useless.
constexpr std::size_t kMaxBytes = 16 * 1024;

std::string json_text(std::string_view text) {
  std::string out;
  text::json::append_string(out, text);
  return out;
}

}  // namespace

Report& Report::text(std::string_view key, std::string_view value) {
  lines_.push_back({std::string(key), json_text(value), {std::string(value)}});
  return *this;
}

Report& Report::integer(std::string_view key, std::int64_t value) {
  const std::string text = std::to_string(value);
  lines_.push_back({std::string(key), text, {text}});
  return *this;
}

Report& Report::decimal(std::string_view key, double value) {
  std::string text;
  text::json::append_decimal(text, value);
  lines_.push_back({std::string(key), text, {text}});
  return *this;
}

Report& Report::boolean(std::string_view key, bool value) {
  lines_.push_back({std::string(key), value ? "true" : "false", {value ? "yes" : "no"}});
  return *this;
}

Report& Report::texts(std::string_view key, const std::vector<std::string>& values) {
  std::string json;
  text::json::ArrayWriter array(json);
  for (const std::string& value : values) array.string(value);
  array.end();
  lines_.push_back({std::string(key), std::move(json), values});
  return *this;
}

Report& Report::texts(std::string_view key, const std::optional<std::vector<std::string>>& values,
                      std::string_view plain) {
  if (values) {
    texts(key, *values);
  } else {
    nothing(key);
  }
  lines_.back().plain = {std::string(plain)};
  return *this;
}

Report& Report::time(std::string_view key, std::int64_t value) {
  return text(key, text::to_rfc3339(value));
}

Report& Report::nothing(std::string_view key) {
  lines_.push_back({std::string(key), "null", {}});
  return *this;
}

void Report::print(std::ostream& out, bool json) const {
  if (json) {
    std::string object;
    text::json::ObjectWriter writer(object);
    for (const Line& line : lines_) writer.raw(line.key) += line.json;
    writer.end();
    out << object << "\n";
    return;
  }
  std::size_t width = 0;
  for (const Line& line : lines_) width = std::max(width, line.key.size());
  for (const Line& line : lines_) {
    std::string value;
    for (const std::string& piece : line.plain) {
      if (!piece.empty()) value += (value.empty() ? "" : " ") + printable(piece, kMaxBytes);
    }
    if (value.empty()) continue;
    out << line.key << std::string(width + 2 - line.key.size(), ' ') << value << "\n";
  }
}

}  // namespace svc::ctl
