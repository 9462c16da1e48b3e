#include "redis/ingest_job.h"

#include <string_view>

#include "base/number.h"

namespace svc::redis {

std::int64_t added_at(std::string_view id) {
  return base::parse_number<std::int64_t>(id.substr(0, id.find('-')), 0).value_or(0);
}

std::vector<std::string> IngestJob::to_fields() const {
  std::vector<std::string> fields{"media", media.text()};
  const auto add = [&](const char* name, std::string value) {
    fields.emplace_back(name);
    fields.push_back(std::move(value));
  };
  add("account", std::to_string(account.number));
  add("offset", std::to_string(file.offset));
  add("length", std::to_string(file.length));
  add("name", file.name);
  if (!reason.empty()) add("reason", reason);
  if (is_refused) add("refused", "1");
  return fields;
}

std::optional<IngestJob> IngestJob::of(ReplyView entry) {
  const auto id = entry.at(0).text();
  const ReplyView fields = entry.at(1);
  if (!id) return std::nullopt;
  IngestJob job;
  job.id = std::string(*id);
  bool has_media = false;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string_view name = fields.at(i).text().value_or("");
    const std::string_view value = fields.at(i + 1).text().value_or("");
    const auto number = [&] { return base::parse_number<std::int64_t>(value, 0).value_or(0); };
    if (name == "media") {
      const auto media = media::HashedId::parse(value);
      has_media = media.has_value();
      if (media) job.media = *media;
    } else if (name == "account") {
      job.account = {number()};
    } else if (name == "offset") {
      job.file.offset = static_cast<std::uint64_t>(number());
    } else if (name == "length") {
      job.file.length = static_cast<std::uint64_t>(number());
    } else if (name == "name") {
      job.file.name = std::string(value);
    } else if (name == "reason") {
      job.reason = std::string(value);
    } else if (name == "refused") {
      job.is_refused = value == "1";
    }
  }
  if (!has_media) return std::nullopt;
  return job;
}

}  // namespace svc::redis
