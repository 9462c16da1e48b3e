#include "stores/catalog/ingest_job.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "text/word_list.h"

namespace svc::stores {
namespace {

constexpr std::array<std::pair<FilesJob::Kind, std::string_view>, 5> kFilesJobs{
    {{FilesJob::Kind::Poster, "set-poster"},
     {FilesJob::Kind::Still, "make-still"},
     {FilesJob::Kind::Swap, "swap-files"},
     {FilesJob::Kind::Guard, "guard-files"},
     {FilesJob::Kind::GuardAccount, "guard-account"}}};

std::string list_of(const std::vector<media::HashedId>& ids) {
  std::string list;
  for (const media::HashedId& id : ids) text::add_word(list, id.value(), " ");
  return list;
}

// Returns false if one of the words is not an id.
bool take_ids(std::string_view text, std::vector<media::HashedId>& ids) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto id = media::HashedId::parse(word);
    if (!id) return false;
    ids.push_back(*id);
  }
  return true;
}

}  // namespace

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

std::vector<std::string> FilesJob::to_fields() const {
  std::vector<std::string> fields;
  const auto add = [&](const char* name, std::string value) {
    if (value.empty()) return;
    fields.emplace_back(name);
    fields.push_back(std::move(value));
  };
  for (const auto& [each, name] : kFilesJobs) {
    if (each == kind) add("job", std::string(name));
  }
  add("media", media ? media->value() : "");
  add("account", std::to_string(account.value()));
  add("folders", list_of(folders));
  add("taken", list_of(taken));
  if (until != 0) add("until", std::to_string(until));
  add("source", source);
  add("former", former);
  if (kind == Kind::Still) add("at", std::to_string(at));
  add("state", state);
  return fields;
}

bool FilesJob::take_field(std::string_view name, std::string_view value) {
  const auto number = [&] { return base::parse_number<std::int64_t>(value, 0).value_or(0); };
  if (name == "job") {
    const auto* const found =
        std::ranges::find(kFilesJobs, value, &decltype(kFilesJobs)::value_type::second);
    if (found == kFilesJobs.end()) return false;
    kind = found->first;
    return true;
  }
  if (name == "media") {
    media = media::HashedId::parse(value);
    return media.has_value();
  }
  if (name == "folders") return take_ids(value, folders);
  if (name == "taken") return take_ids(value, taken);
  if (name == "account") {
    account = {number()};
  } else if (name == "until") {
    until = number();
  } else if (name == "source") {
    source = std::string(value);
  } else if (name == "former") {
    former = std::string(value);
  } else if (name == "at") {
    at = number();
  } else if (name == "state") {
    state = std::string(value);
  }
  return true;
}

FilesJob FilesJob::of(redis::ReplyView entry) {
  FilesJob job;
  job.id = std::string(entry.at(0).text().value_or(""));
  const redis::ReplyView fields = entry.at(1);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    job.is_readable &=
        job.take_field(fields.at(i).text().value_or(""), fields.at(i + 1).text().value_or(""));
  }
  const bool is_named =
      job.kind == Kind::GuardAccount ? job.account.value() != 0 : job.media.has_value();
  if (!is_named || (job.kind == Kind::Swap && job.taken.empty())) job.is_readable = false;
  return job;
}

}  // namespace svc::stores
