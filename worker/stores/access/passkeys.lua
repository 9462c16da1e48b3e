-- Returns 0: there is no factor, 1: added, 2: another one has that id, 3: there are `most` already.
-- keys: factor web:login_factor
-- reply: :
-- users: web
function functions.add_passkey(factor, id, record, count, most)
  local stored = redis.call('HMGET', factor, 'secret', 'passkey:' .. id, 'passkeys')
  if not stored[1] then return 0 end
  if stored[2] then return stored[2] == record and 1 or 2 end
  if (tonumber(stored[3]) or 0) >= tonumber(most) then return 3 end
  redis.call('HINCRBY', factor, 'passkeys', 1)
  redis.call('HSET', factor, 'passkey:' .. id, record, 'passkey_count:' .. id, count)
  return 1
end

-- Returns 0 if there is no such passkey.
-- keys: factor web:login_factor
-- reply: :
-- users: web
-- flags: allow-oom
function functions.remove_passkey(factor, id)
  if redis.call('HDEL', factor, 'passkey:' .. id) == 0 then return 0 end
  redis.call('HDEL', factor, 'passkey_count:' .. id, 'passkey_used:' .. id, 'passkey_turn:' .. id)
  redis.call('HINCRBY', factor, 'passkeys', -1)
  return 1
end

-- Stores the counter of a use by the request `turn`. `may_restart` is 1 if the counter may fall to 0. Returns 0: there is no
-- such passkey, 1: used, 2: the counter is behind.
-- keys: factor web:login_factor
-- reply: :
-- users: web
function functions.use_passkey(factor, id, count, now, turn, may_restart)
  local stored = redis.call('HMGET', factor, 'passkey_count:' .. id, 'passkey_turn:' .. id)
  if not stored[1] then return 0 end
  if stored[2] == turn then return 1 end
  local before, after = tonumber(stored[1]), tonumber(count)
  local restarts = after == 0 and may_restart == '1'
  if (before > 0 or after > 0) and after <= before and not restarts then return 2 end
  redis.call('HSET', factor, 'passkey_count:' .. id, count, 'passkey_used:' .. id, now, 'passkey_turn:' .. id, turn)
  return 1
end

-- Returns 0 if another request than `turn` has spent the challenge.
-- keys: challenge web:login_challenge
-- reply: :
-- users: web
function functions.spend_challenge(challenge, turn, seconds)
  local spent = redis.call('HGET', challenge, 'turn')
  if spent then return spent == turn and 1 or 0 end
  redis.call('HSET', challenge, 'turn', turn)
  redis.call('EXPIRE', challenge, seconds)
  return 1
end
