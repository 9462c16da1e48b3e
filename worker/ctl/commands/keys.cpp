#include "ctl/commands/keys.h"

#include <cstdint>
#include <filesystem>
#include <iostream>

#include "base/secret_file.h"
#include "ctl/commands/key_file.h"
#include "ctl/report.h"
#include "login/second_factor.h"
#include "stores/client_registry.h"
#include "stores/factors.h"

namespace svc::ctl {
namespace {

using base::KeyRing;
using base::Result;

void record(Context& context, oauth::EventName what, const std::string& id) {
  const std::string detail = "key " + id + ", " + who_is_this();
  record_event(context, {.what = what, .detail = detail});
}

struct Resealing {
  std::int64_t sealed = 0;              // or would be, in a dry run
  std::int64_t current = 0;             // were encrypted with the current key before
  std::vector<std::string> unreadable;  // clients and contacts with a secret that no key decrypts
};

// Changes each client atomically. If another writer interferes, the change is repeated.
Resealing reseal(Context& context, const KeyRing& ring, bool dry_run) {
  Resealing done;
  stores::ClientRegistry registry(context.store.redis);
  std::vector<oauth::Client> clients;
  context.store.run(
      registry.for_each([&](const oauth::Client& client) { clients.push_back(client); }));
  const auto renewed =
      [&](oauth::Client client) -> Result<oauth::Client, oauth::ApplicationRefusal> {
    for (oauth::ClientSecret& secret : client.secrets) {
      if (auto fresh = oauth::renew_secret(ring, client.id, secret, context.entropy))
        secret = std::move(*fresh);
    }
    return client;
  };
  for (const oauth::Client& client : clients) {
    std::int64_t old = 0;
    bool unreadable = false;
    for (const oauth::ClientSecret& secret : client.secrets) {
      const auto fresh = oauth::renew_secret(ring, client.id, secret, context.entropy);
      unreadable |= !fresh;
      old += fresh && *fresh != secret ? 1 : 0;
      done.current += fresh && *fresh == secret ? 1 : 0;
    }
    if (unreadable) done.unreadable.push_back(client.id.value());
    // Refused only if the client was deleted in the meantime.
    if (old > 0 && (dry_run || context.store.run(registry.change(client.id, renewed))))
      done.sealed += old;
  }
  stores::Factors factors(context.store.redis);
  for (const media::ContactId contact : context.store.run(factors.contacts())) {
    const auto factor = context.store.run(factors.find(contact));
    if (!factor) continue;
    const auto fresh = login::renew_factor(ring, contact, factor->sealed, context.entropy);
    if (!fresh) {
      done.unreadable.push_back("contact " + std::to_string(contact.value()));
    } else if (*fresh == factor->sealed) {
      ++done.current;
    } else if (dry_run || context.store.run(factors.reseal(contact, factor->sealed, *fresh))) {
      ++done.sealed;
    }
  }
  return done;
}

std::string lifetime(std::int64_t seconds) {
  if (seconds % 86'400 == 0) return std::to_string(seconds / 86'400) + " d";
  if (seconds % 3'600 == 0) return std::to_string(seconds / 3'600) + " h";
  return std::to_string(seconds) + " s";
}

std::string why_former_keys_stay(const Context& context) {
  return "after the restart, codes need them for " + lifetime(context.limits.code) +
         ", access tokens for " + lifetime(context.limits.access) + ", sessions for " +
         lifetime(context.sessions.longest) + ", refresh tokens for as long as they are used" +
         (context.limits.refresh_idle == 0
              ? std::string()
              : " and " + lifetime(context.limits.refresh_idle) + " more") +
         ", account tokens until they expire, recovery codes until new ones are made"
         "; if a key is removed from the file earlier, these stop working";
}

// Step 1.
Outcome add_key(const Arguments& arguments, Context& context, const std::string& path,
                const std::string& text, const KeyRing& ring) {
  const bool dry_run = arguments.has("--dry-run");
  if (const auto waiting = waiting_key(ring)) {
    return Refusal{"the key " + *waiting +
                   " was added before, but not activated yet: restart the grant and web pools, "
                   "then run svcctl keys rotate --activate"};
  }
  const std::string id = new_key_id(ring, context.clock.now());
  const std::string fresh = with_new_key(text, id, context.entropy);
  // Only write a file with which workers start.
  if (const auto parsed = KeyRing::parse(fresh); !parsed) return Refusal{parsed.error()};
  if (!dry_run) {
    record(context, "keys.added", id);
    if (const std::string why = replace_key_file(path, fresh); !why.empty()) return Refusal{why};
  }
  Report()
      .text("key", id)
      .text("step", dry_run ? "would be added" : "added")
      .text("writing_key", ring.ids().front())
      .text("next", "restart the grant and web pools, then run svcctl keys rotate --activate")
      .print(std::cout, arguments.json());
  return kDone;
}

// Step 2.
Outcome activate(const Arguments& arguments, Context& context, const std::string& path,
                 const std::string& text, const KeyRing& ring) {
  const bool dry_run = arguments.has("--dry-run");
  const auto waiting = waiting_key(ring);
  const std::string fresh = waiting ? with_last_key_first(text) : text;
  const auto fresh_ring = KeyRing::parse(fresh);
  if (!fresh_ring) return Refusal{fresh_ring.error()};
  const auto ids = fresh_ring->ids();
  if (waiting && !dry_run) {
    record(context, "keys.activated", ids.front());
    if (const std::string why = replace_key_file(path, fresh); !why.empty()) return Refusal{why};
  }
  const Resealing done = reseal(context, *fresh_ring, dry_run);
  if (!waiting && done.sealed == 0 && done.unreadable.empty()) {
    return Refusal{"no key waits for activation, and all secrets are already encrypted with " +
                   ids.front() + "; svcctl keys rotate adds a key"};
  }
  Report report;
  report.text("key", ids.front()).text("step", dry_run ? "would be activated" : "activated");
  // svcctl cannot see which workers have read the file since.
  if (waiting) {
    report.text("required",
                "every grant and web pool, on every machine that shares the store, must have been "
                "restarted since keys rotate added " +
                    ids.front() +
                    " (or reloaded, if key-file is not a systemd credential): a pool without a "
                    "restart cannot read data that is encrypted with it; restart such a pool now");
  }
  report.integer(dry_run ? "secrets_to_seal" : "secrets_sealed", done.sealed)
      .integer("secrets_sealed_before", done.current)
      .texts("unreadable_secrets_of", done.unreadable)
      .texts("former_keys", {ids.begin() + 1, ids.end()})
      .text("former_keys_stay", why_former_keys_stay(context))
      .text("next", "restart the grant and web pools")
      .print(std::cout, arguments.json());
  if (done.unreadable.empty()) return kDone;
  return Refusal{
      std::string("no key of the file decrypts the secrets of some applications or users: create "
                  "new secrets for these applications, reset the second factors of these users, or "
                  "restore the key")};
}

Outcome rotate_keys(const Arguments& arguments, Context& context) {
  if (const auto keys = keys_of(context); !keys) return Refusal{keys.error()};
  // Replaces the file itself, not a link to it.
  std::error_code error;
  const std::string path = std::filesystem::canonical(context.key_file, error).string();
  if (error) return Refusal{"cannot find " + context.key_file + ": " + error.message()};
  const KeyFileLock lock(path);
  if (!lock.error().empty()) return Refusal{lock.error()};
  // Read again with the lock: another svcctl may have changed the file since the start.
  const auto text = base::read_secret_file("the key file", path);
  if (!text) return Refusal{text.error()};
  const auto ring = KeyRing::parse(*text);
  if (!ring) return Refusal{path + ", " + ring.error()};
  return arguments.has("--activate") ? activate(arguments, context, path, *text, *ring)
                                     : add_key(arguments, context, path, *text, *ring);
}

}  // namespace

const Group& keys_commands() {
  static const Group kGroup{
      .section = Section::Access,
      .name = "keys",
      .subjects = "Keys that encrypt secrets",
      .commands = {
          {.name = "keys rotate",
           .summary = "Add a key to the key file; in a second step, encrypt secrets with it",
           .syntax = {.flags = {{.name = "--activate", .help = "do the second step"},
                                {.name = "--dry-run",
                                 .help = "print the changes, but change nothing"}},
                      .json = kJsonObject},
           .details =
               {"A new key comes into use in two steps, because workers read the key file when "
                "they start:",
                "  1. svcctl keys rotate             adds a new key, for reading only\n"
                "     restart the grant and web pools, all of them, on every machine that\n"
                "     shares the store (or reload them, if key-file is not a systemd\n"
                "     credential)\n"
                "  2. svcctl keys rotate --activate  encrypts with it, all existing secrets too\n"
                "     of applications and second factors\n"
                "     restart the same pools again",
                "Any time may pass between the steps. If several machines share the store, copy "
                "the file to the others after each step, before the restart. --activate may be "
                "repeated: it continues where it was interrupted. The former keys stay in the "
                "file: older tokens, codes and sessions can only be found with them."},
           .run = rotate_keys}}};
  return kGroup;
}

}  // namespace svc::ctl
