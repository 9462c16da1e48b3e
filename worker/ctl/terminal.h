// terminal: reads input from a terminal or a pipe, and writes escape sequences.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::ctl {

bool is_terminal(int fd);

// Writes `text` unchanged, bypassing text/printable_output, which filters
// escape sequences. The caller must pass untrusted text through printable()
// first. On an error, drops the rest of `text`.
void write_sequences(int fd, std::string_view text);

// Returns the first line of `fd` without its line end. Refuses if the input is
// empty, cannot be read, or the line is longer than 64 KiB.
base::Result<std::string, std::string> read_line(int fd);

// The same; on a terminal, prompts on standard error and turns off the echo.
// The terminal's settings are restored, also after Ctrl-C.
base::Result<std::string, std::string> read_secret_line(int fd, const std::string& prompt);

}  // namespace svc::ctl
