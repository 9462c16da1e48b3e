// AuditEvent: an entry of the audit trail.
// oauth-K7.
//
// Each event has a kind, and each kind has its own maximum number of entries.
// Events that a client or user can cause at will, or an import in large
// numbers, have kinds of their own. So they never evict rare events. Those that
// one account can cause at will are in several streams, by account: it evicts
// the events of few others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
// The table of all events, in audit_event.cpp: one more event compiles only that file again.
std::span<const AuditEventKind> audit_events();

// An event of the table: event_named().
class EventName {
 public:
  constexpr EventName(const AuditEventKind& event, const AuditKind& kind)
      : what_(event.what), kind_(&kind) {}

  constexpr operator std::string_view() const { return what_; }  // NOLINT: it is that text
  constexpr const AuditKind& kind() const { return *kind_; }

 private:
  std::string_view what_;
  const AuditKind* kind_;
};

// A literal as the argument of a template.
template <std::size_t size>
struct EventText {
  // NOLINTNEXTLINE(google-explicit-constructor): callers pass a literal
  consteval EventText(const char (&text)[size]) { std::copy_n(text, size, bytes); }

  constexpr std::string_view view() const { return {bytes, size - 1}; }

  char bytes[size] = {};
};

// Returns the event of that name: event_named<"login">(). The linker refuses a name that is missing
// in the table, because only audit_event.cpp has the function, once per row.
template <EventText text>
EventName event_named();

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
