// Actor: the contact, client or operator that changes an account's library, for the audit trail
// (api-N8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "media/id.h"
#include "oauth/audit_event.h"

namespace svc::library {

// The texts outlive the task.
struct Actor {
  media::AccountId account;  // whose library it is: records of others do not exist for the actor
  std::optional<media::ContactId> contact{};
  std::string_view client{};  // "": no application
  std::string_view address{};
  std::string_view by{};       // an operator: "by root with svcctl"
  std::string_view request{};  // the same in each try of a request; "": never retried

  // The detail of an event about `what`: ids and names of fields, never values but a visibility.
  std::string about(const std::string& what) const {
    return by.empty() ? what : std::string(by) + ", " + what;
  }
  // `detail`: of about(). It outlives the event.
  oauth::AuditEvent event(oauth::EventName what, std::string_view detail) const {
    return {.what = what,
            .contact = contact,
            .account = account,
            .client = client,
            .address = address,
            .detail = detail};
  }
};

// Why a change is refused.
enum class Refusal : std::uint8_t {
  NotFound,   // no such record in the account
  Overtaken,  // the stored record does not meet the caller's condition
  Full,       // the record has as many as it may have
};

}  // namespace svc::library
