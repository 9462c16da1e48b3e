#include "base/tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/secret_file.h"

namespace svc::base {
namespace {

// Empties the thread's queue of errors. The oldest is the cause.
std::string reason_of_error() {
  const unsigned long code = ERR_get_error();
  const char* const reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown error";
}

// Instead of OpenSSL's own function, which asks at the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

// Returns the reason why the file cannot be read; "" if it can.
std::string why_unreadable(const std::string& path) {
  errno = 0;
  const std::ifstream file(path);
  return file ? "" : std::strerror(errno);
}

std::string use_certificate(SSL_CTX* context, const TlsFiles& files, const std::string& settings) {
  const std::string name = settings + "-cert-file " + files.certificate;
  if (const std::string why = why_unreadable(files.certificate); !why.empty())
    return "cannot read " + name + ": " + why;
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
    return "cannot use " + name + ", which must contain a certificate in PEM: " + reason_of_error();
  auto text = read_secret_file(settings + "-key-file", files.key);
  if (!text) return text.error();
  BIO* const bytes = BIO_new_mem_buf(text->data(), static_cast<int>(text->size()));
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(bytes, nullptr, no_passphrase, nullptr);
  BIO_free(bytes);
  OPENSSL_cleanse(text->data(), text->size());
  if (key == nullptr) {
    ERR_clear_error();
    return "cannot use " + settings + "-key-file " + files.key +
           ", which must contain a private key in PEM without a passphrase";
  }
  const bool fits =
      SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
  EVP_PKEY_free(key);
  if (fits) return "";
  ERR_clear_error();
  return settings + "-key-file " + files.key + " is not the key of the certificate in " + name;
}

bool is_unknown_issuer(long verdict) {
  return verdict == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT ||
         verdict == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
         verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
         verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
         verdict == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
         verdict == X509_V_ERR_CERT_UNTRUSTED;
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

// ---- TlsClient ----

void TlsClient::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<TlsClient, std::string> TlsClient::load(const TlsFiles& files, std::string settings) {
  ERR_clear_error();
  TlsClient client;
  client.context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = client.context_.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1)
    return Refusal{"TLS cannot be used: " + reason_of_error()};
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // An idle connection keeps no buffers.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  if (files.ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1)
      return Refusal{"cannot read the CAs of the system: " + reason_of_error()};
  } else {
    const std::string name = settings + "-ca-file " + files.ca;
    if (const std::string why = why_unreadable(files.ca); !why.empty())
      return Refusal{"cannot read " + name + ": " + why};
    if (SSL_CTX_load_verify_file(context, files.ca.c_str()) != 1) {
      return Refusal{"cannot use " + name +
                     ", which must contain certificates in PEM: " + reason_of_error()};
    }
  }
  if (!files.certificate.empty()) {
    if (const std::string why = use_certificate(context, files, settings); !why.empty())
      return Refusal{why};
    client.has_certificate_ = true;
  }
  client.settings_ = std::move(settings);
  return client;
}

// ---- TlsSession ----

void TlsSession::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsSession::TlsSession(const TlsClient& client, const std::string& host)
    : client_(client), host_(host), ssl_(SSL_new(client.context_.get())) {
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  if (!ssl_ || in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    throw std::runtime_error("not enough memory for TLS");
  }
  SSL_set_bio(ssl_.get(), in, out);
  SSL_set_connect_state(ssl_.get());
  X509_VERIFY_PARAM* const expected = SSL_get0_param(ssl_.get());
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // SSL_set_tlsext_host_name() is a macro with a C cast. OpenSSL copies the name.
  const bool set =
      is_address(host)
          ? X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1
          : X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size()) == 1 &&
                SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                         const_cast<char*>(host.c_str())) == 1;
  if (host.empty() || !set) throw std::runtime_error("TLS: impossible host name: " + host);
}

void TlsSession::receive(std::string_view bytes) {
  std::size_t count = 0;
  if (BIO_write_ex(SSL_get_rbio(ssl_.get()), bytes.data(), bytes.size(), &count) == 1) return;
  state_ = State::Failed;
  error_ = "not enough memory for TLS";
}

TlsSession::State TlsSession::shake_hands() {
  if (state_ != State::Handshake) return state_;
  ERR_clear_error();
  const int code = SSL_do_handshake(ssl_.get());
  if (code == 1) {
    state_ = State::Open;
  } else {
    fail(code);
  }
  return state_;
}

bool TlsSession::write(std::string_view bytes) {
  ERR_clear_error();
  std::size_t count = 0;
  const int code = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
  if (code == 1) return true;
  fail(code);
  // Memory takes all bytes, and renegotiation is refused, so OpenSSL has nothing
  // to wait for.
  if (state_ != State::Failed) error_ = "TLS: the session cannot be written to";
  state_ = State::Failed;
  return false;
}

std::size_t TlsSession::read(std::span<char> into) {
  if (state_ != State::Open) return 0;
  ERR_clear_error();
  std::size_t count = 0;
  const int code = SSL_read_ex(ssl_.get(), into.data(), into.size(), &count);
  if (code == 1) return count;
  fail(code);
  return 0;
}

// Sets the state after a call of OpenSSL that did not succeed. It stays the same
// if the call only needs more bytes.
void TlsSession::fail(int code) {
  const int kind = SSL_get_error(ssl_.get(), code);
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return;
  if (kind == SSL_ERROR_ZERO_RETURN) {
    state_ = State::Closed;
    return;
  }
  state_ = State::Failed;
  error_ = "TLS: ";
  const std::string& settings = client_.settings_;
  if (const long verdict = SSL_get_verify_result(ssl_.get()); verdict != X509_V_OK) {
    ERR_clear_error();
    error_ += std::string("certificate verify failed: ") + X509_verify_cert_error_string(verdict);
    if (is_unknown_issuer(verdict)) error_ += "; " + settings + "-ca-file names the CA";
    if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH)
      error_ += "; the certificate must name " + host_;
    return;
  }
  const int reason = ERR_GET_REASON(ERR_peek_error());
  error_ += reason_of_error();
  if (reason == SSL_R_WRONG_VERSION_NUMBER) error_ += "; the peer does not use TLS on this port";
  const bool is_refused = reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED ||
                          reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE;
  if (is_refused && !client_.has_certificate_)
    error_ += "; " + settings + "-cert-file names the client certificate that a server may require";
}

void TlsSession::take_output(std::string& to) {
  BIO* const out = SSL_get_wbio(ssl_.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  if (size <= 0) return;
  to.append(bytes, static_cast<std::size_t>(size));
  BIO_reset(out);
}

void TlsSession::close() {
  if (state_ == State::Open || state_ == State::Closed) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

}  // namespace svc::base
