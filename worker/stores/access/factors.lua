local function add_codes(factor, codes)
  for _, mac in ipairs(codes) do redis.call('HSET', factor, 'code:' .. mac, '') end
end

-- Replaces the factor, and all that is stored with it.
-- keys: factor web:login_factor
-- list: codes
-- reply: :
-- users: web
function functions.write_factor(factor, secret, created, codes)
  redis.call('DEL', factor)
  redis.call('HSET', factor, 'secret', secret, 'created', created, 'step', '', 'left', #codes)
  add_codes(factor, codes)
  return 1
end

-- Replaces the recovery codes. Returns 0 if there is no factor.
-- keys: factor web:login_factor
-- list: codes
-- reply: :
-- users: web
function functions.write_codes(factor, codes)
  if redis.call('HEXISTS', factor, 'secret') == 0 then return 0 end
  for _, field in ipairs(redis.call('HKEYS', factor)) do
    if field:sub(1, 5) == 'code:' then redis.call('HDEL', factor, field) end
  end
  redis.call('HSET', factor, 'left', #codes)
  add_codes(factor, codes)
  return 1
end

-- Replaces the secret `before`. Returns 0 if it is another one.
-- keys: factor web:login_factor
-- reply: :
-- users: svcctl
function functions.reseal_factor(factor, before, after)
  if redis.call('HGET', factor, 'secret') ~= before then return 0 end
  redis.call('HSET', factor, 'secret', after)
  return 1
end

-- Spends the code of a step. Returns 0 if the factor has another secret, or this step or a later one was spent.
-- keys: factor web:login_factor
-- reply: :
-- users: web
function functions.spend_step(factor, secret, step)
  local stored = redis.call('HMGET', factor, 'secret', 'step')
  if stored[1] ~= secret then return 0 end
  local spent = tonumber(stored[2])
  if spent and spent >= tonumber(step) then return 0 end
  redis.call('HSET', factor, 'step', step)
  return 1
end

-- Spends a recovery code, which has one of these macs. Returns 0 if there is none.
-- keys: factor web:login_factor
-- list: macs
-- reply: :
-- users: web
-- flags: allow-oom
function functions.spend_code(factor, macs)
  for _, mac in ipairs(macs) do
    if redis.call('HDEL', factor, 'code:' .. mac) == 1 then
      redis.call('HINCRBY', factor, 'left', -1)
      return 1
    end
  end
  return 0
end
