// printable_output: filters everything that a program prints, to a terminal, a file or a pipe.
//
// A terminal executes control characters and direction marks from any source, so the filter
// replaces them, except line feeds. It also replaces bytes that are not UTF-8: a terminal that is
// not in UTF-8 mode executes 0x9B.
#pragma once

#include <iostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace svc::text {

// The replacement: a question mark, or an escape as in a JSON string, with U+FFFD for a byte that
// is not UTF-8. Valid JSON stays valid and keeps its meaning.
enum class Unprintable { QuestionMark, JsonEscape };

// Filters all text that is written to it and passes the result to `out`, which outlives it.
class PrintableBuffer : public std::streambuf {
 public:
  PrintableBuffer(std::streambuf& out, Unprintable how) : out_(out), how_(how) {}

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type overflow(int_type c) override;
  // Treats an incomplete character as bytes that are not UTF-8.
  int sync() override;

 private:
  std::string printable(std::string_view text, bool all);

  std::streambuf& out_;
  const Unprintable how_;
  std::string begun_;  // an incomplete character
};

// Filters std::cout and std::cerr for as long as it lives. Standard error is never JSON.
class PrintableStreams {
 public:
  explicit PrintableStreams(Unprintable on_standard_output)
      : out_(*std::cout.rdbuf(), on_standard_output),
        error_(*std::cerr.rdbuf(), Unprintable::QuestionMark),
        out_before_(std::cout.rdbuf(&out_)),
        error_before_(std::cerr.rdbuf(&error_)) {}
  ~PrintableStreams() {
    std::cout.flush();
    std::cout.rdbuf(out_before_);
    std::cerr.rdbuf(error_before_);
  }
  PrintableStreams(const PrintableStreams&) = delete;
  PrintableStreams& operator=(const PrintableStreams&) = delete;

 private:
  PrintableBuffer out_;
  PrintableBuffer error_;
  std::streambuf* const out_before_;
  std::streambuf* const error_before_;
};

}  // namespace svc::text
