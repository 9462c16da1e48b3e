-- Counts an event. The counter ends `seconds` after its first one, regardless of later ones. Returns the number of events, and
-- the seconds until the counter ends.
-- keys: counter oauth:guess/grant web:login_address/web web:login_network/web web:login_codes/web web:settings_forms/web
-- reply: [::]
-- users: grant web
function functions.count_event(counter, seconds)
  local count = redis.call('INCR', counter)
  if count == 1 then redis.call('EXPIRE', counter, seconds) end
  return {count, redis.call('TTL', counter)}
end

-- Returns the same without counting. The number is nil if there is no counter.
-- keys: counter web:login_address web:login_network
-- reply: [?$:]
-- users: web
-- flags: no-writes
function functions.counted_events(counter)
  return {redis.call('GET', counter), redis.call('TTL', counter)}
end

-- Takes one event back, if the counter has any. Never makes a counter.
-- keys: counter web:login_address web:login_network
-- reply: :
-- users: web
-- flags: allow-oom
function functions.uncount_event(counter)
  if tonumber(redis.call('GET', counter) or 0) > 0 then redis.call('INCRBY', counter, -1) end
  return 1
end
