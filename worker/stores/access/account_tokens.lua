-- The time to live of a token without an end, and of the lists: all records have one.
local ACCOUNT_TOKEN_SECONDS = 315360000  -- 3650 days

-- Returns 0 if the account has `most` tokens.
-- keys: tokens oauth:account_tokens, token oauth:account_token
-- reply: :
-- users: web svcctl
function functions.add_account_token(tokens, token, id, most, now, ends, mac, name, contact, scopes, created, expires)
  redis.call('ZREMRANGEBYSCORE', tokens, '-inf', now)
  if redis.call('ZCARD', tokens) >= tonumber(most) then return 0 end
  redis.call('ZADD', tokens, ends, id)
  redis.call('EXPIRE', tokens, ACCOUNT_TOKEN_SECONDS)
  redis.call('HSET', token, 'mac', mac, 'name', name, 'contact', contact, 'scopes', scopes, 'created', created, 'expires',
             expires)
  redis.call('EXPIRE', token, ends - now)
  return 1
end

-- Returns the contact of the token; nil if there was none, '0' if its key has another type.
-- keys: tokens oauth:account_tokens, token oauth:account_token, used oauth:account_token_used
-- reply: ?$
-- users: web svcctl
-- flags: allow-oom
function functions.end_account_token(tokens, token, used, id)
  local contact = redis.pcall('HGET', token, 'contact')
  if type(contact) == 'table' then contact = '0' end
  redis.call('ZREM', tokens, id)
  redis.call('UNLINK', token, used)
  return contact
end
