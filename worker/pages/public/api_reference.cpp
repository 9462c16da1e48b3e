#include "pages/public/api_reference.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/api_paths.h"
#include "http/api_error.h"
#include "text/ascii.h"
#include "text/markup.h"

namespace svc::pages {
namespace {

using endpoints::ApiDescription;
using endpoints::ApiOperation;
using endpoints::DescribedField;
using endpoints::DescribedPath;

std::string record_anchor(std::string_view name) { return "record-" + text::to_lower(name); }

// GET /v1/medias/{media} → get-medias-media
std::string anchor_of(const DescribedPath& path, const ApiOperation& operation) {
  std::string anchor = text::to_lower(operation.method);
  std::string_view rest = path.pattern;
  rest.remove_prefix(base::paths::kMediaList.folder().size() - 1);
  for (const char c : rest) {
    if (c == '/' || c == '.') anchor += '-';
    if (text::is_alnum(c) || c == '_') anchor += c;
  }
  return anchor;
}

// A field with its peculiarity in a word; "": an ordinary field.
struct ShownField {
  const DescribedField& field;
  std::string_view mark;
};

void show_fields(Values& values, const char* section, const std::vector<ShownField>& fields,
                 const ApiDescription& api) {
  if (fields.empty()) return;
  Values all = values.show_with(section);
  for (const auto& [field, mark] : fields) {
    Values one = all.show_with("FIELD");
    one.set("NAME", field.name).set("TYPE", marked(field.schema.words, api));
    if (!mark.empty()) one.show_with("MARK").set("WORDS", mark);
    if (!field.about.empty()) one.show_with("SAID").set("ABOUT", marked(field.about, api));
  }
}

void show_operation(Values& group, const embed::Site& site, const ApiDescription& api,
                    const DescribedPath& path, const ApiOperation& operation) {
  Values values = group.show_with("OPERATION");
  values.set("PLACE", anchor_of(path, operation))
      .set("SUMMARY", operation.summary)
      .set("METHOD", operation.method)
      .set("PATH", path.pattern);
  for (const endpoints::CommandPiece& piece : curl_line(site, path, operation)) {
    Values shown_piece = values.show_with("PIECE");
    if (piece.is_quoted) {
      shown_piece.show_with("QUOTED").set("TEXT", piece.text);
    } else {
      shown_piece.set("PLAIN", piece.text);
    }
  }
  if (!operation.about.empty()) values.show_with("ABOUT").set("TEXT", marked(operation.about, api));
  if (operation.credentials == endpoints::Credentials::Nothing) {
    values.show("OPEN");
  } else if (operation.needs == nullptr) {
    values.show("ANY_SCOPE");
  } else {
    const std::vector<std::string_view> names = scopes_of(operation);
    Values scopes = values.show_with("SCOPES");
    if (names.size() > 1) scopes.show("SEVERAL");
    for (const std::string_view scope : names) scopes.show_with("SCOPE").set("NAME", scope);
  }
  constexpr std::array<std::string_view, 3> kLocations{"in the path", "", "a header"};
  const std::vector<endpoints::DescribedParameter> parameters = all_parameters(path, operation);
  std::vector<ShownField> shown;
  for (const auto& [location, field] : parameters)
    shown.push_back({field, kLocations.at(static_cast<std::size_t>(location))});
  show_fields(values, "PARAMETERS", shown, api);
  if (operation.body) {
    shown.clear();
    for (const DescribedField& field : operation.body->fields)
      shown.push_back({field, field.is_required ? "required" : ""});
    show_fields(values, "BODY", shown, api);
  }
  const endpoints::DescribedResponse& success = operation.response;
  Values good = values.show_with("STATUS");
  std::string about = success.about;
  if (!success.types.empty()) about += " " + success.types.front().second.words + ".";
  for (const DescribedField& header : response_headers(operation))
    about += " `" + header.name + "`.";
  good.set("NUMBER", success.status).set("TEXT", marked(about, api));
  for (const endpoints::DescribedRefusal& refusal : all_refusals(operation))
    values.show_with("STATUS")
        .set("NUMBER", refusal.status)
        .set("TEXT", marked(refusal.about, api));
}

void show_operations(Values& values, const embed::Site& site, const ApiDescription& api) {
  std::vector<std::string_view> groups;
  for (const DescribedPath& path : api.paths) {
    if (std::ranges::find(groups, path.group) == groups.end()) groups.push_back(path.group);
  }
  for (const std::string_view name : groups) {
    std::string title(name);
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    Values group = values.show_with("GROUP");
    group.set("TITLE", title).set("PLACE", name);
    for (const DescribedPath& path : api.paths) {
      if (path.group != name) continue;
      for (const ApiOperation& operation : path.operations) {
        group.show_with("LINK")
            .set("PLACE", anchor_of(path, operation))
            .set("SUMMARY", operation.summary);
        show_operation(group, site, api, path, operation);
      }
    }
  }
}

void show_chapters(Values& values, const ApiDescription& api) {
  for (const endpoints::Chapter& chapter : endpoints::api_chapters()) {
    Values shown = values.show_with("CHAPTER");
    shown.set("PLACE", chapter.id).set("TITLE", chapter.title);
    for (const std::string& paragraph : chapter.paragraphs)
      shown.show_with("PARAGRAPH").set("TEXT", marked(paragraph, api));
    if (chapter.id != endpoints::kErrorsChapter) continue;
    Values codes = shown.show_with("CODES");
    for (const http::ApiCode& code : http::kApiCodes)
      codes.show_with("CODE").set("NAME", code.name).set("STATUS", code.status);
  }
}

void show_records(Values& values, const ApiDescription& api) {
  for (const endpoints::DescribedRecord& record : api.records) {
    Values shown = values.show_with("RECORD");
    shown.set("NAME", record.name)
        .set("PLACE", record_anchor(record.name))
        .set("ABOUT", record.about);
    std::vector<ShownField> fields;
    for (const DescribedField& field : record.fields)
      fields.push_back({field, field.is_required ? "" : "may be absent"});
    show_fields(shown, "FIELDS", fields, api);
  }
}

}  // namespace

Html marked(std::string_view text, const ApiDescription& api) {
  std::string html;
  bool is_code = false;
  while (true) {
    const std::string_view piece = text.substr(0, text.find('`'));
    const bool is_record =
        is_code && std::ranges::find(api.records, piece, &endpoints::DescribedRecord::name) !=
                       api.records.end();
    if (is_record) html.append("<a href=\"#").append(record_anchor(piece)).append("\">");
    if (is_code) html += "<code>";
    text::append_html_escaped(html, piece);
    if (is_code) html += "</code>";
    if (is_record) html += "</a>";
    if (piece.size() == text.size()) return Html(html);
    text.remove_prefix(piece.size() + 1);
    is_code = !is_code;
  }
}

void show_api(Values& values, const embed::Site& site, const ApiDescription& api) {
  show_chapters(values, api);
  show_operations(values, site, api);
  show_records(values, api);
}

void show_deprecations(Values& values, const ApiDescription& api) {
  if (api.deprecations.empty()) values.show("NOTHING_DEPRECATED");
  for (const http::Deprecation& each : api.deprecations) {
    Values shown = values.show_with("DEPRECATED");
    shown
        .set("PART", std::string(each.method) + " " + std::string(each.pattern) +
                         (each.name.empty() ? "" : ": ") + std::string(each.name))
        .set("SINCE", each.since)
        .set("INSTEAD", each.instead);
    if (!each.sunset.empty()) shown.show_with("SUNSET").set("DATE", each.sunset);
  }
}

}  // namespace svc::pages
