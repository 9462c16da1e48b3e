#include "stores/catalog/index_set.h"

#include <algorithm>
#include <array>
#include <deque>
#include <span>

#include "base/hex.h"
#include "stores/catalog/index_set.lua.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

// How many beginnings of blocks one command reads from a directory.
constexpr std::size_t kBeginsPerRead = 64;
// From this number of keys on, one read of the whole directory is less work than one command per
// key.
constexpr std::size_t kKeysToAskFor = 32;
constexpr std::size_t kBlocksPerRead = 128;
constexpr std::size_t kNotesPerCall = 200;
constexpr int kMostSplits = 20;  // during one read
// Limits of one run of write_blocks, which then takes some milliseconds.
constexpr std::size_t kMostBlocks = 256;
constexpr std::size_t kMostBytes = 512 * 1024;

// The end of a range of ZRANGE BYLEX: all texts that begin with `prefix` are before it.
std::string behind(const std::string& prefix) {
  return prefix.empty() ? "+" : "(" + prefix + "\xff";
}

IndexBlock read_block(const std::string& key, std::optional<std::string_view> text) {
  if (!text) return {};
  std::optional<IndexBlock> block = block_of(*text);
  if (!block) corrupt_record(key, "is not a block of an index");
  return std::move(*block);
}

std::vector<std::string> texts_of(const redis::Reply& reply) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < reply.size(); ++i)
    texts.emplace_back(reply.at(i).text().value_or(""));
  return texts;
}

// Goes through the blocks of a range, in one direction.
class Walk {
 public:
  Walk(redis::Store& store, media::AccountId account, IndexRange range)
      : store_(store),
        account_(account),
        range_(std::move(range)),
        directory_(keys::directory(account, range_.set)),
        bound_(range_.after),
        to_leave_out_(range_.offset) {}

  loop::Task<std::vector<IndexEntry>> run();

 private:
  loop::Task<> look_up();
  loop::Task<> leave_out_blocks();
  bool is_next(const std::string& begin, const IndexBlock& block) const;
  void take(const std::string& begin, const IndexBlock& block);
  bool is_in_range(const std::string& key) const;
  std::size_t wanted_blocks() const;

  redis::Store& store_;
  const media::AccountId account_;
  const IndexRange range_;
  const std::string directory_;
  // Where the rest of the range begins. At first the key after which it begins; empty: at its end.
  std::string bound_;
  bool is_inside_ = false;  // bound_ is where the next block, or the last taken, begins
  std::deque<std::string> begins_;
  std::size_t to_leave_out_;
  std::vector<IndexEntry> taken_;
  bool is_done_ = false;
  int splits_ = 0;  // that the directory, as read, did not have
};

loop::Task<std::vector<IndexEntry>> Walk::run() {
  while (!is_done_ && range_.count > 0) {
    if (begins_.empty()) {
      co_await look_up();
    }
    co_await leave_out_blocks();
    redis::Store::Calls calls(store_);
    std::vector<std::string> now;
    while (!begins_.empty() && now.size() < wanted_blocks()) {
      now.push_back(std::move(begins_.front()));
      begins_.pop_front();
      calls.get(keys::block(account_, range_.set, now.back()));
    }
    bool is_current = true;
    for (const std::string& begin : now) {
      const redis::Reply reply = co_await calls.next();
      if (!is_current || is_done_) continue;
      const IndexBlock block = read_block(keys::block(account_, range_.set, begin), reply.text());
      is_current = is_next(begin, block);
      if (is_current) take(begin, block);
    }
    if (is_current) continue;
    begins_.clear();
    if (++splits_ == kMostSplits) corrupt_record(directory_, "does not name a block of the index");
  }
  co_return std::move(taken_);
}

// About as many as the rest needs, if all entries are wanted.
std::size_t Walk::wanted_blocks() const {
  return range_.wanted ? 16 : 1 + (range_.count - taken_.size()) / 128;
}

// Reads where the next blocks begin.
loop::Task<> Walk::look_up() {
  const std::string most = std::to_string(kBeginsPerRead);
  redis::Store::Calls calls(store_);
  if (!range_.ascending) {
    const std::string below = is_inside_ || !bound_.empty() ? "(" + bound_ : behind(range_.prefix);
    calls.read({"ZRANGE", directory_, below, "-", "BYLEX", "REV", "LIMIT", "0", most});
    const redis::Reply reply = co_await calls.next();
    for (std::string& begin : texts_of(reply)) begins_.push_back(std::move(begin));
    if (reply.size() < kBeginsPerRead) begins_.emplace_back();
    co_return;
  }
  const std::string from = bound_.empty() ? range_.prefix : bound_;
  if (!is_inside_)
    calls.read({"ZRANGE", directory_, "[" + from, "-", "BYLEX", "REV", "LIMIT", "0", "1"});
  calls.read(
      {"ZRANGE", directory_, "(" + from, behind(range_.prefix), "BYLEX", "LIMIT", "0", most});
  if (is_inside_) {
    begins_.push_back(bound_);
  } else {
    const redis::Reply reply = co_await calls.next();
    begins_.emplace_back(reply.at(0).text().value_or(""));
  }
  const redis::Reply reply = co_await calls.next();
  for (std::string& begin : texts_of(reply)) begins_.push_back(std::move(begin));
}

// Passes over whole blocks by their counts: neither the first, of which a part may be in the range,
// nor the last that is known.
loop::Task<> Walk::leave_out_blocks() {
  if (range_.wanted || !is_inside_) co_return;
  while (to_leave_out_ > 0 && begins_.size() > 1) {
    redis::Store::Calls calls(store_);
    const std::size_t asked = begins_.size() - 1;
    const std::string from = std::to_string(kBlockVersionBytes);
    const std::string to = std::to_string(kBlockVersionBytes + kBlockCountBytes - 1);
    for (std::size_t i = 0; i < asked; ++i)
      calls.read({"GETRANGE", keys::block(account_, range_.set, begins_[i]), from, to});
    bool is_behind = false;
    for (std::size_t i = 0; i < asked; ++i) {
      const redis::Reply reply = co_await calls.next();
      const std::size_t count = block_count(reply.text().value_or(""));
      is_behind |= count > to_leave_out_;
      if (is_behind) continue;
      to_leave_out_ -= count;
      bound_ = range_.ascending ? begins_[1] : begins_[0];
      begins_.pop_front();
    }
    if (is_behind) co_return;
    // All that were known are left out, but the last.
    begins_.clear();
    co_await look_up();
  }
}

// Returns false if a block that was split off after the directory was read is between.
bool Walk::is_next(const std::string& begin, const IndexBlock& block) const {
  if (range_.ascending) {
    if (is_inside_) return begin == bound_;
    const std::string& from = bound_.empty() ? range_.prefix : bound_;
    return block.end.empty() || from < block.end;
  }
  if (block.end.empty()) return true;
  if (is_inside_ || !bound_.empty()) return block.end >= bound_;
  return !range_.prefix.empty() && block.end >= range_.prefix + "\xff";
}

bool Walk::is_in_range(const std::string& key) const {
  if (!key.starts_with(range_.prefix)) return false;
  if (range_.ascending) return range_.after.empty() || key > range_.after;
  return (range_.after.empty() || key < range_.after) && (!is_inside_ || key < bound_);
}

void Walk::take(const std::string& begin, const IndexBlock& block) {
  const auto take_one = [&](const IndexEntry& entry) {
    if (is_done_ || !is_in_range(entry.key) || (range_.wanted && !range_.wanted(entry))) return;
    if (to_leave_out_ > 0) {
      --to_leave_out_;
      return;
    }
    taken_.push_back(entry);
    is_done_ = taken_.size() == range_.count;
  };
  if (range_.ascending) {
    std::ranges::for_each(block.entries, take_one);
    is_done_ |=
        block.end.empty() || (!block.end.starts_with(range_.prefix) && block.end > range_.prefix);
    bound_ = block.end;
  } else {
    for (auto entry = block.entries.rbegin(); entry != block.entries.rend(); ++entry)
      take_one(*entry);
    is_done_ |= begin <= range_.prefix;
    bound_ = begin;
  }
  is_inside_ = true;
}

}  // namespace

loop::Task<std::vector<IndexEntry>> read_index(redis::Store& store, media::AccountId account,
                                               IndexRange range) {
  Walk walk(store, account, std::move(range));
  co_return co_await walk.run();
}

// For each key, where its block begins.
loop::Task<std::vector<std::string>> IndexEdit::begins_of(std::string set,
                                                          std::vector<std::string> keys) {
  const std::string directory = keys::directory(account_, set);
  redis::Store::Calls calls(store_);
  std::vector<std::string> begins;
  if (keys.size() >= kKeysToAskFor) {
    calls.read({"ZRANGE", directory, "-", "+", "BYLEX"});
    const redis::Reply reply = co_await calls.next();
    const std::vector<std::string> all = texts_of(reply);
    for (const std::string& key : keys) {
      const auto next = std::ranges::upper_bound(all, key);
      begins.push_back(next == all.begin() ? "" : *std::prev(next));
    }
    co_return begins;
  }
  for (const std::string& key : keys)
    calls.read({"ZRANGE", directory, "[" + key, "-", "BYLEX", "REV", "LIMIT", "0", "1"});
  for (const std::string& key : keys) {
    const redis::Reply reply = co_await calls.next();
    begins.emplace_back(reply.at(0).text().value_or(""));
    if (begins.back() > key) corrupt_record(directory, "is not sorted");
  }
  co_return begins;
}

loop::Task<> IndexEdit::begin() {
  const std::string key = keys::index(account_);
  redis::Store::Call call = store_.read({"HGET", key, "epoch"});
  const redis::Reply reply = co_await call;
  epoch_ = reply.text().value_or(functions::kNoEpoch);
}

loop::Task<bool> IndexEdit::intend(std::vector<IndexNote> notes) {
  for (std::size_t i = 0; i < notes.size(); i += kNotesPerCall) {
    functions::IntendIndex run{.index = keys::index(account_),
                               .notes = keys::unindexed(account_),
                               .epoch = epoch_,
                               .words = {}};
    for (std::size_t k = i; k < std::min(i + kNotesPerCall, notes.size()); ++k) {
      run.words.emplace_back(std::move(notes[k].member));
      run.words.emplace_back(std::move(notes[k].state));
    }
    const redis::Reply reply = co_await store_.call(std::move(run));
    if (reply.integer() != 1) co_return false;
  }
  co_return true;
}

loop::Task<> IndexEdit::load(std::string set, std::vector<std::string> keys) {
  for (int splits = 0; !keys.empty(); ++splits) {
    if (splits == kMostSplits)
      corrupt_record(keys::directory(account_, set), "does not name a block of the index");
    const std::vector<std::string> all_begins = co_await begins_of(set, keys);
    std::vector<std::string> begins = all_begins;
    std::ranges::sort(begins);
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    std::erase_if(begins, [&](const std::string& begin) { return blocks_.contains({set, begin}); });
    for (std::size_t i = 0; i < begins.size(); i += kBlocksPerRead) {
      const auto batch = std::span(begins).subspan(i, std::min(kBlocksPerRead, begins.size() - i));
      redis::Store::Calls calls(store_);
      for (const std::string& begin : batch) calls.get(keys::block(account_, set, begin));
      for (const std::string& begin : batch) {
        const redis::Reply reply = co_await calls.next();
        Loaded& loaded = blocks_[{set, begin}];
        loaded.version = block_version(reply.text().value_or(""));
        loaded.block = read_block(keys::block(account_, set, begin), reply.text());
      }
    }
    // A block may have been split after its directory was read.
    std::vector<std::string> again;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string& end = blocks_.at({set, all_begins[i]}).block.end;
      if (!end.empty() && keys[i] >= end) again.push_back(std::move(keys[i]));
    }
    keys = std::move(again);
  }
}

IndexEdit::Loaded& IndexEdit::block_of_key(const std::string& set, const std::string& key) {
  return std::prev(blocks_.upper_bound({set, key}))->second;
}

const std::string* IndexEdit::find(const std::string& set, const std::string& key) {
  const Loaded& loaded = block_of_key(set, key);
  if (const auto changed = loaded.changes.find(key); changed != loaded.changes.end())
    return changed->second ? &*changed->second : nullptr;
  const auto at = std::ranges::lower_bound(loaded.block.entries, key, {}, &IndexEntry::key);
  return at != loaded.block.entries.end() && at->key == key ? &at->value : nullptr;
}

void IndexEdit::put(const std::string& set, const std::string& key, std::string value) {
  block_of_key(set, key).changes[key] = std::move(value);
}

void IndexEdit::erase(const std::string& set, const std::string& key) {
  block_of_key(set, key).changes[key] = std::nullopt;
}

void IndexEdit::settle(const std::string& set, const std::string& key, IndexNote note) {
  block_of_key(set, key).notes.push_back(std::move(note));
}

// Adds to `step` what became of a block.
void IndexEdit::write(const BlockId& block_id, Loaded& loaded, Step& step) const {
  std::ranges::move(loaded.notes, std::back_inserter(step.notes));
  std::vector<IndexEntry> merged;
  merged.reserve(loaded.block.entries.size() + loaded.changes.size());
  auto changed = loaded.changes.begin();
  const auto add_changes_before = [&](const std::string* key) {
    for (; changed != loaded.changes.end() && (key == nullptr || changed->first < *key);
         ++changed) {
      if (changed->second) merged.push_back({changed->first, *changed->second});
    }
  };
  for (const IndexEntry& entry : loaded.block.entries) {
    add_changes_before(&entry.key);
    if (changed != loaded.changes.end() && changed->first == entry.key) {
      if (changed->second) merged.push_back({entry.key, *changed->second});
      ++changed;
    } else {
      merged.push_back(entry);
    }
  }
  add_changes_before(nullptr);
  if (merged == loaded.block.entries) return;
  const std::vector<std::span<const IndexEntry>> parts = split_for_blocks(merged);
  std::string begin = block_id.second;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    IndexBlock block{{parts[i].begin(), parts[i].end()}, loaded.block.end};
    if (i + 1 < parts.size())
      block.end = shortest_between(parts[i].back().key, parts[i + 1].front().key);
    step.blocks.push_back(keys::block(account_, block_id.first, begin));
    step.texts.push_back(i == 0 ? loaded.version : "");
    step.texts.push_back(to_text(block));
    step.bytes += step.texts.back().size();
    if (i > 0) step.begins.emplace_back(block_id.first, begin);
    begin = block.end;
  }
}

// A single change leaves in one step. Otherwise a set in `last` is written after the others. Until
// then its entries are the old ones, so that all can be repeated.
loop::Task<bool> IndexEdit::commit(std::vector<std::string> last) {
  Step step;
  for (const bool is_last : {false, true}) {
    for (auto& [block_id, loaded] : blocks_) {
      if (is_last != (std::ranges::find(last, block_id.first) != last.end())) continue;
      write(block_id, loaded, step);
      if (step.blocks.size() < kMostBlocks && step.bytes < kMostBytes) continue;
      Step full = std::exchange(step, {});
      const bool written = co_await run(std::move(full));
      if (!written) co_return false;
    }
  }
  if (step.blocks.empty() && step.notes.empty()) co_return true;
  co_return co_await run(std::move(step));
}

loop::Task<bool> IndexEdit::run(Step step) {
  std::array<unsigned char, 4> random{};
  entropy_.fill(random);
  const std::string next =
      base::to_hex({reinterpret_cast<const char*>(random.data()), random.size()});
  const bool has_notes = !step.notes.empty();
  functions::WriteBlocks run{.index = keys::index(account_),
                             .notes = keys::unindexed(account_),
                             .sets = {step.blocks.begin(), step.blocks.end()},
                             .epoch = epoch_,
                             .next_epoch = next,
                             .blocks = step.blocks.size(),
                             .begins = step.begins.size(),
                             .words = {step.texts.begin(), step.texts.end()}};
  for (auto& [set, begin] : step.begins) {
    run.sets.emplace_back(keys::directory(account_, set));
    run.words.emplace_back(std::move(begin));
  }
  for (const IndexNote& note : step.notes) {
    run.words.emplace_back(note.member);
    run.words.emplace_back(note.state);
  }
  const redis::Reply reply = co_await store_.call(std::move(run));
  if (reply.integer() == 1 && has_notes) epoch_ = next;
  co_return reply.integer() == 1;
}

}  // namespace svc::stores
