// What a stranger's server sends to svc-courier. First line: bytes per piece. The rest: the
// response.
#include <algorithm>
#include <string>

#include "base/number.h"
#include "courier/answer.h"
#include "fuzz/target.h"
#include "oauth/document_client.h"

namespace svc::fuzz {
namespace {

using courier::Answer;
using courier::AnswerReader;

// The response as a text, or why it is refused; `…` if the connection must bring more.
std::string read_in_pieces(std::string_view bytes, std::size_t piece, bool ends) {
  AnswerReader reader(oauth::kMaxDocument);
  const auto text_of = [](const Answer& answer) {
    require(answer.body.size() <= oauth::kMaxDocument, "a body is within its limit");
    require(answer.status >= 200 && answer.status <= 999, "a response is no interim one");
    for (const std::string* field : {&answer.content_type, &answer.cache_control, &answer.age})
      require(field->size() <= 2 * AnswerReader::kMaxFields, "a field is within its limit");
    return std::to_string(answer.status) + "\n" + answer.content_type + "\n" +
           answer.cache_control + "\n" + answer.age + "\n" + answer.body;
  };
  const auto why = [](const std::string& text) {
    require(!text.empty() && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }),
            "a refusal has a reason in our words");
    return "refused: " + text;
  };
  while (!bytes.empty()) {
    const AnswerReader::Read read = reader.add(bytes.substr(0, piece));
    if (!read) return why(read.error());
    if (*read) return text_of(**read);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  if (!ends) return "…";
  const AnswerReader::Read read = reader.end(true);
  if (!read) return why(read.error());
  require(read->has_value(), "after the end there is a response or a refusal");
  return text_of(**read);
}

void run(std::string_view input) {
  const auto piece = base::parse_number<std::size_t>(take_line(input), 1, 65'536);
  if (!piece) return;
  for (const bool ends : {false, true}) {
    require(read_in_pieces(input, *piece, ends) ==
                read_in_pieces(input, std::max<std::size_t>(input.size(), 1), ends),
            "a response does not depend on how it arrives");
  }
}

const Registered registered("http_answer", run);

}  // namespace
}  // namespace svc::fuzz
