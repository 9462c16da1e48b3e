// unicode: forms of a text that mean the same. libunistring and libidn2 stop
// here.
#pragma once

#include <string>
#include <string_view>

namespace svc::text {

// Returns the text in Normalization Form C (UAX #15): é is one character,
// however a keyboard composed it. Text that is not UTF-8 is returned unchanged.
std::string nfc(std::string_view text);

// Returns the text in Normalization Form D: é is a letter and an accent.
std::string nfd(std::string_view text);

// Returns the text in Normalization Form KC, with the decimal digits of all scripts as those of
// ASCII: "12a" for "１２ａ" and "۱۲a". Text that is not UTF-8 is returned unchanged.
std::string with_plain_characters(std::string_view text);

// Returns the text for comparisons without case, in Normalization Form C: "STRASSE" and "Straße"
// are equal. If the text is not UTF-8, only the case of ASCII letters is removed.
std::string folded(std::string_view text);

// Returns the text with its first letter as a capital, if it has such a form.
std::string with_capital(std::string_view text);

// Returns a domain name as DNS and browsers have it (UTS #46, not
// transitional): exämple.de becomes xn--exmple-cua.de. ASCII and any text that is not a domain name
// are returned unchanged.
std::string ascii_domain(std::string_view domain);

// Returns a domain name with its labels in Unicode: exämple.de for
// xn--exmple-cua.de. Any text that is not a domain name is returned unchanged.
std::string unicode_domain(std::string_view domain);

}  // namespace svc::text
