// tls: the client's side of TLS 1.2 and 1.3 (RFC 5246, RFC 8446), without a
// socket: the caller moves the encrypted bytes.
//
// The server's certificate is always verified: its chain, its validity period,
// its purpose, and the name or address of the host (RFC 6125). Renegotiation is
// refused. Sessions are not resumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace svc::base {

// Paths of PEM files. `certificate` may be followed by the certificates of
// intermediate CAs; it and `key` are both set or both empty.
struct TlsFiles {
  std::string ca;           // empty: the system's CAs
  std::string certificate;  // the client's, for mutual TLS; empty: none
  std::string key;          // its private key, without a passphrase

  bool operator==(const TlsFiles&) const = default;
};

// The configuration that many sessions share. It is read once, and workers
// inherit it by fork().
class TlsClient {
 public:
  // Reads the files. `settings` begins the settings' names in errors, as in
  // `redis-tls`: `redis-tls-ca-file`, `redis-tls-cert-file`,
  // `redis-tls-key-file`. The refusal names setting and path, and never contains
  // content of a file. The key's file needs a mode as read_secret_file() does.
  static Result<TlsClient, std::string> load(const TlsFiles& files, std::string settings);

 private:
  friend class TlsSession;
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  TlsClient() = default;

  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::string settings_;
  bool has_certificate_ = false;
};

// One connection. No function blocks or throws, apart from the constructor.
class TlsSession {
 public:
  enum class State : std::uint8_t { Handshake, Open, Closed, Failed };

  // `host` is a name, also sent to the server (RFC 6066 §3), or a literal
  // address; the certificate must contain it. Throws std::runtime_error if
  // memory is exhausted or `host` is not a possible name.
  TlsSession(const TlsClient& client, const std::string& host);

  State state() const { return state_; }
  // Why the state is Failed.
  const std::string& error() const { return error_; }

  // Adds bytes that the peer sent.
  void receive(std::string_view bytes);
  // Continues the handshake with the bytes received so far. Returns the state.
  State shake_hands();
  // Encrypts `bytes`. Returns false, and is Failed, if that is impossible. The
  // state must be Open.
  bool write(std::string_view bytes);
  // Decrypts into `into`; returns the number of bytes. Returns 0 if more bytes
  // of the peer are needed, or the session is Closed by the peer's close_notify
  // or Failed.
  std::size_t read(std::span<char> into);
  // Appends the bytes to send to the peer, and forgets them.
  void take_output(std::string& to);
  // Adds a close_notify to the output if the state is Open or Closed.
  void close();

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  void fail(int code);

  const TlsClient& client_;
  const std::string host_;
  std::unique_ptr<ssl_st, Free> ssl_;
  State state_ = State::Handshake;
  std::string error_;
};

}  // namespace svc::base
