#include "login/session.h"

#include "base/digest.h"
#include "base/hex.h"

namespace svc::login {

std::string password_tag(const media::Contact& contact) {
  return base::to_hex(base::sha256("password\n" + contact.password_hash)).substr(0, 32);
}

loop::Task<std::optional<media::Contact>> contact_of(const Visitor& visitor,
                                                     media::People& people) {
  if (!visitor.session) co_return std::nullopt;
  std::optional<media::Contact> contact = co_await people.find_contact(visitor.session->contact);
  if (!contact || contact->disabled) co_return std::nullopt;
  if (visitor.session->password != password_tag(*contact)) co_return std::nullopt;
  co_return contact;
}

}  // namespace svc::login
