// upload_form: the form of an upload → the media that it asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/result.h"
#include "media/media.h"
#include "media/uploads.h"
#include "text/multipart.h"

namespace svc::media {

inline constexpr std::string_view kFileField = "file";
inline constexpr std::string_view kProjectField = "project_id";
// What is wrong with a form's text that is sent as NAME[].
inline constexpr std::string_view kNotAList = "must be one text, not a list";

struct UploadForm {
  Media media;  // without id, account and status
  UploadedFile file;
};

// Why a form is refused, in words for the client.
struct FormProblem {
  std::string_view field;
  std::string words;  // "must be …"; for the file a sentence

  std::string sentence() const {
    return field == kFileField ? words : std::string(field) + " " + words;
  }
};

// Reads the fields file, name, project_id, description and visibility; ignores others.
// Limits count the stored text. Without a name, the media is
// named like the file. `now`: RFC 3339.
base::Result<UploadForm, FormProblem> read_upload_form(const text::Multipart& form,
                                                       const std::string& now);

// As stored. Less than an import allows: the state Redis has the records of all uploads.
inline constexpr std::size_t kMaxUploadDescriptionBytes = 8 * 1024;

// Check values that an application or a form sets in a media or project. Return the problem, such
// as "must be …", or "".
std::string why_not_given_name(const std::string& name);  // as stored, without blanks at its ends
std::string why_not_given_description(const std::string& description);
std::string why_not_link_name(const std::string& name);  // "" is a name

// The name of a media whose upload lacks a usable name.
inline constexpr std::string_view kFallbackName = "Untitled";

// Returns the id of the media of an upload: the same for a request and its
// repetitions. `request_id` is random (nginx's $request_id).
HashedId id_of_upload(std::string_view request_id);
// A random id.
HashedId new_id(base::Entropy& entropy);

}  // namespace svc::media
