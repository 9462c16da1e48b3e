// encoded_name: names in MIME headers that clients wrote in ASCII.
//
// RFC 7578 §4.2 wants file names as UTF-8, but mail libraries and some HTTP
// clients encode them as in mail. Both functions know the charsets UTF-8,
// US-ASCII and ISO-8859-1, and return UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/form.h"

namespace svc::text {

// Returns the value of a parameter in the form of RFC 8187
// (name*=UTF-8''na%C3%AFve) or in the parts of RFC 2231 §3 (name*0*=, name*1=).
// `parameters` have names in lower case. Returns an empty text if there is no
// such parameter, or if it is malformed.
std::string extended_parameter(const std::vector<FormField>& parameters, std::string_view name);

// Decodes the encoded words in a text, RFC 2047: =?utf-8?B?bmHDr3Zl?=. Blanks
// between two of them are dropped. All other text is unchanged, and so are
// malformed words.
std::string decode_encoded_words(std::string_view text);

}  // namespace svc::text
