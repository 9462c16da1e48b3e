// RequestDecoder: the bytes of one request → http::Request. libfcgi stops here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/request.h"

namespace svc::fastcgi {

class RequestDecoder {
 public:
  // Called in the worker, after fork(). The first call initialises libfcgi, and
  // aborts the process if libfcgi does not use the functions of codec_io.
  RequestDecoder();
  ~RequestDecoder();
  RequestDecoder(const RequestDecoder&) = delete;
  RequestDecoder& operator=(const RequestDecoder&) = delete;

  // Cut: the bytes are not a whole request, or the body is shorter than
  // CONTENT_LENGTH. WrongLength: the body is longer than CONTENT_LENGTH, or
  // that is not a number; `request` is set nevertheless.
  enum class Outcome { Whole, Cut, WrongLength };
  // Decodes one whole request (fastcgi/request_inspection). The views in `request` refer to
  // `text`.
  Outcome decode(std::string_view bytes, http::Request& request, std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Decodes without a copy and without libfcgi, if the request lacks a body and
// its parameters are in one record. The views refer to `bytes`. Returns false
// for any other request.
bool view_request(std::string_view bytes, http::Request& request);

// Copies the fields of the request to `text`; its views refer to `text`
// afterwards.
void copy_fields(http::Request& request, std::string& text);

}  // namespace svc::fastcgi
