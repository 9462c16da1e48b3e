// The form of an upload. First line: its Content-Type. The rest: its body.
#include <algorithm>
#include <string>

#include "fuzz/target.h"
#include "text/multipart.h"

namespace svc::fuzz {
namespace {

void run(std::string_view input) {
  const auto boundary = text::multipart_boundary(take_line(input));
  if (!boundary) return;
  require(!boundary->empty() && boundary->size() <= 70, "RFC 2046 §5.1.1: 1 to 70 characters");
  const auto form =
      text::read_multipart(*boundary, input.size(), [&](std::uint64_t offset, std::size_t length) {
        require(length <= text::Multipart::kWindow, "a piece is no larger than the window");
        require(offset <= input.size(), "a piece begins in the body");
        return std::string(input.substr(static_cast<std::size_t>(offset), length));
      });
  if (!form) {
    require(!form.error().empty(), "a refusal has a reason");
    return;
  }
  require(form->fields.size() + (form->file ? 1 : 0) <= text::Multipart::kMaxParts,
          "the number of parts is limited");
  for (const auto& field : form->fields) {
    require(input.find(field.value) != std::string_view::npos, "values are as sent");
    require(form->find(field.name) != nullptr, "every field is found");
  }
  if (!form->file) return;
  require(
      form->file->offset <= input.size() && form->file->length <= input.size() - form->file->offset,
      "the file is in the body");
  require(input.substr(static_cast<std::size_t>(form->file->offset + form->file->length))
              .starts_with("\r\n--" + *boundary),
          "a delimiter follows the file");
}

const Registered registered("multipart", run);

}  // namespace
}  // namespace svc::fuzz
