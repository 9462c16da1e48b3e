// caption_list: the captions of a media, by their languages.
#pragma once

#include <string>
#include <vector>

#include "captions/language.h"
#include "media/media.h"

namespace svc::library {

// The language of captions of any origin; an invalid tag is "und".
captions::Language language_of(const media::Captions& captions);

// Returns the captions in a language: of several the default ones, else the first. Returns nullptr
// if the list has none.
const media::Captions* find_captions(const std::vector<media::Captions>& list,
                                     const captions::Language& language);

// The native name of the language, with its tag or a number if captions of the list have that name.
std::string label_for(const captions::Language& language, const std::vector<media::Captions>& list);

// Returns the captions that an import or a conversion made, in place of those that it made before:
// captions that clients set stay, and take precedence in their languages.
std::vector<media::Captions> with_set_captions(std::vector<media::Captions> made,
                                               const std::vector<media::Captions>& stored);

}  // namespace svc::library
