// form: application/x-www-form-urlencoded, the format of query strings and form
// bodies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::text {

// Decodes `+` to a space and %XX to a byte. A percent sign without two hex
// digits stays, because real clients send it. The result may contain any byte.
std::string form_decode(std::string_view text);

struct FormField {
  std::string name;
  std::string value;
};

// Whether the field is NAME as a list: NAME[] or NAME[0].
inline bool is_in_list(std::string_view field, std::string_view name) {
  return field.size() > name.size() && field.starts_with(name) && field[name.size()] == '[';
}

// Form: the decoded fields of a query string, in their order.
class Form {
 public:
  Form() = default;
  explicit Form(std::vector<FormField> fields) : fields_(std::move(fields)) {}
  // Skips empty parts (`&&`). A part without `=` is a name with an empty value.
  // Ignores fields after the first kMaxFields. That is the number that fits
  // into a request line of 8192 bytes (nginx's limit) in parts of two bytes, so
  // parameters in front of `url` cannot displace it.
  static Form parse(std::string_view query);

  // Returns the first field of that name, or nullopt. The view lives as long as
  // the form.
  std::optional<std::string_view> find(std::string_view name) const;
  const std::vector<FormField>& fields() const { return fields_; }

  static constexpr std::size_t kMaxFields = 4096;

 private:
  std::vector<FormField> fields_;
};

}  // namespace svc::text
