#include "endpoints/body_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <numeric>
#include <utility>

#include "base/digest.h"
#include "base/hex.h"
#include "media/record_fields.h"
#include "media/upload_form.h"
#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::string_view kGivenTwice = "is given twice";
constexpr std::string_view kNotAFile = "must be a text, not a file";
constexpr std::size_t kMostNested = 32;
// A refusal lists at most this many repeated fields, so that a hostile body does not make it long.
constexpr std::size_t kMostTwice = 20;

base::Refusal<http::Response> refuse_body(int status, const std::string& words) {
  return base::Refusal{http::api_error(status, words)};
}

// "Text/HTML; charset=x" → "text/html"
std::string media_type(std::string_view content_type) {
  return text::to_lower(text::trimmed(content_type.substr(0, content_type.find(';'))));
}

void append_canonical(std::string& out, const text::json::Value& value) {
  if (const auto string = value.string()) {
    text::json::append_string(out, *string);
  } else if (const auto number = value.number()) {
    const auto integer = value.integer();
    if (integer) {
      out += std::to_string(*integer);
    } else {
      std::array<char, 32> digits{};  // the shortest ones that are this number again
      out.append(digits.data(),
                 std::to_chars(digits.data(), digits.data() + digits.size(), *number).ptr);
    }
  } else if (const auto boolean = value.boolean()) {
    out += *boolean ? "true" : "false";
  } else if (value.is_array()) {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      append_canonical(out, value.at(i));
      out += ',';
    }
    out += ']';
  } else if (value.is_object()) {
    std::vector<std::size_t> order(value.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return value.key(i); });
    out += '{';
    for (const std::size_t i : order) {
      text::json::append_string(out, value.key(i));
      out += ':';
      append_canonical(out, value.member(i));
      out += ',';
    }
    out += '}';
  } else {
    out += "null";
  }
}

// NAME, or NAME as a list.
bool is_list_field(std::string_view name, std::string_view field) {
  return field == name || text::is_in_list(field, name);
}

// `file`: the text that represents its content.
template <class Field>
std::string canonical_members(const std::vector<Field>& fields,
                              const std::optional<text::Multipart::File>& of_file,
                              std::string_view file) {
  std::vector<std::pair<std::string_view, std::string_view>> members;
  for (const Field& each : fields) members.emplace_back(each.name, each.value);
  std::string of_name;
  if (of_file) {
    of_name = of_file->field + "/" + of_file->name;
    members.emplace_back(of_name, file);
  }
  std::ranges::sort(members);
  std::string out = "{";
  for (const auto& [name, value] : members) {
    text::json::append_string(out, name);
    out += ':';
    text::json::append_string(out, value);
    out += ',';
  }
  return out + "}";
}

}  // namespace

std::string in_kib(std::size_t bytes) { return std::to_string(bytes / 1024) + " KiB"; }

DescribedField describe_name(bool is_required, std::string example) {
  return {std::string(kNameField), text_up_to(media::kMaxNameBytes),
          "One line with a visible character. At most " + std::to_string(media::kMaxNameBytes) +
              " bytes in JSON, where each <, > and & takes six. Blanks at its ends are cut off.",
          is_required, std::move(example)};
}

DescribedField describe_description() {
  constexpr std::size_t kMost = media::kMaxUploadDescriptionBytes;
  return {std::string(kDescriptionField), or_null(text_up_to(kMost)),
          "At most " + std::to_string(kMost / 1024) +
              " KiB in JSON, where each <, > and & takes six. Null empties it.",
          false, R"("In two lines")"};
}

std::string any_text(const std::string& /*text*/) { return ""; }

base::Result<BodyFields, http::Response> BodyFields::read(const http::Request& request,
                                                          std::size_t most) {
  BodyFields fields;
  fields.body_ = request.body;
  if (request.body.empty()) return fields;
  const std::string type = media_type(request.content_type);
  const auto boundary = text::multipart_boundary(request.content_type);
  if (type != kJsonType && type != kFormType && !boundary)
    return refuse_body(415, "the body must be " + std::string(kJsonType) + ", " +
                                std::string(kFormType) + " or multipart/form-data with a boundary");
  if (request.body.size() > most)
    return refuse_body(413, "the body is larger than " + in_kib(most));
  if (type == kJsonType) {
    if (text::json::is_nested_deeper(request.body, kMostNested))
      return refuse_body(
          400, "the body is nested deeper than " + std::to_string(kMostNested) + " levels");
    fields.document_ = std::make_unique<text::json::Document>();
    const auto value = fields.document_->parse(request.body);
    if (!value) return refuse_body(400, "the body is not JSON: " + value.error());
    if (!value->is_object()) return refuse_body(400, "the body must be a JSON object");
    fields.object_ = *value;
  } else if (boundary) {
    const auto piece = [&](std::uint64_t offset, std::size_t length) {
      return std::string(
          request.body.substr(std::min<std::size_t>(offset, request.body.size()), length));
    };
    // It is in memory, so its fields may be anywhere.
    auto form = text::read_multipart(*boundary, request.body.size(), piece, request.body.size());
    if (!form) return refuse_body(400, form.error());
    for (text::Multipart::Field& field : form->fields)
      fields.fields_.push_back({std::move(field.name), std::move(field.value)});
    fields.file_ = std::move(form->file);
  } else {
    fields.fields_ = text::Form::parse(request.body).fields();
    // The parser ignores further fields.
    if (fields.fields_.size() == text::Form::kMaxFields)
      return refuse_body(
          400, "the form has " + std::to_string(text::Form::kMaxFields) + " fields or more");
  }
  fields.refuse_doubles();
  return fields;
}

loop::Task<base::Result<BodyFields, http::Response>> BodyFields::read_long(
    const http::Request& request, std::size_t most, loop::HeavyWork& heavy,
    std::shared_ptr<loop::HeavyWork::Ticket> ticket) {
  using Read = base::Result<BodyFields, http::Response>;
  if (request.body.size() <= loop::HeavyWork::kLight) co_return read(request, most);
  std::function<Read()> reading = [copy = std::make_shared<const std::string>(request.body),
                                   type = std::string(request.content_type), most] {
    http::Request of_copy;
    of_copy.body = *copy;
    of_copy.content_type = type;
    Read fields = read(of_copy, most);
    if (fields) {
      fields->copy_ = copy;
      fields->canonical_ = fields->canonical();
    }
    return fields;
  };
  co_return co_await heavy.run<Read>(std::move(ticket), std::move(reading));
}

void BodyFields::refuse_doubles() {
  std::vector<std::string_view> names;
  for (const text::FormField& each : fields_) {
    if (!each.name.ends_with("[]")) names.push_back(each.name);
  }
  if (file_) names.push_back(file_->field);
  for (std::size_t i = 0; object_ && i < object_->size(); ++i) names.push_back(object_->key(i));
  std::ranges::sort(names);
  for (std::size_t i = 1; i < names.size() && wrong_.size() < kMostTwice; ++i) {
    if (names[i] == names[i - 1] && (i < 2 || names[i] != names[i - 2]))
      refuse(names[i], std::string(kGivenTwice));
  }
}

std::optional<text::json::Value> BodyFields::member(std::string_view name) const {
  return object_ ? object_->find(name) : std::nullopt;
}

const std::string* BodyFields::field(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &text::FormField::name);
  return found == fields_.end() ? nullptr : &found->value;
}

bool BodyFields::has(std::string_view name) const {
  return member(name).has_value() || field(name) != nullptr || file(name) != nullptr;
}

bool BodyFields::has_list(std::string_view name) const {
  if (object_) return has(name);
  return (file_ && is_list_field(name, file_->field)) ||
         std::ranges::any_of(
             fields_, [&](const text::FormField& each) { return is_list_field(name, each.name); });
}

bool BodyFields::is_null(std::string_view name) const {
  const auto value = member(name);
  return value && value->is_null();
}

std::optional<std::string> BodyFields::text(std::string_view name, WhyNot why_not) {
  std::optional<std::string> text;
  if (file(name) != nullptr) {
    refuse(name, std::string(kNotAFile));
    return std::nullopt;
  }
  // Ignored, domain[]=site.example would make a link for every site.
  if (std::ranges::any_of(fields_, [&](const text::FormField& each) {
        return text::is_in_list(each.name, name);
      })) {
    refuse(name, std::string(media::kNotAList));
    return std::nullopt;
  }
  if (const auto value = member(name)) {
    if (value->is_null()) return std::nullopt;
    const auto string = value->string();
    if (!string) {
      refuse(name, "must be a string");
      return std::nullopt;
    }
    text = std::string(*string);
  } else if (const std::string* const sent = field(name)) {
    text = *sent;
  }
  if (!text) return std::nullopt;
  if (!text::is_utf8(*text)) {
    refuse(name, "must be UTF-8");
    return std::nullopt;
  }
  if (std::string why = why_not(*text); !why.empty()) {
    refuse(name, std::move(why));
    return std::nullopt;
  }
  return text;
}

std::optional<media::OptionValue> BodyFields::scalar(std::string_view name) const {
  if (const auto value = member(name)) return media::option_value(*value);
  const std::string* const sent = field(name);
  if (sent == nullptr || !text::is_utf8(*sent)) return std::nullopt;
  return *sent;
}

std::string BodyFields::required_text(std::string_view name, WhyNot why_not) {
  if (!has(name) || is_null(name)) {
    refuse(name, "is required");
    return "";
  }
  return text(name, why_not).value_or("");
}

std::vector<std::string> BodyFields::required_texts(std::string_view name, std::size_t most) {
  return read_texts(name, 1, most);
}

std::optional<std::vector<std::string>> BodyFields::texts(std::string_view name, std::size_t most) {
  if (is_null(name) || !has_list(name)) return std::nullopt;
  return read_texts(name, 0, most);
}

std::vector<std::string> BodyFields::read_texts(std::string_view name, std::size_t least,
                                                std::size_t most) {
  std::vector<std::string> texts;
  std::string range =
      "must be " + std::to_string(least) + " to " + std::to_string(most) + " strings";
  if (file_ && is_list_field(name, file_->field)) {
    refuse(name, std::string(kNotAFile));
    return {};
  }
  if (!object_) return read_texts_of_form(name, least, most, std::move(range));
  const auto value = member(name);
  if (value && !value->is_array()) {
    refuse(name, std::move(range));
    return {};
  }
  for (std::size_t i = 0; value && i < value->size(); ++i) {
    const auto string = value->at(i).string();
    if (!string) {
      refuse(name, std::move(range));
      return {};
    }
    texts.emplace_back(*string);
  }
  if (texts.size() < least || texts.size() > most) refuse(name, std::move(range));
  return texts;
}

// A text under another name than NAME[] must not be taken for an empty list.
std::vector<std::string> BodyFields::read_texts_of_form(std::string_view name, std::size_t least,
                                                        std::size_t most, std::string range) {
  std::vector<std::string> texts;
  const std::string in_form = std::string(name) + "[]";
  bool is_empty_list = false;
  bool is_other = false;
  for (const text::FormField& each : fields_) {
    if (each.name == in_form) {
      texts.push_back(each.value);
    } else if (each.name == name && each.value.empty()) {
      is_empty_list = true;
    } else if (is_list_field(name, each.name)) {
      is_other = true;
    }
  }
  if (is_other || (is_empty_list && !texts.empty()) || texts.size() < least ||
      texts.size() > most) {
    refuse(name, std::move(range) + ", in a form each as " + in_form);
    return {};
  }
  return texts;
}

const text::Multipart::File* BodyFields::file(std::string_view name) const {
  return file_ && file_->field == name ? &*file_ : nullptr;
}

std::string_view BodyFields::bytes_of(const text::Multipart::File& file) const {
  return body_.substr(static_cast<std::size_t>(file.offset), static_cast<std::size_t>(file.length));
}

void BodyFields::refuse(std::string_view name, std::string words) {
  wrong_.push_back({std::string(name), std::move(words)});
}

bool BodyFields::refused(std::string_view name) const {
  return std::ranges::find(wrong_, name, &http::InvalidField::field) != wrong_.end();
}

std::optional<http::Response> BodyFields::refused() const {
  if (wrong_.empty()) return std::nullopt;
  return http::api_invalid_fields(wrong_);
}

std::string BodyFields::canonical() const {
  if (!canonical_.empty()) return canonical_;
  if (object_) {
    std::string out;
    append_canonical(out, *object_);
    return out;
  }
  return canonical_members(fields_, file_,
                           file_ ? base::to_hex(base::sha256(bytes_of(*file_))) : "");
}

std::string canonical_form(const text::Multipart& form) {
  return canonical_members(form.fields, form.file,
                           form.file ? std::to_string(form.file->length) : "");
}

}  // namespace svc::endpoints
