// terminal: what a command is told while it runs: by a person at a terminal, or through a pipe; and
// escape sequences.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::ctl {

bool is_terminal(int fd);

// Writes `text` unchanged, bypassing text/printable_output, which filters escape sequences. The
// caller makes text from outside printable() first. On an error the rest of `text` is dropped.
void write_sequences(int fd, std::string_view text);

// The first line of what comes from there, without its end. The refusal is a sentence.
base::Result<std::string, std::string> read_line(int fd);

// The same; at a terminal after a prompt on standard error, and without an echo. What the terminal
// was set to comes back, also when the person gives up with Ctrl-C.
base::Result<std::string, std::string> read_secret_line(int fd, const std::string& prompt);

}  // namespace svc::ctl
