#include "endpoints/uploads/received_upload.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/base64.h"
#include "media/id.h"
#include "media/media.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kFormDigest = "digest";
constexpr std::string_view kProblemStatus = "status";
constexpr std::string_view kProblemField = "field";
constexpr std::string_view kProblemWords = "words";
constexpr std::string_view kFormFileName = "file_name";
constexpr std::string_view kFileOffset = "offset";
constexpr std::string_view kFileLength = "length";

// The fields of a form, by their names in it.
constexpr auto kFormFields = std::to_array<std::string_view>(
    {"name", "description", media::kProjectField, media::kVisibilityField});

constexpr auto kRefusedWith = std::to_array<std::int64_t>({415, 422, 507});

std::optional<std::uint64_t> file_size_in(const text::json::Value& json, std::string_view name) {
  const auto value = json.find(name);
  const auto number = value ? value->integer() : std::nullopt;
  if (!number || *number < 0 || *number > media::kMaxIntegerId) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::string> form_text_in(const text::json::Value& json, std::string_view name) {
  const auto value = json.find(name);
  const auto text = value ? value->string() : std::nullopt;
  if (!text) return std::nullopt;
  return std::string(*text);
}

std::optional<ReceivedUpload::Problem> problem_in(const text::json::Value& json,
                                                  std::int64_t status) {
  const auto field = form_text_in(json, kProblemField);
  auto words = form_text_in(json, kProblemWords);
  if (!field || !words || std::ranges::find(kRefusedWith, status) == kRefusedWith.end())
    return std::nullopt;
  const auto* const known = std::ranges::find(kFormFields, *field);
  return ReceivedUpload::Problem{
      static_cast<int>(status),
      {known == kFormFields.end() ? media::kFileField : *known, *std::move(words)}};
}

}  // namespace

std::string ReceivedUpload::to_text() const {
  std::string text;
  text::json::ObjectWriter json(text);
  json.string(kFormDigest, digest);
  if (form) {
    const media::Media& media = form->media;
    json.string(kFormFields[0], media.name);
    if (!media.description.empty()) json.string(kFormFields[1], media.description);
    if (media.project) json.string(kFormFields[2], media.project->value());
    if (media.visibility) json.string(kFormFields[3], media::to_text(*media.visibility));
    json.string(kFormFileName, form->file.name)
        .integer(kFileOffset, static_cast<std::int64_t>(form->file.offset))
        .integer(kFileLength, static_cast<std::int64_t>(form->file.length));
  } else {
    const Problem& why = form.error();
    json.integer(kProblemStatus, why.status)
        .string(kProblemField, why.problem.field)
        .string(kProblemWords, why.problem.words);
  }
  json.end();
  return base::base64url_encode(text);
}

std::optional<ReceivedUpload> ReceivedUpload::parse(std::string_view text, const std::string& now) {
  const auto plain = base::base64url_decode(text);
  if (!plain) return std::nullopt;
  text::json::Document document;
  const auto json = document.parse(*plain);
  if (!json || !json->is_object()) return std::nullopt;
  auto digest = form_text_in(*json, kFormDigest);
  if (!digest) return std::nullopt;
  const auto refused = [&](Problem problem) {
    return ReceivedUpload{std::move(*digest), base::Refusal{std::move(problem)}};
  };
  if (const auto status = json->find(kProblemStatus)) {
    auto problem = problem_in(*json, status->integer().value_or(0));
    if (!problem) return std::nullopt;
    return refused(*std::move(problem));
  }
  auto file_name = form_text_in(*json, kFormFileName);
  const auto offset = file_size_in(*json, kFileOffset);
  const auto length = file_size_in(*json, kFileLength);
  if (!file_name || !offset || !length) return std::nullopt;
  text::Multipart fields;
  fields.file = {std::string(media::kFileField), *std::move(file_name), *offset, *length};
  for (const std::string_view name : kFormFields) {
    if (auto value = form_text_in(*json, name))
      fields.fields.push_back({std::string(name), *std::move(value)});
  }
  auto form = media::read_upload_form(fields, now);
  if (!form) return refused({422, form.error()});
  return ReceivedUpload{std::move(*digest), *std::move(form)};
}

}  // namespace svc::endpoints
