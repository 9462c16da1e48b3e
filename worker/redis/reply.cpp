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

}  // namespace svc::redis
