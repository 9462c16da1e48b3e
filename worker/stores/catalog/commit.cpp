#include "stores/catalog/commit.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "media/caption_texts.h"
#include "stores/catalog/account_end.h"
#include "stores/catalog/commit.lua.h"
#include "stores/catalog/index_build.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

constexpr std::string_view kUnconverted = "unconverted";
constexpr std::string_view kFull = "full ";
constexpr int kMostBuilds = 20;

const char* name_of(Commit::Weight weight) {
  switch (weight) {
    case Commit::Weight::LargeRecord: return "large";
    case Commit::Weight::Files: return "bytes";
    case Commit::Weight::Captions: break;
  }
  return "captions";
}

std::string to_text(std::optional<std::int64_t> number) {
  return number ? std::to_string(*number) : "";
}

}  // namespace

std::size_t Commit::number_of(std::string key) {
  const auto at = std::ranges::find(records_, key, &redis::Argument::text);
  if (at != records_.end()) return static_cast<std::size_t>(at - records_.begin()) + 1;
  records_.emplace_back(std::move(key));
  return records_.size();
}

void Commit::step(std::vector<redis::Argument> words) {
  for (redis::Argument& word : words) {
    bytes_ += word.text.size();
    words_.push_back(std::move(word));
  }
}

void Commit::must_be(std::string key, std::string_view text) {
  step({"same", number_of(std::move(key)), text});
}

void Commit::must_exist(std::string key) { step({"exists", number_of(std::move(key))}); }

void Commit::change(std::string key, std::string_view before, std::string_view after) {
  step({"change", number_of(std::move(key)), before, after});
}

void Commit::erase(std::string key) { put(std::move(key), ""); }

void Commit::put(std::string key, std::string_view text) {
  step({"set", number_of(std::move(key)), text});
}

void Commit::remove_from(std::string key, std::string_view member) {
  step({"remove", number_of(std::move(key)), member});
}

void Commit::note(const IndexedRecord& record, const std::optional<IndexedFields>& was,
                  const std::optional<IndexedFields>& now) {
  if (was == now) return;
  step({"note", stores::to_text(record), was ? state_of(*was) : "", now ? state_of(*now) : ""});
  if (was.has_value() != now.has_value()) add(count_of(record.kind), now ? 1 : -1);
  const std::string before = was ? was->project : "";
  const std::string after = now ? now->project : "";
  if (before == after) return;
  if (!before.empty()) add(count_of_project(before), -1);
  if (!after.empty()) add(count_of_project(after), 1);
}

void Commit::add(const std::string& field, std::int64_t difference,
                 std::optional<std::int64_t> most) {
  Number& number = numbers_[field];
  number.difference += difference;
  if (most) number.most = most;
}

void Commit::must_have_none(const std::string& field) { step({"none", field}); }

void Commit::list_upload(const media::HashedId& id, std::optional<std::int64_t> since) {
  step({"upload", id.value(), to_text(since)});
}

void Commit::list_failed(const media::HashedId& id, std::optional<std::int64_t> since) {
  step({"failed", id.value(), to_text(since)});
}

void Commit::weigh(Weight weight, const media::HashedId& id, std::uint64_t bytes) {
  step({"weigh", name_of(weight), id.value(), bytes > 0 ? std::to_string(bytes) : ""});
}

void Commit::limit(Weight weight, std::uint64_t most) {
  step({"most", name_of(weight), std::to_string(most)});
}

void Commit::must_be_staged(const media::HashedId& id, std::string_view version) {
  step({"staged", number_of(keys::captions(id)), version});
}

void Commit::keep_texts(const media::Media& media) {
  const std::vector<std::string> versions = media::CaptionTexts::versions_of(media);
  std::vector<redis::Argument> words{"texts", number_of(keys::captions(media.id)), versions.size()};
  words.insert(words.end(), versions.begin(), versions.end());
  step(std::move(words));
  weigh(Weight::Captions, media.id, media::CaptionTexts::bytes_of(media));
}

void Commit::move_texts(const media::HashedId& from, const media::HashedId& to) {
  const std::size_t number = number_of(keys::captions(from));
  step({"move", number, number_of(keys::captions(to))});
}

void Commit::take_place(const media::UploadPlace& place) {
  const media::UploadLimits& limits = place.limits;
  step({"place", place.name, place.now});
  step({"most", "uploads", limits.uploads});
  step({"most", "unfinished", limits.unfinished});
  step({"most", name_of(Weight::LargeRecord), limits.state});
  if (limits.bytes > 0) step({"most", name_of(Weight::Files), limits.bytes});
}

Commit::FullOf Commit::full_of(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const auto has = base::parse_number<std::int64_t>(text.substr(std::min(end + 1, text.size())));
  return {std::string(text.substr(0, end)), has.value_or(0)};
}

void Commit::add_job(const IngestJob& job) { step({"incoming", job.to_text()}); }

void Commit::add_job(const FilesJob& job) {
  std::vector<std::string> fields = job.to_fields();
  std::vector<redis::Argument> words{"files", fields.size()};
  for (std::string& field : fields) words.emplace_back(std::move(field));
  step(std::move(words));
}

loop::Task<std::string> Commit::send(redis::Store& store, Size size, redis::Durability durability) {
  const auto fill = [this]<class Function>() {
    return Function{.index = keys::index(account_),
                    .notes = keys::unindexed(account_),
                    .changed = keys::changed(account_),
                    .uploads = keys::ingest_uploads(account_),
                    .failed = keys::ingest_failed(account_),
                    .large = keys::ingest_large(account_),
                    .bytes = keys::ingest_bytes(account_),
                    .captioned = keys::captioned(account_),
                    .incoming = keys::kIngestIncoming,
                    .jobs = keys::kIngestDeletions,
                    .records = records_,
                    .words = words_};
  };
  if (size == Size::Less) {
    const redis::Reply reply =
        co_await store.call(fill.operator()<functions::CommitLess>(), durability);
    co_return std::string(reply.text().value_or(""));
  }
  const redis::Reply reply = co_await store.call(fill.operator()<functions::Commit>(), durability);
  co_return std::string(reply.text().value_or(""));
}

loop::Task<Commit::Outcome> Commit::run(redis::Store& store, Size size,
                                        redis::Durability durability) {
  for (const auto& [field, number] : numbers_) {
    if (number.difference != 0 || number.most)
      step({"add", field, number.difference, to_text(number.most)});
  }
  numbers_.clear();
  for (int builds = 0; builds < kMostBuilds; ++builds) {
    const std::string outcome = co_await send(store, size, durability);
    if (outcome == "done") co_return Outcome::Done;
    if (outcome == "changed") co_return Outcome::Changed;
    if (outcome == "gone") co_return Outcome::Gone;
    if (outcome.starts_with(kFull)) {
      full_ = full_of(std::string_view(outcome).substr(kFull.size()));
      co_return Outcome::Full;
    }
    if (outcome.starts_with("used ")) co_return Outcome::InUse;
    if (outcome == "ended") throw base::Unavailable(kAccountEnds);
    if (outcome != kUnconverted) break;
    co_await build_index(store, account_);
  }
  throw base::Unavailable("the index of an account cannot be built");
}

}  // namespace svc::stores
