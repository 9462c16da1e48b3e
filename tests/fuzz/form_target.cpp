// Query strings and forms, and the parameters of an embed code in them. Two
// lines: the query of the oEmbed request, that of the media URL.
#include <string>

#include "embed/embed_request.h"
#include "fuzz/target.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::fuzz {
namespace {

std::string print(const text::Form& form) {
  std::string out;
  for (const text::FormField& field : form.fields()) {
    if (!out.empty()) out += '&';
    out += text::percent_encode(field.name) + "=" + text::percent_encode(field.value);
  }
  return out;
}

void run(std::string_view input) {
  const std::string_view query = take_line(input);
  const text::Form form = text::Form::parse(query);
  require(form.fields().size() <= text::Form::kMaxFields, "a form has at most kMaxFields fields");
  const text::Form again = text::Form::parse(print(form));
  require(again.fields().size() == form.fields().size(), "a printed form has as many fields");
  for (std::size_t i = 0; i < form.fields().size(); ++i) {
    const text::FormField& field = form.fields()[i];
    require(field.name == again.fields()[i].name && field.value == again.fields()[i].value,
            "a printed form has the same fields");
    require(form.find(field.name).has_value(), "every field is found by its name");
  }
  embed::MediaUrl url;
  url.id = "abcdef1234";
  url.query = input;
  const embed::EmbedRequest request = embed::read_embed_request(url, form);
  require(request == embed::read_embed_request(url, again), "equal parameters are equal requests");
  require(request.id.value() == url.id, "parameters do not change the media");
}

const Registered registered("form", run);

}  // namespace
}  // namespace svc::fuzz
