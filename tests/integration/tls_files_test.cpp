// The files of TLS, checked before the service starts.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/tls.h"
#include "integration/tls.h"

namespace svc {
namespace {

TEST(TlsFiles, OperationsD7AreCheckedAndNamedInErrors) {
  const integration::Certificates certificates;
  certificates.issue("client", "DNS:client.example");
  certificates.issue("other", "DNS:other.example");
  const fakes::TemporaryDirectory directory;
  const std::string nothing = directory.path("nothing");
  const std::string words = directory.write("words", "hunter2\n");
  const std::string encrypted = directory.path("encrypted.key");
  ASSERT_EQ(std::system(("openssl pkcs8 -topk8 -passout pass:hunter2 -in " +
                         certificates.path("client.key") + " -out " + encrypted)
                            .c_str()),
            0);
  const std::string open = directory.write("open.key", "hunter2\n");
  ASSERT_EQ(chmod(words.c_str(), 0600), 0);
  ASSERT_EQ(chmod(open.c_str(), 0644), 0);
  const std::string ca = certificates.path("ca.pem");
  const std::string certificate = certificates.path("client.pem");
  const std::string key = certificates.path("client.key");
  struct Case {
    std::string_view name;
    base::TlsFiles files;
    std::string said;
  };
  for (const Case& c : {
           Case{"none", {}, ""},
           Case{"a CA", {ca, "", ""}, ""},
           Case{"all", {ca, certificate, key}, ""},
           Case{"no CA", {nothing, "", ""}, "cannot read t-ca-file " + nothing + ": No such file"},
           Case{
               "a CA that is none", {words, "", ""}, "t-ca-file " + words + ", which must contain"},
           Case{"a directory", {directory.path("."), "", ""}, "cannot use t-ca-file "},
           Case{"no certificate", {"", nothing, key}, "cannot read t-cert-file " + nothing},
           Case{"a certificate that is none", {"", words, key}, "cannot use t-cert-file " + words},
           Case{"no key", {"", certificate, nothing}, "cannot open t-key-file " + nothing},
           Case{"a key that is none", {"", certificate, words}, "cannot use t-key-file " + words},
           Case{"a key with a passphrase", {"", certificate, encrypted}, "without a passphrase"},
           Case{"a key that others may read", {"", certificate, open}, "must have mode 0400"},
           Case{"another key",
                {"", certificate, certificates.path("other.key")},
                "other.key is not the key of the certificate in t-cert-file " + certificate},
       }) {
    SCOPED_TRACE(c.name);
    const auto client = base::TlsClient::load(c.files, "t");
    EXPECT_EQ(static_cast<bool>(client), c.said.empty());
    const std::string said = client ? "" : client.error();
    EXPECT_NE(said.find(c.said), std::string::npos) << said;
    EXPECT_EQ(said.find("hunter2"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace svc
