#include "oauth/audit_event.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace svc::oauth {
namespace {

constexpr auto kAuditEvents = std::to_array<AuditEventKind>({
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
    {"account.deleted", "admin"},
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
});

// Both throw, which does not compile, if the table has no such row.
consteval const AuditEventKind& row_of(std::string_view what) {
  for (const AuditEventKind& event : kAuditEvents) {
    if (event.what == what) return event;
  }
  throw "an event that is not in kAuditEvents";
}

consteval const AuditKind& kind_of(const AuditEventKind& event) {
  for (const AuditKind& kind : kAuditKinds) {
    if (kind.name == event.kind) return kind;
  }
  throw "a kind that is not in kAuditKinds";
}

template <std::size_t row>
consteval auto text_of() {
  constexpr std::string_view kWhat = kAuditEvents[row].what;
  char literal[kWhat.size() + 1] = {};
  kWhat.copy(literal, kWhat.size());
  return EventText<kWhat.size() + 1>(literal);
}

}  // namespace

std::span<const AuditEventKind> audit_events() { return kAuditEvents; }

template <EventText text>
EventName event_named() {
  constexpr const AuditKind& kKind = kind_of(row_of(text.view()));
  return {row_of(text.view()), kKind};
}

namespace {

template <std::size_t... rows>
consteval auto names_of(std::index_sequence<rows...> /*all*/) {
  return std::array{&event_named<text_of<rows>()>...};
}
// The addresses make the compiler write each function, for the files that call it.
[[gnu::used]] constexpr auto kNames = names_of(std::make_index_sequence<kAuditEvents.size()>());

}  // namespace
}  // namespace svc::oauth
