-- More browsers than any user has. Bounds the sessions that a login loop can store.
local MOST_SESSIONS = 100

-- Returns a session that has not ended, and deletes one that has. Sets the time at which it was last seen if that is
-- `seen_every` seconds ago or more (-1: never). Atomic: otherwise a session that ends in between would exist again with a part
-- of its fields.
-- keys: session web:session
-- reply: ?[?$?$?$?$?$?$?$]
-- users: web svcctl
-- flags: allow-oom
function functions.find_session(session, now, idle, longest, seen_every)
  local fields = redis.call('HMGET', session, 'contact', 'created', 'last_seen', 'password_given', 'address', 'password',
                            'browser')
  local created, last_seen = tonumber(fields[2]), tonumber(fields[3])
  if not (fields[1] and created and last_seen) then return nil end
  local age, silent = tonumber(now) - created, tonumber(now) - last_seen
  if age >= tonumber(longest) or silent >= tonumber(idle) then
    redis.call('DEL', session)
    return nil
  end
  if tonumber(seen_every) >= 0 and silent >= tonumber(seen_every) then
    redis.call('HSET', session, 'last_seen', now)
    redis.call('EXPIRE', session, math.min(tonumber(idle), tonumber(longest) - age))
    fields[3] = now
  end
  return fields
end

-- keys: session web:session
-- reply: :
-- users: web
function functions.begin_session(session, seconds, now, contact, address, password, browser)
  redis.call('HSET', session, 'contact', contact, 'created', now, 'last_seen', now, 'password_given', now, 'address', address,
             'password', password, 'browser', browser)
  redis.call('EXPIRE', session, seconds)
  return 1
end

-- Adds a session to those of its contact, and takes out those that have ended. Returns the macs of the oldest ones above
-- MOST_SESSIONS, which it takes out, too.
-- keys: sessions web:contact_sessions
-- reply: [;$]
-- users: web
function functions.list_session(sessions, mac, now, longest)
  redis.call('ZREMRANGEBYSCORE', sessions, '-inf', now)
  local over = redis.call('ZRANGE', sessions, 0, -MOST_SESSIONS)
  redis.call('ZREMRANGEBYRANK', sessions, 0, -MOST_SESSIONS)
  redis.call('ZADD', sessions, now + longest, mac)
  redis.call('EXPIRE', sessions, longest)
  return over
end

-- keys: session web:session
-- reply: :
-- users: web
function functions.note_password(session, now)
  if redis.call('EXISTS', session) == 0 then return 0 end
  redis.call('HSET', session, 'password_given', now)
  return 1
end
