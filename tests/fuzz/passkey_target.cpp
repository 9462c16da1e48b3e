// What an authenticator sends: CBOR, authenticator data, a COSE key.
#include <string>

#include "base/public_key.h"
#include "fuzz/target.h"
#include "login/cbor.h"
#include "login/web_authn.h"

namespace svc::fuzz {
namespace {

const login::RelyingParty kParty{"app.svc.example", "https://app.svc.example"};

bool is_in(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void run(std::string_view input) {
  login::CborReader reader(input);
  if (reader.skip()) {
    const std::string_view item = input.substr(0, input.size() - reader.rest().size());
    require(!item.empty(), "an item has a byte");
    login::CborReader again(item);
    require(again.skip() && again.rest().empty(), "an item ends where it ended");
    require(!login::CborReader(item.substr(0, item.size() - 1)).skip(), "a part is not an item");
  }
  if (const auto data = login::read_authenticator_data(input)) {
    require(is_in(data->rp_id_hash, input) && is_in(data->credential_id, input) &&
                is_in(data->public_key, input),
            "parts are in the data");
    require(data->credential_id.empty() == data->public_key.empty(), "an id has a key");
    require(!login::read_authenticator_data(std::string(input) + '\0'), "nothing follows");
    require(!login::read_authenticator_data(input.substr(0, input.size() - 1)), "it is whole");
  }
  if (const auto key = login::read_public_key(input)) {
    require(base::is_usable(*key), "a key can be used");
    require(!base::verifies(*key, "message", input), "a key is not a signature");
  }
  const auto created = login::read_registration(input, kParty);
  if (created) {
    require(login::read_public_key(created->public_key).has_value(), "a passkey has a key");
    require(login::credential_id_in(input) == created->id, "a passkey has one id");
  }
  const auto used = login::read_assertion(input, kParty, input, "501");
  require(!used || !used->challenge.empty(), "an assertion has a challenge");
}

const Registered registered("passkey", run);

}  // namespace
}  // namespace svc::fuzz
