#include "media/record_table.h"

namespace svc::media {
namespace {

constexpr int kMaxSide = 32768;

}  // namespace

std::optional<Dimensions> read_dimensions(text::JsonRecord& json) {
  Dimensions size;
  std::string_view missing;
  bool any = false;
  base::for_each(kDimensions, [&](const auto& row) {
    const auto side = json.optional_integer(row.name, 1, kMaxSide);
    size.*row.member = static_cast<int>(side.value_or(0));
    any |= side.has_value();
    if (!side) missing = row.name;
  });
  if (missing.empty()) return size;
  if (any) json.refuse(missing, "is missing: width and height must be set together");
  return std::nullopt;
}

std::optional<AllowedDomains> read_domains(text::JsonRecord& json, std::string_view key) {
  const auto array = json.optional_array(key);
  if (!array) return std::nullopt;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < array->size() && i <= kMaxDomains; ++i)
    texts.emplace_back(array->at(i).string().value_or(""));
  auto domains = canonical_domains(texts);
  if (domains) return *std::move(domains);
  json.refuse(key, domains.error());
  return std::nullopt;
}

std::vector<HashedId> read_ids(text::JsonRecord& json, std::string_view key, AtMost rule) {
  std::vector<HashedId> ids;
  const auto array = json.array(key);
  if (array && array->size() > rule.entries)
    json.refuse(key, "has more than " + std::to_string(rule.entries) + " entries");
  for (std::size_t i = 0; array && i < array->size() && json.ok(); ++i) {
    const auto id = HashedId::parse(array->at(i).string().value_or(""));
    if (id) {
      ids.push_back(*id);
    } else {
      json.refuse(std::string(key) + "[" + std::to_string(i) + "]",
                  "must be 1 to 64 letters and digits");
    }
  }
  return ids;
}

void append_dimensions(text::json::ObjectWriter& json, const std::optional<Dimensions>& size) {
  base::for_each(kDimensions, [&](const auto& row) {
    if (size) {
      json.integer(row.name, (*size).*row.member);
    } else {
      json.null(row.name);
    }
  });
}

}  // namespace svc::media
