// Reply: one reply of Redis. Never an error reply: those are thrown as
// ErrorReply.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

struct redisReply;

namespace svc::redis {

// A view of a reply or of one of its elements. Valid as long as the Reply.
class ReplyView {
 public:
  // nullptr: nil.
  explicit ReplyView(const redisReply* reply) : reply_(reply) {}

  std::optional<std::string_view> text() const;  // nullopt for nil and other types
  std::int64_t integer() const;                  // 0 for other types
  // Returns the number in text(), 0 if it is not a number.
  std::int64_t number() const;
  std::size_t size() const;  // elements of an array, 0 for other types
  // Returns a nil view if the index is out of range.
  ReplyView at(std::size_t index) const;

 protected:
  const redisReply* reply_;
};

// Copies share the reply, which never changes.
class Reply : public ReplyView {
 public:
  explicit Reply(redisReply* owned) : ReplyView(owned), owned_(owned, Free()) {}

  // Returns an array of the elements of all these arrays.
  static Reply concatenated(std::vector<Reply> arrays);
  // Returns the sum of these integers.
  static Reply sum(const std::vector<Reply>& integers);

 private:
  struct Free {
    void operator()(redisReply* reply) const;
  };
  explicit Reply(std::shared_ptr<redisReply> owned)
      : ReplyView(owned.get()), owned_(std::move(owned)) {}

  std::shared_ptr<redisReply> owned_;
};

}  // namespace svc::redis
