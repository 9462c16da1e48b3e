#include "pages/public/reference_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <tuple>

#include "text/ascii.h"

namespace svc::pages {
namespace {

// Removes the first line, and returns it.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row.remove_prefix(1);
  while (!row.empty()) {
    const std::size_t end = row.find('|');
    if (end == std::string_view::npos) break;
    cells.emplace_back(text::trimmed(row.substr(0, end)));
    row.remove_prefix(end + 1);
  }
  return cells;
}

// "oembed-S2", "api-Z1"
bool is_rule_id(std::string_view word) {
  const std::size_t dash = word.find('-');
  return dash != std::string_view::npos && dash > 0 && dash + 2 < word.size() &&
         std::ranges::all_of(word.substr(0, dash), text::is_alnum) && word[dash + 1] >= 'A' &&
         word[dash + 1] <= 'Z' && std::ranges::all_of(word.substr(dash + 2), text::is_digit);
}

// The value after a name and spaces, up to a space or semicolon.
std::string value_after(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return "";
  std::string_view rest = line.substr(at + name.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return std::string(rest.substr(0, rest.find_first_of(" ;")));
}

}  // namespace

std::vector<std::vector<std::string>> table_below(std::string_view document,
                                                  std::string_view heading, int number) {
  std::vector<std::vector<std::string>> rows;
  const std::string title = "\n## " + std::string(heading) + "\n";
  const std::size_t at = document.find(title);
  if (at == std::string_view::npos) return rows;
  std::string_view rest = document.substr(at + title.size());
  int line_of_table = 0;  // the first two are its head
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("## ")) break;
    if (line.starts_with('|')) {
      if (++line_of_table > 2 && number == 0) rows.push_back(cells_of(line));
    } else if (line_of_table > 0) {
      if (number-- == 0) break;
      line_of_table = 0;
    }
  }
  return rows;
}

std::string without_links(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.front() == '`') {
      const std::size_t end = text.find('`', 1);
      const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
      out += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    if (text.starts_with(" (")) {
      const std::size_t end = text.find(')');
      if (end != std::string_view::npos && is_rule_id(text.substr(2, end - 2))) {
        text.remove_prefix(end + 1);
        continue;
      }
    }
    if (text.front() == '[') {
      const std::size_t close = text.find("](");
      const std::size_t end = text.find(')', std::min(close, text.size()));
      if (close != std::string_view::npos && end != std::string_view::npos) {
        out += text.substr(1, close - 1);
        text.remove_prefix(end + 1);
        continue;
      }
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

std::vector<std::string> codes_in(std::string_view text) {
  std::vector<std::string> codes;
  while (true) {
    const std::size_t begin = text.find('`');
    if (begin == std::string_view::npos) return codes;
    text.remove_prefix(begin + 1);
    const std::size_t end = text.find('`');
    codes.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return codes;
    text.remove_prefix(end + 1);
  }
}

std::vector<DeclaredMember> members_of(std::string_view declarations, std::string_view interface) {
  std::vector<DeclaredMember> members;
  const std::string title = "interface " + std::string(interface) + " {\n";
  const std::size_t at = declarations.find(title);
  if (at == std::string_view::npos) return members;
  std::string_view rest = declarations.substr(at + title.size());
  std::string about;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (line.starts_with('}')) break;
    line = text::trimmed(line);
    if (line.starts_with("/**") && line.ends_with("*/")) {
      about = text::trimmed(line.substr(3, line.size() - 5));
    } else if (line.ends_with(';')) {
      line.remove_suffix(1);
      if (line.starts_with("readonly ")) line.remove_prefix(9);
      members.push_back({std::string(line), about});
      about.clear();
    }
  }
  return members;
}

std::string size_of(std::string_view configuration, std::string_view directive) {
  const std::string begin = std::string(directive) + ' ';
  while (!configuration.empty()) {
    std::string_view line = take_line(configuration);
    if (!line.starts_with(begin) || !line.ends_with(';')) continue;
    line.remove_suffix(1);
    std::string size(line.substr(line.rfind(' ') + 1));
    for (const auto& [end, unit] :
         {std::tuple('k', " KiB"), std::tuple('m', " MiB"), std::tuple('g', " GiB")}) {
      if (!size.ends_with(end)) continue;
      size.pop_back();
      return size + unit;
    }
    return size;
  }
  std::abort();
}

RequestLimit limit_of(std::string_view configuration, std::string_view zone) {
  RequestLimit limit;
  const std::string name = "zone=svc_" + std::string(zone);
  while (!configuration.empty()) {
    const std::string_view line = take_line(configuration);
    if (line.starts_with("limit_req_zone ") && line.find(name + ":") != std::string_view::npos) {
      limit.rate = value_after(line, "rate=");
      for (const auto& [end, words] :
           {std::tuple("r/s", " per second"), std::tuple("r/m", " per minute")}) {
        if (!limit.rate.ends_with(end)) continue;
        limit.rate.resize(limit.rate.size() - 3);
        limit.rate += words;
        break;
      }
    }
    if (line.starts_with("limit_req ") && line.find(name + " ") != std::string_view::npos)
      limit.burst = value_after(line, "burst=");
    const std::string most = "limit_conn svc_" + std::string(zone) + "_at_once ";
    if (line.starts_with(most)) limit.at_once = value_after(line, most);
  }
  return limit;
}

std::vector<ChangedVersion> versions_in(std::string_view changelog) {
  std::vector<ChangedVersion> versions;
  bool is_item = false;
  while (!changelog.empty()) {
    const std::string_view line = take_line(changelog);
    const std::string_view words = text::trimmed(line);
    if (words.empty()) {
      is_item = false;
    } else if (!line.starts_with(' ')) {
      versions.push_back({std::string(words), "", {}});
    } else if (versions.empty()) {
      continue;
    } else if (words.starts_with("* ")) {
      versions.back().changes.emplace_back(words.substr(2));
      is_item = true;
    } else if (is_item) {
      versions.back().changes.back().append(" ").append(words);
    } else {
      versions.back().date = words;
    }
  }
  return versions;
}

}  // namespace svc::pages
