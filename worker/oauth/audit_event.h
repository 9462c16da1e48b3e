// AuditEvent: an entry of the audit trail, and the table of all events.
// oauth-K7.
//
// Each event has a kind, and each kind has its own maximum number of entries.
// Events that a client or user can cause at will, or an import in large
// numbers, have kinds of their own. So they never evict rare events. Those that
// one account can cause at will are in several streams, by account: it evicts
// the events of few others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "media/id.h"

namespace svc::oauth {

struct AuditKind {
  std::string_view name;
  std::string_view most;     // approximate maximum of entries per stream
  std::int64_t streams = 1;  // more than 1: an account has one of them
};
inline constexpr std::array<AuditKind, 18> kAuditKinds{{
    {"login", "100000"},
    {"failure", "100000"},
    {"session", "20000"},
    {"grant", "100000"},
    {"denial", "20000"},
    {"token", "100000"},
    {"application", "50000"},
    {"change", "50000"},
    {"shown", "20000"},
    {"secret", "50000"},
    {"admin", "50000"},
    {"reset", "50000"},
    {"media", "50000"},
    {"upload", "10000", 16},
    {"removal", "10000", 16},
    {"access", "10000", 16},
    {"edit", "10000", 16},
    {"metadata", "20000"},
}};

struct AuditEventKind {
  std::string_view what;
  std::string_view kind;
};
inline constexpr std::array<AuditEventKind, 58> kAuditEvents{{
    {"login", "login"},
    {"password.given", "login"},
    {"login.failed", "failure"},
    {"session.ended", "session"},
    {"authorized", "grant"},
    {"revoked", "grant"},
    {"code.replayed", "grant"},
    {"refresh_token.reused", "grant"},
    {"denied", "denial"},
    {"tokens.revoked", "token"},
    {"client.created", "application"},
    {"client.changed", "change"},
    {"client.deleted", "application"},
    {"account_token.created", "application"},
    {"account_token.revoked", "application"},
    {"secret.shown", "shown"},
    {"secret.rotated", "secret"},
    {"secret.retired", "secret"},
    {"password.changed", "secret"},
    {"second_factor.added", "secret"},
    {"second_factor.removed", "secret"},
    {"passkey.added", "secret"},
    {"passkey.removed", "secret"},
    {"recovery_codes.made", "secret"},
    {"recovery_code.used", "secret"},
    {"second_factor.reset", "reset"},
    {"keys.added", "admin"},
    {"keys.activated", "admin"},
    {"contact.created", "admin"},
    {"import", "admin"},
    {"password.reset", "reset"},
    {"secret.reset", "reset"},
    {"client.restored", "reset"},
    {"contact.disabled", "admin"},
    {"contact.enabled", "admin"},
    {"contact.deleted", "admin"},
    {"account.changed", "admin"},
    {"account.created", "admin"},
    {"media.deleted", "media"},
    {"media.added", "media"},
    {"upload.permitted", "upload"},
    {"media.removed", "removal"},
    {"upload.retried", "reset"},
    {"media.access_changed", "access"},
    {"sites.changed", "access"},
    {"links.ended", "access"},
    {"media.changed", "edit"},
    {"media.moved", "edit"},
    {"media.swapped", "edit"},
    {"project.created", "edit"},
    {"project.changed", "edit"},
    {"project.deleted", "edit"},
    {"captions.changed", "edit"},
    {"captions.deleted", "edit"},
    {"customizations.changed", "edit"},
    {"link.created", "edit"},
    {"client_metadata.fetched", "metadata"},
    {"client_metadata.refused", "metadata"},
}};

// The name of an event. The compiler rejects a name that is missing in the table.
class EventName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): callers pass a literal
  consteval EventName(const char* what) : what_(what), kind_(number_of_kind(what)) {}

  constexpr operator std::string_view() const { return what_; }  // NOLINT: as above
  constexpr const AuditKind& kind() const { return kAuditKinds[kind_]; }

 private:
  static consteval std::size_t number_of_kind(std::string_view what) {
    for (const AuditEventKind& event : kAuditEvents) {
      if (event.what != what) continue;
      for (std::size_t i = 0; i < kAuditKinds.size(); ++i) {
        if (kAuditKinds[i].name == event.kind) return i;
      }
    }
    throw "an event that is not in kAuditEvents, or a kind that is not in kAuditKinds";
  }

  std::string_view what_;
  std::size_t kind_;
};

// Texts are stored unchanged. Never pass a secret.
struct AuditEvent {
  EventName what;
  std::optional<media::ContactId> contact{};
  std::optional<media::AccountId> account{};
  std::string_view client{};
  std::string_view address{};
  std::string_view detail{};
  bool makes_room = false;  // recorded also if the store is full: the next step makes room
};

}  // namespace svc::oauth
