// RequestDecoder: the bytes of one request → http::Request. libfcgi stops here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/request.h"

namespace svc::fastcgi {

class RequestDecoder {
 public:
  // In the worker, after fork(): the first sets up libfcgi's state of the process, and ends the
  // process where libfcgi would not use what codec_io gives it.
  RequestDecoder();
  ~RequestDecoder();
  RequestDecoder(const RequestDecoder&) = delete;
  RequestDecoder& operator=(const RequestDecoder&) = delete;

  // Cut: it ends before its end, or is no request at all. WrongLength: its body is longer than
  // CONTENT_LENGTH says, so it hides something; the request has its path.
  enum class Outcome { Whole, Cut, WrongLength };
  // Reads one whole request (fastcgi/gate). Its views look into `text`.
  Outcome decode(std::string_view bytes, http::Request& request, std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same without a copy and without libfcgi, for a request without a body whose parameters are
// in one record. The views look into `bytes`. False: it is not such a request.
bool view_request(std::string_view bytes, http::Request& request);

// Copies what the request looks into to `text`, into which it looks from then on.
void copy_fields(http::Request& request, std::string& text);

}  // namespace svc::fastcgi
