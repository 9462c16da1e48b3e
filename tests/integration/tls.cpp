#include "integration/tls.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace svc::integration {
namespace {

void run(const std::string& command) {
  if (std::system((command + " >&2").c_str()) != 0) throw std::runtime_error("failed: " + command);
}

const std::string kNewKey =
    "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes 2>/dev/null -keyout ";

}  // namespace

Certificates::Certificates() {
  std::ofstream(path("ca.conf"))
      << "[ca]\ndefault_ca = test\n[test]\npolicy = names\nrand_serial = yes\ndefault_md = sha256\n"
         "copy_extensions = copy\nunique_subject = no\n"
      << "certificate = " << path("ca.pem") << "\nprivate_key = " << path("ca.key")
      << "\ndatabase = " << path("issued.txt") << "\nnew_certs_dir = " << path("")
      << "\n[names]\ncommonName = supplied\n";
  std::ofstream(path("issued.txt")).flush();
  run("openssl req -x509 -days 2 -subj '/CN=CA of a test' " + kNewKey + path("ca.key") + " -out " +
      path("ca.pem"));
}

void Certificates::issue(const std::string& name, const std::string& names,
                         Validity validity) const {
  const std::string request = path(name + ".csr");
  run("openssl req -subj '/CN=" + name + "' -addext subjectAltName=" + names + " " + kNewKey +
      path(name + ".key") + " -out " + request);
  // openssl x509 of OpenSSL 3.4 and later refuses a negative number of days.
  run("openssl ca -batch -notext -config " + path("ca.conf") + " -in " + request + " -out " +
      path(name + ".pem") +
      (validity == Validity::Expired ? " -startdate 20200101000000Z -enddate 20200102000000Z"
                                     : " -days 2") +
      " 2>/dev/null");
}

void Certificates::issue_self_signed(const std::string& name, const std::string& names) const {
  run("openssl req -x509 -days 2 -subj '/CN=" + name + "' -addext subjectAltName=" + names + " " +
      kNewKey + path(name + ".key") + " -out " + path(name + ".pem"));
}

base::TlsFiles Certificates::files(const std::string& name) const {
  if (name.empty()) return {.ca = path("ca.pem"), .certificate = "", .key = ""};
  return {path("ca.pem"), path(name + ".pem"), path(name + ".key")};
}

std::vector<std::string> tls_arguments(const Certificates& certificates, const std::string& name,
                                       const std::string& port) {
  return {"--tls-port",         port,
          "--tls-cert-file",    certificates.path(name + ".pem"),
          "--tls-key-file",     certificates.path(name + ".key"),
          "--tls-ca-cert-file", certificates.path("ca.pem"),
          "--tls-auth-clients", "no"};
}

TlsServer::TlsServer(const Certificates& certificates, const std::string& name,
                     const std::vector<std::string>& more)
    : started_(start_on_port([&](const std::string& port) {
        std::vector<std::string> words = tls_arguments(certificates, name, port);
        words.insert(words.end(), more.begin(), more.end());
        return words;
      })) {}

redis::ConnectionSettings tls_settings(std::uint16_t port, const base::TlsClient& tls,
                                       const std::string& host) {
  redis::ConnectionSettings settings;
  settings.address = *redis::Address::parse("rediss://" + host + ":" + std::to_string(port));
  settings.name = "svc-test";
  settings.timeout = std::chrono::minutes(5);  // guards against a hang
  settings.first_delay = std::chrono::milliseconds(1);
  settings.longest_delay = std::chrono::milliseconds(1);
  settings.tls = &tls;
  return settings;
}

}  // namespace svc::integration
