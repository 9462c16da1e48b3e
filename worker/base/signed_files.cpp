#include "base/signed_files.h"

#include "base/base64.h"
#include "base/digest.h"

namespace svc::base {
namespace {

constexpr std::string_view kLabel = "files of nginx";

}  // namespace

std::string signed_path(const KeyRing& ring, const SignedFolder& folder) {
  std::string what = std::to_string(folder.end) + "/";
  what.append(folder.name).append("/").append(std::to_string(folder.number));
  if (folder.link != 0) what.append("-").append(std::to_string(folder.link));
  const std::string signature = base64url_encode(md5(ring.mac(kLabel, "") + " " + what));
  return signature + "/" + ring.ids().front() + "/" + what + "/";
}

std::vector<std::pair<std::string, std::string>> signing_secrets(const KeyRing& ring) {
  std::vector<std::pair<std::string, std::string>> secrets;
  const std::vector<std::string> macs = ring.macs(kLabel, "");
  const std::vector<std::string> ids = ring.ids();
  for (std::size_t i = 0; i < ids.size(); ++i) secrets.emplace_back(ids[i], macs[i]);
  return secrets;
}

}  // namespace svc::base
