#include "base/certificate.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>

namespace svc::base {

Result<std::int64_t, std::string> expiry_of(const std::string& path) {
  const std::unique_ptr<FILE, decltype([](FILE* file) { std::fclose(file); })> file(
      std::fopen(path.c_str(), "re"));
  if (!file) return Refusal{std::string(std::strerror(errno))};
  const std::unique_ptr<X509, decltype([](X509* one) { X509_free(one); })> certificate(
      PEM_read_X509(file.get(), nullptr, nullptr, nullptr));
  tm time{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &time) != 1)
    return Refusal{std::string("not a certificate in PEM")};
  return static_cast<std::int64_t>(timegm(&time));
}

}  // namespace svc::base
