-- A record is a line "<state> <ends> <body> <request>", and the response after it.

-- Begins a request with that name. Returns its existing record, "new" or "full".
-- keys: record oauth:repetition, names oauth:repetitions, bytes oauth:repetition_bytes
-- reply: $
-- users: grant
function functions.begin_repetition(record, names, bytes, name, body, request, now, ends, most_names, most_bytes, of_name,
                                    of_response, seconds, longest)
  local known = redis.call('GET', record)
  if known then
    local until_then = string.match(known, '^%a+ (%d+) %S+ %S*')
    if until_then and tonumber(until_then) > tonumber(now) then
      if known == 'running ' .. until_then .. ' ' .. body .. ' ' .. request .. '\n' then return 'new' end
      return known
    end
  end
  local ended = redis.call('ZRANGEBYSCORE', names, '-inf', now, 'LIMIT', 0, 1000)
  if redis.call('ZSCORE', names, name) then ended[#ended + 1] = name end
  local all = tonumber(redis.call('HGET', bytes, 'all')) or 0
  if #ended > 0 then
    redis.call('ZREM', names, unpack(ended))
    for _, each in ipairs(ended) do
      all = all - (tonumber(redis.call('HGET', bytes, each)) or 0)
      redis.call('HDEL', bytes, each)
    end
    redis.call('HSET', bytes, 'all', all)
  end
  local size = of_name + of_response
  if redis.call('ZCARD', names) >= tonumber(most_names) or all + size > tonumber(most_bytes) then return 'full' end
  redis.call('SET', record, 'running ' .. ends .. ' ' .. body .. ' ' .. request .. '\n', 'EX', seconds)
  redis.call('ZADD', names, ends, name)
  redis.call('HSET', bytes, name, size, 'all', all + size)
  redis.call('EXPIRE', names, longest)
  redis.call('EXPIRE', bytes, longest)
  return 'new'
end

-- Keeps the response of a request that runs, for `seconds`. '': no response is kept.
-- keys: record oauth:repetition, names oauth:repetitions, bytes oauth:repetition_bytes
-- reply: :
-- users: grant
function functions.end_repetition(record, names, bytes, name, body, request, response, ends, of_name, seconds)
  local known = redis.call('GET', record)
  if not known then return 0 end
  local state, its_body, its_request = string.match(known, '^(%a+) %d+ (%S+) (%S*)')
  if state ~= 'running' or its_body ~= body or its_request ~= request then return 0 end
  if response ~= '' then
    redis.call('SET', record, 'kept ' .. ends .. ' ' .. body .. ' ' .. request .. '\n' .. response, 'EX', seconds)
    redis.call('ZADD', names, ends, name)
  end
  local all = tonumber(redis.call('HGET', bytes, 'all')) or 0
  local before = tonumber(redis.call('HGET', bytes, name)) or 0
  local size = of_name + #response
  redis.call('HSET', bytes, name, size, 'all', all - before + size)
  redis.call('EXPIRE', names, seconds)
  redis.call('EXPIRE', bytes, seconds)
  return 1
end
