// BodyFields: the fields of a request's body, from JSON or a form (api-N7).
//
// Every reader returns a value in any case and remembers each problem, so an endpoint reads all
// fields and asks for refused() once. Fields that the endpoint does not read are ignored, unless
// they are given twice.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "endpoints/description.h"
#include "http/api_error.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/heavy_work.h"
#include "loop/task.h"
#include "media/customizations.h"
#include "text/form.h"
#include "text/json.h"
#include "text/multipart.h"

namespace svc::endpoints {

// The limit for a record: a media, a project, customizations.
inline constexpr std::size_t kMaxRecordBody = 64 * 1024;  // bytes
// As nginx and the listener allow it: a file of captions::kMaxFileBytes with its form, or as a
// string of JSON.
inline constexpr std::size_t kMaxCaptionsBody = 3 << 20;
std::string in_kib(std::size_t bytes);  // "64 KiB"

// Fields that the bodies of several records have, as an application or a form may set them.
inline constexpr std::string_view kNameField = "name";
inline constexpr std::string_view kDescriptionField = "description";
DescribedField describe_name(bool is_required, std::string example);
DescribedField describe_description();

// A BodyFields::WhyNot without problems.
std::string any_text(const std::string& text);

class BodyFields {
 public:
  // Reads a JSON object, `x-www-form-urlencoded` or `multipart/form-data`. An empty body has no
  // fields, whatever its media type. The refusal is the response: 415, 413 beyond `most` bytes, 400
  // for a body that cannot be read. The body outlives the result.
  static base::Result<BodyFields, http::Response> read(const http::Request& request,
                                                       std::size_t most = kMaxRecordBody);

  // The same of a body that may be long (loop/heavy_work.h): in a thread, from a copy.
  static loop::Task<base::Result<BodyFields, http::Response>> read_long(
      const http::Request& request, std::size_t most, loop::HeavyWork& heavy,
      std::shared_ptr<loop::HeavyWork::Ticket> ticket);

  bool has(std::string_view name) const;      // given, also as null or as a file
  bool is_null(std::string_view name) const;  // only JSON has nulls

  // Returns nullopt if the field is absent or null, and refuses a file. `why_not` returns the
  // problem of a text, such as "must not be empty", or an empty text.
  using WhyNot = std::string (*)(const std::string& text);
  std::optional<std::string> text(std::string_view name, WhyNot why_not);
  // As text(), but refuses a field that is absent or null.
  std::string required_text(std::string_view name, WhyNot why_not);

  // Returns a boolean, a number or a string as it was sent; a form has strings only. Returns
  // nullopt for another value, a string that is not UTF-8, or none.
  std::optional<media::OptionValue> scalar(std::string_view name) const;

  // Returns the texts of a JSON array, or of each field `NAME[]` of a form, where `NAME=` alone is
  // the empty array. Refuses an absent or empty one, more than `most`, and `NAME` or `NAME[0]` in a
  // form.
  std::vector<std::string> required_texts(std::string_view name, std::size_t most);
  // As required_texts(), but may be empty. nullopt: absent or null.
  std::optional<std::vector<std::string>> texts(std::string_view name, std::size_t most);

  // A file of a multipart form; nullptr if there is none of that name.
  const text::Multipart::File* file(std::string_view name) const;
  std::string_view bytes_of(const text::Multipart::File& file) const;

  // The members of a JSON object, and whether the body is one. A form has fields() instead.
  const text::json::Value* object() const { return object_ ? &*object_ : nullptr; }
  const std::vector<text::FormField>& fields() const { return fields_; }

  void refuse(std::string_view name, std::string words);
  // Whether that field was refused.
  bool refused(std::string_view name) const;
  // The 422, if a field was refused.
  std::optional<http::Response> refused() const;

  // A canonical text of the fields that a client sent, for the comparison of two bodies: in the
  // order of their names, files by name and content.
  std::string canonical() const;

 private:
  std::optional<text::json::Value> member(std::string_view name) const;
  const std::string* field(std::string_view name) const;
  bool has_list(std::string_view name) const;
  std::vector<std::string> read_texts(std::string_view name, std::size_t least, std::size_t most);
  std::vector<std::string> read_texts_of_form(std::string_view name, std::size_t least,
                                              std::size_t most, std::string range);
  void refuse_doubles();

  std::string_view body_;
  std::shared_ptr<const std::string> copy_;  // of a long body; nullptr: the request's
  std::string canonical_;                    // of a long body
  std::unique_ptr<text::json::Document> document_;
  std::optional<text::json::Value> object_;
  std::vector<text::FormField> fields_;
  std::optional<text::Multipart::File> file_;
  std::vector<http::InvalidField> wrong_;
};

// As BodyFields::canonical(), of a form whose file is not read: by its name and size.
std::string canonical_form(const text::Multipart& form);

}  // namespace svc::endpoints
