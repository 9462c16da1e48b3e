#include "viewing/table.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include "base/address_group.h"
#include "base/digest.h"
#include "base/entropy.h"
#include "base/number.h"
#include "viewing/statistics.h"

namespace svc::viewing {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::size_t kWays = 8;       // places that a session may have
constexpr std::size_t kTries = 16;     // entries that a media may have
constexpr std::int64_t kWindow = 600;  // seconds
constexpr std::size_t kAddresses = 1U << 15;
constexpr std::size_t kSecret = 16;        // bytes, also of a salt
constexpr std::size_t kDigest = 8;         // bytes
constexpr long kLongestLock = 50'000'000;  // ns
constexpr std::size_t kSubject = media::HashedId::kMaxLength + 1;

using Bits = std::array<std::uint8_t, (kParts + 7) / 8>;

// Returns whether the bit was not set.
bool set_bit(Bits& bits, std::size_t at) {
  std::uint8_t& byte = bits.at(at / 8);
  const auto bit = static_cast<std::uint8_t>(1U << (at % 8));
  const bool is_new = (byte & bit) == 0;
  byte = static_cast<std::uint8_t>(byte | bit);
  return is_new;
}

std::uint64_t first_bytes(std::string_view digest) {
  std::uint64_t value = 0;
  std::memcpy(&value, digest.data(), sizeof value);
  return value;
}

void fill(std::array<char, kSecret>& out) {
  std::array<unsigned char, kSecret> bytes{};
  base::SystemEntropy().fill(bytes);
  std::memcpy(out.data(), bytes.data(), bytes.size());
}

constexpr char kAccountMark = '@';  // not a character of an id
std::string account_subject(media::AccountId account) {
  return kAccountMark + std::to_string(account.value());
}

std::chrono::sys_days day_of(std::int64_t number) {
  return std::chrono::sys_days(std::chrono::days(number));
}

}  // namespace

struct Table::Session {
  std::uint64_t key;  // 0: free
  std::uint32_t slot;
  std::uint32_t slot_name;  // the lower half
  std::uint32_t last;       // seconds since 1970
  bool has_loaded, has_played;
  Bits seen, again;
};

struct Table::Slot {
  std::array<char, kSubject> subject;
  std::int64_t day;  // since 1970; 0: free
  std::uint64_t name;
  std::uint64_t version, written;  // the counts' versions; equal: the store has them
  std::uint64_t loads, plays, watched;
  std::uint64_t parts, timed;          // seen or seen again; those whose time is in `watched`
  std::uint64_t ranked;                // plays that the store has
  std::array<std::uint64_t, 3> given;  // loads, plays and time that the account has
  std::size_t sessions;
  bool is_due;
  Curve seen, again;
  // The counts that are stored by that name.
  std::uint64_t stored_loads, stored_plays, stored_watched;
  Curve stored_seen, stored_again;

  bool is_account() const { return subject.front() == kAccountMark; }
  bool is_settled() const {
    return version == written && timed == parts && given == std::array{loads, plays, watched};
  }
};

struct Table::Shared {
  // A worker was killed with a mutex, or could not give a batch back: `due` is to be made again.
  std::atomic<bool> has_lost;
  std::int64_t freed_day;  // when the entries of other days were freed
  pthread_mutex_t lock;    // for some hundred ns each
  pthread_mutex_t writer;  // held by the worker that has a batch
  std::array<char, kSecret> secret;
  std::array<char, kSecret> salt;
  std::int64_t salt_day;
  bool is_salt_shared;
  std::uint64_t last_name;
  std::size_t sessions;
  std::int64_t swept;  // when the idle ones were ended
  std::int64_t window;
  std::array<std::array<std::uint16_t, kAddresses>, 2> opened;  // a count-min sketch
  struct Visitor {
    std::uint32_t slot;
    std::uint32_t slot_name;
    std::array<char, kDigest> digest;
  };
  std::uint64_t first_visitor, next_visitor;
  std::array<Visitor, kVisitors> visitors;
  std::size_t first_due, dues;
  std::array<std::uint32_t, kMedias> due;  // slots to write
  // The day of each slot: no other look at the slots needs all of their memory.
  std::array<std::int64_t, kMedias> days;
  std::array<Slot, kMedias> slots;

  void free(Slot& slot) {
    days.at(place_of(slot)) = 0;
    slot = {};
  }
  std::uint32_t place_of(const Slot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots.data());
  }
  void make_due(Slot& slot) {
    if (!std::exchange(slot.is_due, true)) due.at((first_due + dues++) % kMedias) = place_of(slot);
  }
  void make_due_again() {
    first_due = dues = 0;
    for (std::size_t i = 0; i < kMedias; ++i) {
      if (days.at(i) == 0) continue;
      slots.at(i).is_due = false;
      if (!slots.at(i).is_settled()) make_due(slots.at(i));
    }
  }
  // Those that are written. A media of which there are new counts, because it could not be read for
  // days, then has a new entry.
  void free_other_days(std::int64_t today) {
    if (std::exchange(freed_day, today) == today) return;
    for (std::size_t i = 0; i < kMedias; ++i) {
      if (days.at(i) == 0 || days.at(i) == today) continue;
      if (slots.at(i).is_settled() && !slots.at(i).is_due) free(slots.at(i));
    }
  }

  Visitor& visitor(std::uint64_t number) { return visitors.at(number % kVisitors); }
};

// The kernel gives up the mutex of a worker that is killed while it has it: at most one event, or
// the counts of one entry for its account, are then counted in part.
class Table::Lock {
 public:
  explicit Lock(Shared& shared) : mutex_(shared.lock) {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += kLongestLock;
    if (until.tv_nsec >= 1'000'000'000) {
      until.tv_nsec -= 1'000'000'000;
      ++until.tv_sec;
    }
    const int error = pthread_mutex_timedlock(&mutex_, &until);
    if (error == EOWNERDEAD) {
      pthread_mutex_consistent(&mutex_);
      shared.has_lost = true;
    }
    holds_ = error == 0 || error == EOWNERDEAD;
  }
  ~Lock() {
    if (holds_) pthread_mutex_unlock(&mutex_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  explicit operator bool() const { return holds_; }

 private:
  pthread_mutex_t& mutex_;
  bool holds_ = false;
};

Table::Table(Limits limits) : limits_(limits) {
  static_assert(sizeof(Session) == 48);
  bytes_ = sizeof(Shared) + limits_.sessions / kWays * kWays * sizeof(Session);
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = static_cast<Shared*>(memory);  // zeroed: nothing is open, nothing counted
  sessions_ = reinterpret_cast<Session*>(static_cast<char*>(memory) + sizeof(Shared));
  fill(shared_->salt);
  shared_->last_name = first_bytes({shared_->salt.data(), kSecret});
  fill(shared_->secret);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  int error = pthread_mutex_init(&shared_->lock, &attributes);
  if (error == 0) error = pthread_mutex_init(&shared_->writer, &attributes);
  pthread_mutexattr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_mutex_init");
}

Table::~Table() { munmap(shared_, bytes_); }

std::uint64_t Table::secret_hash(std::string_view text) const {
  std::string all(shared_->secret.data(), kSecret);
  return first_bytes(base::sha256(all.append(text)));
}

Table::Slot* Table::find_slot(std::string_view subject, std::int64_t day) {
  const std::size_t first = std::hash<std::string_view>()(subject) + static_cast<std::size_t>(day);
  Slot* usable = nullptr;
  for (std::size_t i = 0; i < kTries; ++i) {
    Slot& slot = shared_->slots.at((first + i) % kMedias);
    if (slot.day == day && subject == slot.subject.data()) return &slot;
    if (usable == nullptr || usable->day != 0) {
      const bool is_over = usable == nullptr || (usable->day == day && slot.day != day);
      if (slot.day == 0 || (is_over && slot.is_settled() && !slot.is_due)) usable = &slot;
    }
  }
  if (usable == nullptr) return nullptr;
  *usable = {};
  std::ranges::copy(subject, usable->subject.begin());
  usable->day = shared_->days.at(shared_->place_of(*usable)) = day;
  usable->name = ++shared_->last_name;
  return usable;
}

bool Table::address_may_open(std::string_view address, std::int64_t now, IsOpened is_opened) {
  if (shared_->window != now / kWindow) {
    shared_->window = now / kWindow;
    for (auto& row : shared_->opened) row.fill(0);
  }
  const std::uint64_t hash = secret_hash(base::address_group(address));
  std::uint16_t& a = shared_->opened[0].at(hash % kAddresses);
  std::uint16_t& b = shared_->opened[1].at((hash >> 32) % kAddresses);
  if (is_opened == IsOpened::Yes) {
    for (std::uint16_t* const count : {&a, &b}) {
      if (*count < std::numeric_limits<std::uint16_t>::max()) ++*count;
    }
  }
  return std::min(a, b) < limits_.sessions_of_address;
}

void Table::end_session(Session& session) {
  Slot& slot = shared_->slots.at(session.slot);
  if (static_cast<std::uint32_t>(slot.name) == session.slot_name && slot.sessions > 0)
    --slot.sessions;
  --shared_->sessions;
  session = {};
}

// The clock may have been set back.
bool Table::is_idle(const Session& session, std::int64_t now) {
  return session.last > now || session.last + kIdle <= now;
}

// Takes some ms of a full table, so at most once in kIdle.
void Table::end_idle_sessions(std::int64_t now) {
  if (shared_->swept <= now && shared_->swept + kIdle > now) return;
  shared_->swept = now;
  for (Session& session : std::span(sessions_, limits_.sessions / kWays * kWays)) {
    if (session.key != 0 && is_idle(session, now)) end_session(session);
  }
}

Table::Session* Table::open_session(std::uint64_t key, Slot& slot, std::int64_t now) {
  const std::size_t sets = limits_.sessions / kWays;
  Session* const set = sessions_ + key % sets * kWays;
  Session* place = std::min_element(set, set + kWays, [](const Session& a, const Session& b) {
    return std::pair(a.key != 0, a.last) < std::pair(b.key != 0, b.last);
  });
  if (place->key != 0 && !is_idle(*place, now)) return nullptr;
  if (place->key != 0) end_session(*place);
  ++shared_->sessions;
  place->key = key;
  place->slot = shared_->place_of(slot);
  place->slot_name = static_cast<std::uint32_t>(slot.name);
  ++slot.sessions;
  return place;
}

void Table::renew_salt(std::int64_t day) {
  if (shared_->salt_day == day) return;
  fill(shared_->salt);
  shared_->salt_day = day;
  shared_->is_salt_shared = false;
}

void Table::see_visitor(const Slot& slot, const media::HashedId& media, const Sender& sender,
                        std::int64_t day) {
  renew_salt(day);
  if (shared_->next_visitor - shared_->first_visitor >= kVisitors) return;
  std::string text(shared_->salt.data(), kSecret);
  text.append(media.value()).append("\n").append(sender.address).append("\n");
  const std::string digest = base::sha256(text.append(sender.user_agent));
  Shared::Visitor& visitor = shared_->visitor(shared_->next_visitor++);
  visitor.slot = shared_->place_of(slot);
  visitor.slot_name = static_cast<std::uint32_t>(slot.name);
  std::memcpy(visitor.digest.data(), digest.data(), kDigest);
}

Table::Taken Table::count(const media::HashedId& media, const Beacon& beacon, const Sender& sender,
                          std::int64_t now) {
  const std::uint64_t hash = secret_hash(media.value() + "\n" + std::string(beacon.session));
  const std::uint64_t key = std::max<std::uint64_t>(hash, 1);
  const std::int64_t day = now / kDay;
  const Lock lock(*shared_);
  if (!lock) return Taken::Busy;
  Session* const set = sessions_ + key % (limits_.sessions / kWays) * kWays;
  Session* session = std::find_if(set, set + kWays, [&](const Session& s) { return s.key == key; });
  const bool is_new = session == set + kWays;
  if (is_new && !address_may_open(sender.address, now, IsOpened::No))
    return Taken::TooManyOfAddress;
  Slot* const slot = find_slot(media.value(), day);
  if (slot == nullptr) return Taken::Full;
  if (is_new) {
    const std::size_t most = std::max<std::size_t>(limits_.sessions / 2, 1);
    if (slot->sessions >= most) end_idle_sessions(now);
    if (slot->sessions >= most) return Taken::Full;
    session = open_session(key, *slot, now);
    if (session == nullptr) return Taken::Full;
    address_may_open(sender.address, now, IsOpened::Yes);
    see_visitor(*slot, media, sender, day);
  }
  session->last = static_cast<std::uint32_t>(now);
  switch (beacon.event) {
    case Beacon::Event::Load:
      if (!std::exchange(session->has_loaded, true)) ++slot->loads;
      break;
    case Beacon::Event::Play:
      if (!std::exchange(session->has_played, true)) ++slot->plays;
      break;
    case Beacon::Event::Seen:
      for (std::size_t i = 0; i < kParts; ++i) {
        if (beacon.seen.at(i) >= 1 && set_bit(session->seen, i)) ++slot->seen.at(i), ++slot->parts;
        if (beacon.seen.at(i) >= 2 && set_bit(session->again, i))
          ++slot->again.at(i), ++slot->parts;
      }
      break;
  }
  ++slot->version;
  shared_->make_due(*slot);
  return Taken::Yes;
}

std::optional<Table::Salt> Table::salt_to_share(std::int64_t now) {
  const Lock lock(*shared_);
  if (!lock) return std::nullopt;
  renew_salt(now / kDay);
  if (shared_->is_salt_shared) return std::nullopt;
  return Salt{day_of(shared_->salt_day), std::string(shared_->salt.data(), kSecret)};
}

void Table::use_salt(const Salt& salt) {
  const Lock lock(*shared_);
  if (!lock || day_of(shared_->salt_day) != salt.day || salt.bytes.size() != kSecret) return;
  std::ranges::copy(salt.bytes, shared_->salt.begin());
  shared_->is_salt_shared = true;
}

std::size_t Table::due() const {
  return shared_->has_lost ? kMedias
                           : std::atomic_ref(shared_->dues).load(std::memory_order_relaxed);
}

std::size_t Table::sessions() const {
  return std::atomic_ref(shared_->sessions).load(std::memory_order_relaxed);
}

Table::Batch Table::take(std::size_t most, std::chrono::sys_days today) {
  const int error = pthread_mutex_trylock(&shared_->writer);
  if (error == EOWNERDEAD) {
    pthread_mutex_consistent(&shared_->writer);
    shared_->has_lost = true;
  }
  const bool is_writer = error == 0 || error == EOWNERDEAD;
  return {is_writer ? this : nullptr, most, today};
}

Table::Batch::Batch(Table* table, std::size_t most, std::chrono::sys_days today)
    : table_(table), today_(today) {
  if (table == nullptr) return;
  Shared& shared = *table->shared_;
  const Lock lock(shared);
  if (!lock) return;
  if (shared.has_lost.exchange(false)) shared.make_due_again();
  shared.free_other_days(today.time_since_epoch().count());
  std::map<std::uint32_t, std::size_t> by_place;
  for (std::size_t i = 0; i < most && shared.dues > 0; ++i) {
    const std::uint32_t place = shared.due.at(shared.first_due);
    shared.first_due = (shared.first_due + 1) % kMedias;
    --shared.dues;
    Slot& slot = shared.slots.at(place);
    slot.is_due = false;
    if (slot.day == 0) continue;
    if (today - day_of(slot.day) >= kSettled && slot.written > 0) table->rename(slot);
    if (slot.is_account()) {
      accounts_.insert(place);
      continue;
    }
    by_place[place] = entries_.size();
    entries_.push_back(table->entry_of(slot));
  }
  for (std::uint64_t i = shared.first_visitor; i < shared.next_visitor; ++i) {
    const Shared::Visitor& visitor = shared.visitor(i);
    const auto found = by_place.find(visitor.slot);
    if (found == by_place.end()) continue;
    Entry& entry = entries_[found->second];
    if (static_cast<std::uint32_t>(entry.name) == visitor.slot_name)
      entry.visitors.emplace_back(visitor.digest.data(), kDigest);
  }
  visitors_ = shared.next_visitor;
}

Table::Entry Table::entry_of(const Slot& slot) const {
  Entry entry;
  entry.place = shared_->place_of(slot);
  entry.name = slot.name;
  entry.version = slot.version;
  entry.day = day_of(slot.day);
  if (!slot.is_account()) entry.media = *media::HashedId::parse(slot.subject.data());
  entry.counts.loads = slot.loads;
  entry.counts.plays = slot.plays;
  entry.counts.watched = slot.watched;
  entry.counts.seen = slot.seen;
  entry.counts.again = slot.again;
  entry.new_plays = slot.plays - slot.ranked;
  return entry;
}

// Subtracts the counts that were stored by that name.
void Table::take_stored(Slot& slot) {
  const auto take = [](std::uint64_t& from, std::uint64_t& stored) {
    from -= std::exchange(stored, 0);
  };
  slot.given = {slot.given[0] - slot.stored_loads, slot.given[1] - slot.stored_plays,
                slot.given[2] - slot.stored_watched};
  slot.ranked -= std::min(slot.ranked, slot.stored_plays);
  take(slot.loads, slot.stored_loads);
  take(slot.plays, slot.stored_plays);
  take(slot.watched, slot.stored_watched);
  for (std::size_t i = 0; i < kParts; ++i) {
    slot.seen.at(i) -= std::exchange(slot.stored_seen.at(i), 0U);
    slot.again.at(i) -= std::exchange(slot.stored_again.at(i), 0U);
  }
  slot.written = 0;
}

// The store may have added up the counts by that name: only new counts follow, by another name.
void Table::rename(Slot& slot) {
  take_stored(slot);
  slot.name = ++shared_->last_name;
}

Table::Slot* Table::Batch::slot_of(const Entry& entry) const {
  Slot& slot = table_->shared_->slots.at(entry.place);
  return slot.name == entry.name ? &slot : nullptr;
}

bool Table::Batch::is_of(std::size_t index, media::AccountId account,
                         std::optional<double> duration) {
  Entry& entry = entries_.at(index);
  const Lock lock(*table_->shared_);
  Slot* const slot = lock ? slot_of(entry) : nullptr;
  if (slot == nullptr) return false;
  const double each = std::max(0.0, duration.value_or(0)) * 1000 / kParts;  // ms
  slot->watched += static_cast<std::uint64_t>(
      std::llround(each * static_cast<double>(slot->parts - slot->timed)));
  slot->timed = slot->parts;
  entry = [&] {
    Entry now = table_->entry_of(*slot);
    now.visitors = std::move(entry.visitors);
    now.account = account;
    return now;
  }();
  Slot* const sum = table_->find_slot(account_subject(account), slot->day);
  if (sum == nullptr) return true;  // its account's the next time
  const auto before = std::exchange(slot->given, {slot->loads, slot->plays, slot->watched});
  sum->loads += slot->loads - before[0];
  sum->plays += slot->plays - before[1];
  sum->watched += slot->watched - before[2];
  sum->given = {sum->loads, sum->plays, sum->watched};
  ++sum->version;
  accounts_.insert(table_->shared_->place_of(*sum));
  return true;
}

void Table::Batch::drop(std::size_t index) {
  const Lock lock(*table_->shared_);
  Slot* const slot = lock ? slot_of(entries_.at(index)) : nullptr;
  if (slot != nullptr && !slot->is_due) table_->shared_->free(*slot);
}

void Table::Batch::add_accounts() {
  if (table_ == nullptr) return;
  const Lock lock(*table_->shared_);
  if (!lock) return;
  for (const std::uint32_t place : accounts_) {
    const Slot& slot = table_->shared_->slots.at(place);
    if (slot.day == 0 || !slot.is_account()) continue;
    entries_.push_back(table_->entry_of(slot));
    const std::string_view subject(slot.subject.data());
    entries_.back().account = {base::parse_number<std::int64_t>(subject.substr(1)).value_or(0)};
  }
}

void Table::Batch::written(std::size_t index, Had had) {
  const Entry& entry = entries_.at(index);
  const Lock lock(*table_->shared_);
  Slot* const slot = lock ? slot_of(entry) : nullptr;
  if (slot == nullptr) return;
  slot->ranked = entry.counts.plays;
  written_.insert(static_cast<std::uint32_t>(entry.name));
  if (had == Had::Nothing && slot->written > 0) {
    table_->take_stored(*slot);
    ++slot->version;
    table_->shared_->make_due(*slot);
    return;
  }
  slot->written = std::max(slot->written, entry.version);
  slot->stored_loads = entry.counts.loads;
  slot->stored_plays = entry.counts.plays;
  slot->stored_watched = entry.counts.watched;
  slot->stored_seen = entry.counts.seen;
  slot->stored_again = entry.counts.again;
}

Table::Batch::~Batch() {
  if (table_ == nullptr) return;
  if (!give_back()) table_->shared_->has_lost = true;
  pthread_mutex_unlock(&table_->shared_->writer);
}

bool Table::Batch::give_back() {
  Shared& shared = *table_->shared_;
  const Lock lock(shared);
  if (!lock) return false;
  const auto give = [&](Slot& slot) {
    if (slot.is_due) return;
    if (!slot.is_settled()) {
      shared.make_due(slot);
    } else if (day_of(slot.day) != today_) {
      shared.free(slot);
    }
  };
  for (const Entry& entry : entries_) {
    if (Slot* const slot = slot_of(entry)) give(*slot);
  }
  for (const std::uint32_t place : accounts_) {
    Slot& slot = shared.slots.at(place);
    if (slot.day != 0) give(slot);
  }
  // Visitors of the others stay; there may be new ones.
  std::uint64_t kept = shared.next_visitor;
  for (std::uint64_t i = shared.next_visitor; i-- > shared.first_visitor;) {
    const Shared::Visitor visitor = shared.visitor(i);
    const bool is_stored = i < visitors_ && written_.contains(visitor.slot_name);
    const Slot& slot = shared.slots.at(visitor.slot);
    const bool has_slot = static_cast<std::uint32_t>(slot.name) == visitor.slot_name;
    if (!is_stored && has_slot) shared.visitor(--kept) = visitor;
  }
  shared.first_visitor = kept;
  return true;
}

}  // namespace svc::viewing
