// What the upload pool tells of a file: the JSON in its header.
#include <string>

#include "base/base64.h"
#include "endpoints/uploads/received_upload.h"
#include "fuzz/target.h"
#include "media/id.h"

namespace svc::fuzz {
namespace {

void run(std::string_view input) {
  const std::string now = "2026-01-01T00:00:00Z";
  const auto received = endpoints::ReceivedUpload::parse(base::base64url_encode(input), now);
  if (!received) return;
  const auto again = endpoints::ReceivedUpload::parse(received->to_text(), now);
  require(again && again->digest == received->digest, "it is read as it was written");
  if (!received->form) {
    require(!again->form && again->form.error().status == received->form.error().status,
            "so is a refusal");
    return;
  }
  const media::Media& media = received->form->media;
  require(again->form && again->form->media.name == media.name &&
              again->form->media.description == media.description &&
              again->form->file.name == received->form->file.name,
          "so is a form");
  require(media.account.value() == 0, "it names no account");
  require(media::why_not_given_name(media.name).empty() &&
              media::why_not_given_description(media.description).empty(),
          "its texts are those that a form may have");
}

const Registered registered("received_upload", run);

}  // namespace
}  // namespace svc::fuzz
