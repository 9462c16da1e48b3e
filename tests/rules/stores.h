// Stores: both Redis of one process of tests, as they are shipped: the files of systemd/, their
// users, and the demonstration's catalog. With secrets that systemd/make-secrets has made.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_ring.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "login/passwords.h"
#include "redis/protocol.h"

namespace svc::rules {

// Hashes in no time, to hashes that have the form of stored ones. Counts its calls.
class PlainPasswords : public login::Passwords {
 public:
  PlainPasswords() : Passwords(base::HashCost()) {}
  loop::Task<bool> matches(std::string password, std::string stored) override;
  loop::Task<std::string> hash(std::string password) override;
  static std::string hash_of(std::string_view password);

  loop::Task<login::Permission> take_turn(login::Asker& asker) override;
  void end_turn() override { ++free; }
  loop::Task<> hold_back(const login::Asker& asker) override;

  std::vector<std::string> checked;  // the hashes that were compared with
  int free = 1;                      // turns
  int taken = 0;                     // in total
  std::string address;               // the asker that took the last turn
  bool known = false;                // the same
  int held_back = 0;                 // refusals, after their turn
  // Called while a request waits for its turn. If unset, no request waits.
  std::function<void()> meanwhile;
};

// Sorts texts, to compare lists whose order is undefined.
std::vector<std::string> sorted(std::vector<std::string> texts);

class Stores {
 public:
  // Starts them with the first call.
  static Stores& of_this_process();

  // Every key is as after the import of the catalog.
  void reset();
  // Imports further lines, as `svcctl import` does. Throws if a line is refused.
  void import(std::string_view lines);
  // Moves the files of all media of the catalog into folders of svc-ingest, so that they can be
  // private or for some sites only (oembed-W13).
  void take_files();
  // Runs a command on the state or the cache Redis as a user who may do anything.
  redis::Reply command(redis::Words words);
  redis::Reply cache_command(redis::Words words);

  // Replaces `before` by `after` in the record under that key. Throws if the record lacks `before`.
  void edit(std::string_view key, std::string_view before, std::string_view after);
  // The audit trail, oldest first, without imports: "what contact detail". Events of different
  // kinds in one millisecond are in any order: compare those sorted().
  std::vector<std::string> events();
  // Returns how many of them begin with this text.
  std::size_t events(std::string_view text);

  // The path of a file of make-secrets: keys, watch-keys, redis-embed.password …
  std::string secret(std::string_view name) const;
  const base::KeyRing& keys() const { return keys_; }
  const base::KeyRing& watch_keys() const { return watch_keys_; }
  const integration::RedisServer& state() const { return state_; }
  const integration::RedisServer& cache() const { return cache_; }
  // For the stores that a test writes directly.
  redis::Store& redis() { return all_.redis(); }
  loop::Loop& loop() { return all_.loop(); }
  template <class T>
  T run(loop::Task<T> task) {
    return all_.run(std::move(task));
  }

 private:
  Stores();
  static redis::ConnectionSettings as_tester(const integration::RedisServer& server);

  fakes::TemporaryDirectory directory_;
  std::string users_;  // the ACL file
  integration::RedisServer state_;
  integration::RedisServer cache_;
  integration::Store all_;
  redis::Store all_cache_{as_tester(cache_), all_.loop()};
  base::KeyRing keys_;
  base::KeyRing watch_keys_;
};

}  // namespace svc::rules
