#include "stores/ingest_job.h"

#include <algorithm>
#include <string_view>

#include "base/number.h"

namespace svc::stores {

std::int64_t added_at(std::string_view id) {
  return base::parse_number<std::int64_t>(id.substr(0, id.find('-')), 0).value_or(0);
}

std::vector<std::string> IngestJob::to_fields() const {
  std::vector<std::string> fields{"media", media.value()};
  const auto add = [&](const char* name, std::string value) {
    fields.emplace_back(name);
    fields.push_back(std::move(value));
  };
  add("account", std::to_string(account.value()));
  add("offset", std::to_string(file.offset));
  add("length", std::to_string(file.length));
  add("name", file.name);
  if (since != 0) add("since", std::to_string(since));
  if (!reason.empty()) add("reason", reason);
  if (is_refused) add("refused", "1");
  return fields;
}

bool IngestJob::take_field(std::string_view field, std::string_view value) {
  const auto number = [&] { return base::parse_number<std::int64_t>(value, 0).value_or(0); };
  if (field == "media") {
    const auto found = media::HashedId::parse(value);
    if (found) media = *found;
    return found.has_value();
  }
  if (field == "account") {
    account = {number()};
  } else if (field == "offset") {
    file.offset = static_cast<std::uint64_t>(number());
  } else if (field == "length") {
    file.length = static_cast<std::uint64_t>(number());
  } else if (field == "name") {
    file.name = std::string(value);
  } else if (field == "since") {
    since = number();
  } else if (field == "reason") {
    reason = std::string(value);
  } else if (field == "refused") {
    is_refused = value == "1";
  }
  return true;
}

std::optional<IngestJob> IngestJob::of(redis::ReplyView entry) {
  const auto id = entry.at(0).text();
  const redis::ReplyView fields = entry.at(1);
  if (!id) return std::nullopt;
  IngestJob job;
  job.id = std::string(*id);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (!job.take_field(fields.at(i).text().value_or(""), fields.at(i + 1).text().value_or("")))
      return std::nullopt;
  }
  if (job.media.value().empty()) return std::nullopt;
  return job;
}

std::string IngestJob::to_text() const {
  const std::vector<std::string> fields = to_fields();
  std::string text;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
    text += fields[i] + " " + fields[i + 1] + "\n";
  return text;
}

std::optional<IngestJob> IngestJob::from_text(std::string_view text) {
  IngestJob job;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    if (!job.take_field(line.substr(0, space), line.substr(space + 1))) return std::nullopt;
  }
  if (job.media.value().empty()) return std::nullopt;
  return job;
}

}  // namespace svc::stores
