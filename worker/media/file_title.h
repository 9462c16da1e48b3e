// file_title: the title of a media that is named like its file (pages-W175).
#pragma once

#include <string>

namespace svc::media {

// "film.mp4" → "film". Returns the name itself if its ending is not that of a type that people
// upload, or the title would be invisible.
std::string title_of_file(const std::string& name);

}  // namespace svc::media
