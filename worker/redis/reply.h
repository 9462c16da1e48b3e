// Reply: one answer of Redis, never an error (those are thrown where they arrive).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

struct redisReply;

namespace svc::redis {

// A look into a reply; lives as long as the Reply it came from.
class ReplyView {
 public:
  // nullptr: nil.
  explicit ReplyView(const redisReply* reply) : reply_(reply) {}

  std::optional<std::string_view> text() const;  // nothing for nil and for other types
  std::int64_t integer() const;                  // 0 for other types
  // The number that text() is; 0 for any other text.
  std::int64_t number() const;
  std::size_t size() const;  // elements of an array, 0 for other types
  // A nil view if there is no such element.
  ReplyView at(std::size_t index) const;

 protected:
  const redisReply* reply_;
};

// Copies share the reply, which never changes.
class Reply : public ReplyView {
 public:
  explicit Reply(redisReply* owned) : ReplyView(owned), owned_(owned, Free()) {}

 private:
  struct Free {
    void operator()(redisReply* reply) const;
  };
  std::shared_ptr<redisReply> owned_;
};

}  // namespace svc::redis
