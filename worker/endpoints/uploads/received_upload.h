// ReceivedUpload: what the upload pool found in the body of an upload. nginx takes it from that
// pool's response to the pool that permitted the upload (endpoints/uploads/upload_commit.h), which
// checks it again: the upload pool reads strangers' bytes, so it may be wrong or lie. It names
// neither an account nor an id nor a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "media/upload_form.h"
#include "text/multipart.h"

namespace svc::endpoints {

struct ReceivedUpload {
  // The header of the upload pool's response.
  static constexpr std::string_view kHeader = "X-Svc-Upload";
  // The status of that response, by which nginx knows it. No client sees it.
  static constexpr int kStatus = 307;

  // Why an upload is refused.
  struct Problem {
    int status = 422;  // 415, 422 or 507
    media::FormProblem problem;
  };

  std::string digest;  // equal for two equal forms (canonical_form())
  // The file is kept if there is no problem.
  base::Result<media::UploadForm, Problem> form;

  // As the header has it: base64url, of at most 20 KiB.
  std::string to_text() const;
  // Returns nullopt if the text has another form. `now`: RFC 3339.
  static std::optional<ReceivedUpload> parse(std::string_view text, const std::string& now);
};

}  // namespace svc::endpoints
