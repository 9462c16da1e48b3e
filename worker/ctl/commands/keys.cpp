#include <cstdint>
#include <filesystem>
#include <iostream>

#include "base/secret_file.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/key_file.h"
#include "ctl/report.h"
#include "login/second_factor.h"
#include "oauth/limits.h"
#include "stores/access/client_registry.h"
#include "stores/access/factors.h"

namespace svc::ctl {
namespace {

using base::KeyRing;
using base::Result;

// A key ring with a file of its own.
enum class Of { Secrets, Watch };

Of ring_of(const Arguments& arguments) {
  return arguments.value("--of") == "watch" ? Of::Watch : Of::Secrets;
}

// Returns which programs must read a changed file, and the call of the next step.
std::string next_of(Of of, bool is_added) {
  std::string next = of == Of::Secrets ? "restart the grant and web pools"
                     : is_added        ? "reload nginx, then restart the embed, grant and web pools"
                                       : "restart the embed, grant and web pools";
  if (is_added) {
    next += ", then run svcctl keys rotate ";
    next += of == Of::Secrets ? "--activate" : "--of watch --activate";
  }
  return next;
}

void record(Context& context, oauth::EventName what, Of of, const std::string& id) {
  const std::string detail =
      "key " + id + (of == Of::Watch ? " of watch-key-file, " : ", ") + who_is_this();
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

std::string why_former_keys_stay(const Context& context, Of of) {
  if (of == Of::Watch) {
    return "links that they signed are valid until they end, and so are addresses of files; if a "
           "key is removed from the file earlier, these stop working";
  }
  return "after the restart, codes need them for " + lifetime(context.limits.code) +
         ", access tokens for " + lifetime(context.limits.access) + ", sessions for " +
         lifetime(context.sessions.longest) + ", refresh tokens for as long as they are used" +
         (context.limits.refresh_idle == 0
              ? std::string()
              : " and " + lifetime(context.limits.refresh_idle) + " more") +
         ", account tokens until they expire, recovery codes until new ones are made"
         "; if a key is removed from the file earlier, these stop working";
}

// nginx gets the secrets of new keys before a pool signs with them. Returns the reason of a
// failure, or "".
std::string replace_files(const std::string& path, Of of, std::string_view text,
                          const KeyRing& ring) {
  if (of == Of::Watch) {
    const auto secrets = nginx_secrets(ring);
    if (!secrets) return secrets.error();
    if (std::string why = replace_nginx_secrets(path, *secrets); !why.empty()) return why;
  }
  return replace_key_file(path, text);
}

// Step 1.
Outcome add_key(const Arguments& arguments, Context& context, const std::string& path,
                const std::string& text, const KeyRing& ring) {
  const bool dry_run = arguments.has("--dry-run");
  const Of of = ring_of(arguments);
  if (const auto waiting = waiting_key(ring)) {
    return Refusal{"the key " + *waiting +
                   " was added before, but not activated yet: " + next_of(of, /*is_added=*/true)};
  }
  const std::string id = new_key_id(ring, context.clock.now());
  const std::string fresh = with_new_key(text, id, context.entropy);
  // Only write a file with which workers start.
  const auto parsed = KeyRing::parse(fresh);
  if (!parsed) return Refusal{parsed.error()};
  if (!dry_run) {
    record(context, oauth::event_named<"keys.added">(), of, id);
    if (const std::string why = replace_files(path, of, fresh, *parsed); !why.empty())
      return Refusal{why};
  }
  Report()
      .text("key", id)
      .text("step", dry_run ? "would be added" : "added")
      .text("writing_key", ring.ids().front())
      .text("next", next_of(of, /*is_added=*/true))
      .print(std::cout, arguments.json());
  return kDone;
}

// Nothing is sealed with these keys.
Outcome report_watch(const Arguments& arguments, const Context& context, const KeyRing& ring,
                     bool had_waiting) {
  const auto ids = ring.ids();
  if (!had_waiting) {
    return Refusal{"no key waits for activation: links are signed with " + ids.front() +
                   "; svcctl keys rotate --of watch adds a key"};
  }
  Report()
      .text("key", ids.front())
      .text("step", arguments.has("--dry-run") ? "would be activated" : "activated")
      .text("required",
            "every nginx must have been reloaded, and every embed, grant and web pool restarted, "
            "on every machine that shares the store, since keys rotate added " +
                ids.front() + ": others refuse what is signed with it")
      .texts("former_keys", {ids.begin() + 1, ids.end()})
      .text("former_keys_stay", why_former_keys_stay(context, Of::Watch))
      .text("next", next_of(Of::Watch, /*is_added=*/false))
      .print(std::cout, arguments.json());
  return kDone;
}

// Step 2.
Outcome activate(const Arguments& arguments, Context& context, const std::string& path,
                 const std::string& text, const KeyRing& ring) {
  const bool dry_run = arguments.has("--dry-run");
  const Of of = ring_of(arguments);
  const auto waiting = waiting_key(ring);
  const std::string fresh = waiting ? with_last_key_first(text) : text;
  const auto fresh_ring = KeyRing::parse(fresh);
  if (!fresh_ring) return Refusal{fresh_ring.error()};
  const auto ids = fresh_ring->ids();
  if (waiting && !dry_run) {
    record(context, oauth::event_named<"keys.activated">(), of, ids.front());
    if (const std::string why = replace_files(path, of, fresh, *fresh_ring); !why.empty())
      return Refusal{why};
  }
  if (of == Of::Watch) return report_watch(arguments, context, *fresh_ring, waiting.has_value());
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
      .text("former_keys_stay", why_former_keys_stay(context, of))
      .text("next", next_of(of, /*is_added=*/false))
      .print(std::cout, arguments.json());
  if (done.unreadable.empty()) return kDone;
  return Refusal{
      std::string("no key of the file decrypts the secrets of some applications or users: create "
                  "new secrets for these applications, reset the second factors of these users, or "
                  "restore the key")};
}

// Returns watch-key-file, or a refusal if the setting is missing.
Result<std::string, std::string> watch_key_file_of(const Context& context) {
  if (!context.watch_key_file.empty()) return context.watch_key_file;
  return Refusal{std::string(
      "the setting watch-key-file is missing: it names the file of the keys that sign links to "
      "private media; systemd/make-secrets makes it")};
}

Outcome rotate_keys(const Arguments& arguments, Context& context) {
  std::string file = context.key_file;
  if (ring_of(arguments) == Of::Watch) {
    auto found = watch_key_file_of(context);
    if (!found) return Refusal{found.error()};
    file = std::move(*found);
  }
  // Replaces the file itself, not a link to it.
  std::error_code error;
  const std::string path = std::filesystem::canonical(file, error).string();
  if (error) return Refusal{"cannot find " + file + ": " + error.message()};
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

Outcome print_nginx_secrets(const Arguments&, Context& context) {
  const auto file = watch_key_file_of(context);
  if (!file) return Refusal{file.error()};
  const auto ring = KeyRing::load(*file);
  if (!ring) return Refusal{ring.error()};
  const auto secrets = nginx_secrets(*ring);
  if (!secrets) return Refusal{secrets.error()};
  std::cout << *secrets;
  return kDone;
}

}  // namespace

const Group& keys_commands() {
  static const Group kGroup{
      .section = Section::Access,
      .name = "keys",
      .subjects = "Keys that encrypt secrets and sign links",
      .commands =
          {{.name = "keys rotate",
            .summary = "Add a key to the key file; in a second step, encrypt secrets with it",
            .syntax = {.flags = {{.name = "--of",
                                  .takes = Takes::choice("secrets|watch", {"secrets", "watch"}),
                                  .help = "of key-file, or of watch-key-file; default: secrets"},
                                 {.name = "--activate", .help = "do the second step"},
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
                 "file: older tokens, codes and sessions can only be found with them.",
                 "With --of watch, the keys are those that sign links to private media and the "
                 "addresses of their files. Both steps write nginx's file of secrets too, next to "
                 "watch-key-file: reload nginx before the embed, grant and web pools are "
                 "restarted."},
            .needs_keys =
                [](const Arguments& arguments) { return ring_of(arguments) != Of::Watch; },
            .run = rotate_keys},
           {.name = "keys nginx",
            .summary = "Print nginx's secrets of the keys that sign addresses of files",
            .details = {"For each key of watch-key-file, a line of nginx's map: the output is "
                        "secret. make-secrets writes it, and so does keys rotate. After a key was "
                        "removed by hand:",
                        "  /usr/share/svc/make-secrets && systemctl reload nginx"},
            .needs = Needs::Pools,
            .run = print_nginx_secrets}}};
  return kGroup;
}

}  // namespace svc::ctl
