-- Seconds until `asked` ends, if the courier dies before it deletes it. A job waits 6 s, and a fetch takes 5.
local ASKED_SECONDS = 20
local MOST_QUEUED_DOCUMENTS = 1000

local function is_full(count, most)
  return tonumber(count or 0) >= tonumber(most)
end

-- Asks for a fetch, unless one is due (`asked`). Returns 0 if one is due now; otherwise the seconds to wait, negative if the
-- copy serves. The counters of a `known` document are `again`, which ends after `again_seconds`, and `contact`; those of others
-- are `contact`, `address` and `host`, which end after `seconds`.
-- keys: asked courier:asked, known courier:known, queue courier:queue, again courier:again, contact courier:contact,
--     address courier:address, host courier:host
-- reply: :
-- users: web
function functions.ask_for_document(asked, known, queue, again, contact, address, host, digest, job, most_again, again_seconds,
                                    most_of_contact, most_per_contact, most_per_address, most_per_host, seconds)
  if redis.call('EXISTS', asked) == 1 then return 0 end
  local is_known = redis.call('ZSCORE', known, digest)
  if is_full(redis.call('GET', contact), is_known and most_of_contact or most_per_contact) then
    return math.max(redis.call('TTL', contact), 1)
  end
  if is_known then
    if is_full(redis.call('GET', again), most_again) then return -math.max(redis.call('TTL', again), 1) end
    if redis.call('INCR', again) == 1 then redis.call('EXPIRE', again, again_seconds) end
    redis.call('LPUSH', queue, job)
  else
    if is_full(redis.call('GET', address), most_per_address) then return math.max(redis.call('TTL', address), 1) end
    if is_full(redis.call('GET', host), most_per_host) then return math.max(redis.call('TTL', host), 1) end
    if redis.call('INCR', address) == 1 then redis.call('EXPIRE', address, seconds) end
    if redis.call('INCR', host) == 1 then redis.call('EXPIRE', host, seconds) end
    redis.call('RPUSH', queue, job)
  end
  if redis.call('INCR', contact) == 1 then redis.call('EXPIRE', contact, seconds) end
  redis.call('SET', asked, '1', 'EX', ASKED_SECONDS)
  redis.call('LTRIM', queue, 0, MOST_QUEUED_DOCUMENTS - 1)
  return 0
end
