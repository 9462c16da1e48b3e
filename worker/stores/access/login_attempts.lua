local LOGIN_PAIR_SECONDS = 3600  -- after the last failure of an email from an address
local LOGIN_EMAIL_SECONDS = 3600  -- after the first failure of an email
local LOGIN_KNOWN_SECONDS = 2592000  -- 30 days after the last login from an address
local MOST_KNOWN_ADDRESSES = 50

-- Returns the failures of the email from that address, the time of the last one, the time at which the user was told to wait,
-- the failures of the email, and '1' if the user has logged in from that address.
-- keys: pair web:login_pair, email web:login_email, known web:login_known
-- reply: [?$?$?$?$$]
-- users: web
-- flags: no-writes
function functions.login_history(pair, email, known, address, now)
  local stored = redis.call('HMGET', pair, 'failures', 'last', 'told')
  local login = tonumber(redis.call('ZSCORE', known, address))
  local is_known = login and login >= now - LOGIN_KNOWN_SECONDS
  return {stored[1], stored[2], stored[3], redis.call('GET', email), is_known and '1' or '0'}
end

-- Notes that the user was told to wait.
-- keys: pair web:login_pair
-- reply: :
-- users: web
function functions.told_to_wait(pair, now)
  redis.call('HSET', pair, 'told', now)
  redis.call('EXPIRE', pair, LOGIN_PAIR_SECONDS)
  return 1
end

-- Counts an attempt as failed until it has succeeded. Returns 0 without counting if the pair has other values.
-- keys: pair web:login_pair, email web:login_email
-- reply: :
-- users: web
function functions.begin_login(pair, email, failures, last, told, now)
  local stored = redis.call('HMGET', pair, 'failures', 'last', 'told')
  for i, seen in ipairs({failures, last, told}) do
    if tonumber(stored[i] or 0) ~= tonumber(seen) then return 0 end
  end
  redis.call('HINCRBY', pair, 'failures', 1)
  redis.call('HSET', pair, 'last', now)
  redis.call('HDEL', pair, 'told')
  redis.call('EXPIRE', pair, LOGIN_PAIR_SECONDS)
  if redis.call('INCR', email) == 1 then redis.call('EXPIRE', email, LOGIN_EMAIL_SECONDS) end
  return 1
end

-- Takes the attempt back, and notes the address.
-- keys: pair web:login_pair, email web:login_email, known web:login_known
-- reply: :
-- users: web
function functions.login_succeeded(pair, email, known, address, now)
  redis.call('DEL', pair)
  if tonumber(redis.call('GET', email) or 0) > 0 then redis.call('INCRBY', email, -1) end
  redis.call('ZADD', known, now, address)
  redis.call('ZREMRANGEBYSCORE', known, '-inf', '(' .. now - LOGIN_KNOWN_SECONDS)
  redis.call('ZREMRANGEBYRANK', known, 0, -MOST_KNOWN_ADDRESSES - 1)
  redis.call('EXPIRE', known, LOGIN_KNOWN_SECONDS)
  return 1
end
