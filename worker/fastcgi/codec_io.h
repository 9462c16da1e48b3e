// codec_io: what libfcgi reads and writes: memory, in place of a descriptor.
//
// libfcgi does its input and output by functions of its own (fcgios.h), which the dynamic linker
// looks up in the program first: OS_Read, OS_Write and OS_IpcClose stand in codec_io.cpp. So
// libfcgi translates bytes and no more: it cannot wait for half a request, read into the next one,
// close a connection, or wait for a peer that does not read. One request at a time is in its hands,
// since a worker has one thread.
#pragma once

#include <string>
#include <string_view>

namespace svc::fastcgi::codec_io {

// What is read from here on, to its end; then there is nothing more. Nothing can be written.
void read_from(std::string_view bytes);
// Where what is written from here on is appended. Nothing can be read.
void write_to(std::string& bytes);

}  // namespace svc::fastcgi::codec_io
