// The bytes that nginx sends: the inspection, both decoders of requests, and the
// replies to records that are not requests.
#include <algorithm>
#include <array>
#include <string>

#include "fastcgi/record.h"
#include "fastcgi/request_decoder.h"
#include "fastcgi/request_inspection.h"
#include "fuzz/target.h"

namespace svc::fuzz {
namespace {

using namespace svc::fastcgi;

constexpr Limits kLimits{2000, 1000};

constexpr std::array kFields{
    &http::Request::method,        &http::Request::path,         &http::Request::query,
    &http::Request::scheme,        &http::Request::host,         &http::Request::remote_address,
    &http::Request::request_id,    &http::Request::content_type, &http::Request::if_none_match,
    &http::Request::authorization, &http::Request::cookie,       &http::Request::origin,
    &http::Request::user_agent,    &http::Request::body};

// Returns the only record in `bytes`.
Record only_record(std::string_view bytes) {
  Record record;
  require(read_record(bytes, record) == RecordState::Whole && record.size == bytes.size(),
          "a reply is one record");
  return record;
}

void check_request(std::string_view request, const Inspection& inspection) {
  const std::string plain = without_padding(request);
  const Inspection again = inspect(plain, kLimits);
  require(again.verdict == Verdict::Pass && again.size == plain.size() && !again.padded &&
              again.request_id == inspection.request_id && again.keeps == inspection.keeps,
          "a request without its padding is the same request");
  require(inspection.padded || inspection.size >= plain.size(), "padding is only removed");

  static RequestDecoder decoder;
  http::Request decoded;
  std::string text;
  const auto outcome = decoder.decode(plain, decoded, text);
  http::Request viewed;
  if (view_request(plain, viewed)) {
    require(outcome == RequestDecoder::Outcome::Whole,
            "libfcgi decodes what is decoded without it");
    for (const auto field : kFields)
      require(decoded.*field == viewed.*field, "both decoders have the same result");
  }
  if (outcome != RequestDecoder::Outcome::Cut)
    require(decoded.body.size() <= kLimits.body, "a body has at most the allowed size");
}

void run(std::string_view bytes) {
  const Inspection inspection = inspect(bytes, kLimits);
  require(inspection.size <= bytes.size(), "a request ends within the bytes");
  switch (inspection.verdict) {
    case Verdict::NeedMore: break;
    case Verdict::Pass: check_request(bytes.substr(0, inspection.size), inspection); break;
    case Verdict::GetValues: {
      const std::string reply = answer_get_values(bytes.substr(0, inspection.size));
      const Record record = only_record(reply);
      require(record.type == RecordType::GetValuesResult && record.id == 0,
              "GET_VALUES has its reply");
      std::string_view pairs = record.content;
      std::string_view name;
      std::string_view value;
      int count = 0;
      while (take_pair(pairs, name, value)) ++count;
      require(pairs.empty() && count <= 3, "a reply has each known name at most once");
      break;
    }
    case Verdict::UnknownType: {
      const std::string reply = unknown_type(inspection.type);
      const Record record = only_record(reply);
      require(
          record.type == RecordType::UnknownType && record.id == 0 && record.content[0] == bytes[1],
          "a reply names the unknown type");
      break;
    }
    case Verdict::Abort:
    case Verdict::UnknownRole: {
      const std::string reply = inspection.verdict == Verdict::Abort
                                    ? aborted(inspection.request_id)
                                    : unknown_role(inspection.request_id);
      const Record record = only_record(reply);
      require(record.type == RecordType::EndRequest && record.id == inspection.request_id &&
                  record.id != 0 && record.content.size() == 8,
              "the request of that id ends");
      break;
    }
    case Verdict::Ignore:
    case Verdict::TooLarge:
    case Verdict::Refuse: break;
  }
  // However the bytes arrive: the verdict on the first bytes is that more are
  // needed, or the final one.
  for (const std::size_t cut :
       {bytes.size() / 2, bytes.size() - std::min<std::size_t>(bytes.size(), 1)}) {
    const Inspection early = inspect(bytes.substr(0, cut), kLimits);
    require(early.verdict == Verdict::NeedMore ||
                (early.verdict == inspection.verdict && early.size == inspection.size &&
                 early.request_id == inspection.request_id),
            "more bytes do not change a verdict");
  }
}

const Registered registered("fastcgi", run);

}  // namespace
}  // namespace svc::fuzz
