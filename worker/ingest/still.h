// still: one picture of a video that svc-ingest has made, or of an image.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ingest/commands.h"
#include "ingest/limits.h"
#include "ingest/transcoder.h"

namespace svc::ingest {

// Blocks until `folder` has kStillFile, or returns why it has not. Creates the folder if it does
// not exist. Calls `alive` about once per second.
std::optional<Failure> make_still(const Moment& moment, const std::string& folder,
                                  const Limits& limits, const std::function<void()>& alive);

// The same with a picture of an image that was uploaded, by its absolute path. Fails for good if
// the image cannot be read.
std::optional<Failure> make_picture(const std::string& image, const std::string& folder,
                                    const Limits& limits, const std::function<void()>& alive);

}  // namespace svc::ingest
