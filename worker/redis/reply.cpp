#include "redis/reply.h"

#include <hiredis/hiredis.h>

#include "base/number.h"

namespace svc::redis {

std::optional<std::string_view> ReplyView::text() const {
  if (reply_ == nullptr) return std::nullopt;
  if (reply_->type != REDIS_REPLY_STRING && reply_->type != REDIS_REPLY_STATUS) return std::nullopt;
  return std::string_view(reply_->str, reply_->len);
}

std::int64_t ReplyView::integer() const {
  return reply_ != nullptr && reply_->type == REDIS_REPLY_INTEGER ? reply_->integer : 0;
}

std::int64_t ReplyView::number() const {
  return base::parse_number<std::int64_t>(text().value_or("")).value_or(0);
}

std::size_t ReplyView::size() const {
  return reply_ != nullptr && reply_->type == REDIS_REPLY_ARRAY ? reply_->elements : 0;
}

ReplyView ReplyView::at(std::size_t index) const {
  return ReplyView(index < size() ? reply_->element[index] : nullptr);
}

void Reply::Free::operator()(redisReply* reply) const { freeReplyObject(reply); }

Reply Reply::concatenated(std::vector<Reply> arrays) {
  struct Whole {
    redisReply reply{};
    std::vector<redisReply*> elements;
    std::vector<Reply> arrays;  // own the elements
  };
  const auto whole = std::make_shared<Whole>();
  for (const Reply& array : arrays) {
    for (std::size_t i = 0; i < array.size(); ++i)
      whole->elements.push_back(array.reply_->element[i]);
  }
  whole->arrays = std::move(arrays);
  whole->reply.type = REDIS_REPLY_ARRAY;
  whole->reply.elements = whole->elements.size();
  whole->reply.element = whole->elements.data();
  return Reply(std::shared_ptr<redisReply>(whole, &whole->reply));
}

Reply Reply::sum(const std::vector<Reply>& integers) {
  const auto whole = std::make_shared<redisReply>();
  whole->type = REDIS_REPLY_INTEGER;
  for (const Reply& reply : integers) whole->integer += reply.integer();
  return Reply(whole);
}

}  // namespace svc::redis
