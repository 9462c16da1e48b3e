#include "rules/rules.h"

#include <stdexcept>
#include <utility>

#include "text/ascii.h"

namespace svc::rules {
namespace {

// The value of an attribute in a tag; nullopt if the tag does not have it.
std::optional<std::string> attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = 0; (at = tag.find(name, at)) != std::string_view::npos; at += name.size()) {
    const char before = at == 0 ? ' ' : tag[at - 1];
    const std::size_t end = at + name.size();
    if (before != ' ' && before != '\n') continue;
    if (end >= tag.size() || tag[end] != '=') {
      if (end >= tag.size() || tag[end] == ' ' || tag[end] == '>') return "";
      continue;
    }
    if (tag[end + 1] != '"')
      throw std::runtime_error("an attribute without quotes: " + std::string(tag));
    return unescaped(tag.substr(end + 2, tag.find('"', end + 2) - end - 2));
  }
  return std::nullopt;
}

}  // namespace

std::string unescaped(std::string_view html) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'},   {"&gt;", '>'},   {"&quot;", '"'},
      {"&#34;", '"'}, {"&#39;", '\''}, {"&#10;", '\n'}, {"&#9;", '\t'}};
  std::string out;
  while (!html.empty()) {
    std::size_t size = 1;
    char c = html.front();
    for (const auto& [entity, one] : kEntities) {
      if (!html.starts_with(entity)) continue;
      size = entity.size();
      c = one;
    }
    out += c;
    html.remove_prefix(size);
  }
  return out;
}

Ask::Fields form_in(const std::string& html, const std::string& action) {
  for (std::size_t at = 0; (at = html.find("<form", at)) != std::string::npos; ++at) {
    const std::size_t open = html.find('>', at);
    if (attribute(std::string_view(html).substr(at, open - at), "action") != action) continue;
    const std::string_view form =
        std::string_view(html).substr(open, html.find("</form>", open) - open);
    Ask::Fields fields;
    for (std::size_t begin = 0; (begin = form.find('<', begin)) != std::string_view::npos;
         ++begin) {
      const std::string_view tag = form.substr(begin, form.find('>', begin) - begin);
      const auto name = attribute(tag, "name");
      if (!name) continue;
      if (tag.starts_with("<textarea")) {
        const std::size_t text = begin + tag.size() + 1;
        std::string value = unescaped(form.substr(text, form.find("</textarea>", text) - text));
        if (value.starts_with('\n')) value.erase(0, 1);
        fields.emplace_back(*name, value);
      }
      if (!tag.starts_with("<input")) continue;
      const std::string type = attribute(tag, "type").value_or("text");
      if (type == "submit" || type == "file") continue;
      if ((type == "checkbox" || type == "radio") && !attribute(tag, "checked")) continue;
      fields.emplace_back(*name, attribute(tag, "value").value_or(""));
    }
    return fields;
  }
  throw std::runtime_error("no form for " + action + " in: " + html);
}

Ask Browser::with_cookies(Ask ask) const {
  std::string cookie;
  for (const auto& [name, value] : cookies)
    cookie += (cookie.empty() ? "" : "; ") + name + "=" + value;
  if (!cookie.empty() && !ask.headers.contains("Cookie")) ask.headers["Cookie"] = cookie;
  return ask;
}

Answer Browser::ask(const Ask& ask) {
  Answer answer = site_.ask(with_cookies(ask));
  for (const auto& [name, value] : answer.headers) {
    if (name != "set-cookie") continue;
    const std::size_t equals = value.find('=');
    const std::string content = value.substr(equals + 1, value.find(';') - equals - 1);
    cookies[value.substr(0, equals)] = content;
    if (content.empty() || value.find("Max-Age=0") != std::string::npos)
      cookies.erase(value.substr(0, equals));
  }
  return answer;
}

Answer Browser::post(const std::string& target, const Ask::Fields& fields) {
  return ask(Ask("POST " + target).with("Origin", "null").with_form(fields));
}

Ask Browser::form(const Answer& page, const std::string& action, const Ask::Fields& fields) const {
  Ask::Fields all;
  for (const auto& field : form_in(page.body, action)) {
    const bool replaced = std::any_of(fields.begin(), fields.end(), [&](const auto& other) {
      return other.first == field.first;
    });
    if (!replaced) all.push_back(field);
  }
  all.insert(all.end(), fields.begin(), fields.end());
  return with_cookies(Ask("POST " + action).with("Origin", "null").with_form(all));
}

Answer Browser::submit(const Answer& page, const std::string& action, const Ask::Fields& fields) {
  return ask(form(page, action, fields));
}

Answer Browser::follow(const Answer& redirect) { return ask("GET " + redirect.header("Location")); }

void Browser::log_in(std::int64_t contact, std::string_view address) {
  const std::string cookie = site_.log_in(contact, address);
  const std::size_t equals = cookie.find('=');
  cookies[cookie.substr(0, equals)] = cookie.substr(equals + 1);
}

void Rules::expect(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.ask.method + " " + row.ask.target);
    const Answer answer = ask(row.ask);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    if (!row.type.empty()) {
      EXPECT_EQ(answer.type, row.type);
    }
    for (const std::string& text : row.has)
      EXPECT_TRUE(answer.has(text)) << text << "\n is not in\n" << answer.body;
  }
}

}  // namespace svc::rules
