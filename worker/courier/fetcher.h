// Fetcher: fetches a small JSON document from a server whose name is untrusted input.
//
// HTTPS with the server's certificate, no redirect, no compression, a limit of bytes, and one of
// time for everything together. Only public addresses (base/public_address.h): a name is resolved
// once, and only a checked address is connected to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/look_up.h"
#include "base/result.h"
#include "base/tls.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "loop/threads.h"

namespace svc::courier {

struct Document {
  std::string text;
  std::int64_t fresh = 0;  // seconds for which it may be stored
};

class Fetcher {
 public:
  static constexpr base::Duration kTime = std::chrono::seconds(5);

  using LookUp =
      std::function<base::Result<std::vector<std::string>, std::string>(const std::string& host)>;

  // `tls` and the loop outlive it. `most`: bytes of a document. `allow_loopback`: a host that is
  // itself localhost or an address of loopback may be connected to, on any port.
  Fetcher(const base::TlsClient& tls, std::size_t most, bool allow_loopback, loop::Loop& loop,
          LookUp look_up = base::look_up);

  // `url` begins with https:// and has only characters of a URI. Returns the document, or why it
  // failed; that contains no text of the server. Throws nothing.
  loop::Task<base::Result<Document, std::string>> fetch(std::string url);

 private:
  struct Target;
  class Exchange;

  using Literals = base::Result<std::vector<std::string>, std::string>;
  loop::Task<Literals> resolve(std::string host, base::TimePoint until);

  const base::TlsClient& tls_;
  const std::size_t most_;
  const bool allow_loopback_;
  loop::Loop& loop_;
  const LookUp look_up_;
  std::size_t looking_up_ = 0;  // threads, which can outlive their fetches
  loop::Threads threads_;       // last: it refers to the others
};

}  // namespace svc::courier
