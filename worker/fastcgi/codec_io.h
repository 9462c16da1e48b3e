// codec_io: makes libfcgi read from and write to memory instead of a
// descriptor.
//
// libfcgi does its input and output with its own functions (fcgios.h), which
// the dynamic linker looks up in the program first: codec_io.cpp defines
// OS_Read, OS_Write and OS_IpcClose. So libfcgi only translates bytes: it
// cannot wait for half a request, read into the next one, close a connection,
// or block on a peer that does not read. It handles one request at a time,
// since a worker has one thread.
#pragma once

#include <string>
#include <string_view>

namespace svc::fastcgi::codec_io {

// From here on, libfcgi reads `bytes`, then end of file. Writes fail.
void read_from(std::string_view bytes);
// From here on, libfcgi's writes are appended to `bytes`. Reads return end of
// file.
void write_to(std::string& bytes);

}  // namespace svc::fastcgi::codec_io
