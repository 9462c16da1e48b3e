// tls: certificates of a test, and a redis-server that uses them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tls.h"
#include "fakes/temporary_directory.h"
#include "integration/tcp.h"
#include "redis/connection_settings.h"

namespace svc::integration {

// Certificates and keys, made by openssl(1): `ca.pem`, and per issued name
// `NAME.pem` and `NAME.key`.
class Certificates {
 public:
  Certificates();
  // Issues a certificate by the CA. `names` is the content of subjectAltName,
  // such as `IP:127.0.0.1,DNS:localhost`.
  enum class Validity { TwoDays, Expired };
  void issue(const std::string& name, const std::string& names,
             Validity validity = Validity::TwoDays) const;
  // Makes a certificate that is its own CA.
  void issue_self_signed(const std::string& name, const std::string& names) const;

  std::string path(const std::string& file) const { return directory_.path(file); }
  // Trusts the CA; with `name`, has that client certificate.
  base::TlsFiles files(const std::string& name = "") const;

 private:
  const fakes::TemporaryDirectory directory_;
};

// The arguments of a server that has the certificate `name`, and TLS on this port. It requires no
// client certificate.
std::vector<std::string> tls_arguments(const Certificates& certificates, const std::string& name,
                                       const std::string& port);

// A redis-server with TLS on a port of 127.0.0.1, and with the plain unix socket
// of RedisServer.
class TlsServer {
 public:
  // Uses the certificate `name`. Requires no client certificate, unless `more`
  // changes that.
  TlsServer(const Certificates& certificates, const std::string& name,
            const std::vector<std::string>& more = {});

  RedisServer& plain() { return *started_.server; }
  std::uint16_t port() const { return started_.port; }

 private:
  ServerOnPort started_;
};

// Settings for rediss://HOST:PORT. `tls` must outlive the connection. After a
// failure, the breaker is open for 1 ms.
redis::ConnectionSettings tls_settings(std::uint16_t port, const base::TlsClient& tls,
                                       const std::string& host = "127.0.0.1");

}  // namespace svc::integration
