// form: application/x-www-form-urlencoded, as query strings and form bodies carry it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::text {

// `+` is a space, %XX a byte; a percent sign that no two hex digits follow stays as it is, because
// real clients send it. The answer may hold any byte.
std::string form_decode(std::string_view text);

struct FormField {
  std::string name;
  std::string value;
};

// Form: the fields of one query string, decoded, in the order they came.
class Form {
 public:
  Form() = default;
  // Empty pieces (`&&`) are left out; a piece without `=` is a name with an empty value. Fields
  // past kMaxFields are left out: as many as a request line of nginx's can hold, 8192 bytes in
  // pieces of two, so that nobody's `url` is lost behind parameters that nobody reads.
  static Form parse(std::string_view query);

  // The first field of that name; a view that lives as long as the form.
  std::optional<std::string_view> find(std::string_view name) const;
  const std::vector<FormField>& fields() const { return fields_; }

  static constexpr std::size_t kMaxFields = 4096;

 private:
  std::vector<FormField> fields_;
};

}  // namespace svc::text
