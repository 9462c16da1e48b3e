-- Of one grant, whose keys are in one slot. A token's record ends with its mac. Times are seconds.

-- Fields of a grant that hold its families, and what they hold (stores/access/stored_family.h).
local FAMILY_FIELD = 'family:'
local FAMILY_PATTERN = '^(%d+)\n(%d+)\n(%d+)\n(%d+)\n(%d+)\n([^\n]*)\n([^\n]*)$'
-- Ten years: all records have a time to live.
local FOR_EVER = 315360000

local function family_of(field)
  return string.match(field, '^' .. FAMILY_FIELD .. '(.*)$')
end

local function id_of(key)
  return string.match(key, '{(.*)}')
end

-- `families`: with which the keys of the families' access tokens begin.
local function drop_family(grant, families, field)
  redis.call('HDEL', grant, field)
  redis.call('UNLINK', families .. family_of(field))
end

local function is_of(entry, mac)
  local kept = entry and entry[2][2] or ''
  return string.sub(kept, -#mac - 1) == '\n' .. mac
end

-- Spends a code, and issues its first access and refresh token. The state of a code that another
-- request spent ends its grant (RFC 6749, 4.1.2).
-- keys: grant oauth:grant, code oauth:code, access oauth:access, refresh oauth:refresh
-- begins: refreshes oauth:refresh
-- reply: [$][$$]
-- users: grant
function functions.redeem_code(grant, code, access, refresh, refreshes, now, request, access_mac,
                               access_seconds, refresh_mac, idle_seconds, most_tokens, keep_code,
                               keep_grant, keep_access, access_until, asked)
  local state = redis.call('HMGET', grant, 'consent', 'generation', 'refresh')
  local stored = redis.call('HMGET', code, 'consent', 'request', 'access', 'generation',
                            'client', 'contact', 'account', 'scopes')
  if not stored[1] or stored[1] ~= state[1] then return {'gone'} end
  if state[3] then redis.call('UNLINK', refreshes .. state[3]) end
  if stored[2] then
    if request == '' or stored[2] ~= request then
      redis.call('UNLINK', access, grant)
      return {'used'}
    end
    if stored[4] == state[2] then redis.call('XDEL', access, stored[3]) end
  end
  now = tonumber(now)
  local function lines(kind, opens, expires)
    return table.concat({kind, id_of(grant), state[2], stored[5], stored[6], stored[7], opens, now,
                         expires}, '\n')
  end
  if asked == '' then asked = stored[8] end
  local id = redis.call('XADD', access, 'MAXLEN', most_tokens, '0-*', 'token',
                        lines('access', asked, now + access_seconds) .. '\n' .. access_mac)
  redis.call('EXPIRE', access, keep_access)
  local idle = tonumber(idle_seconds)
  redis.call('SET', refresh, lines('refresh', stored[8], idle > 0 and now + idle or 0), 'EX',
             idle > 0 and idle or FOR_EVER)
  redis.call('HSET', grant, 'refresh', refresh_mac, 'last_used', now, 'access_until', access_until)
  redis.call('EXPIRE', grant, keep_grant)
  redis.call('HSET', code, 'request', request, 'access', id, 'generation', state[2])
  redis.call('EXPIRE', code, keep_code)
  return {'redeemed', id}
end

-- Makes a code that this request spent for that access token as before. If nginx has sent the
-- request again since, the client has other tokens.
-- keys: grant oauth:grant, code oauth:code, access oauth:access
-- reply: :
-- users: grant
function functions.reopen_code(grant, code, access, request, access_mac)
  local stored = redis.call('HMGET', code, 'request', 'access', 'generation')
  if stored[1] ~= request then return 0 end
  local entry = redis.call('XRANGE', access, stored[2], stored[2])[1]
  if entry and not is_of(entry, access_mac) then return 0 end
  if stored[3] == redis.call('HGET', grant, 'generation') then
    redis.call('XDEL', access, stored[2])
  end
  local family = redis.call('HGET', code, 'family')
  if family then redis.call('HDEL', grant, family) end
  return redis.call('HDEL', code, 'request', 'family')
end

local function family_record(position, used, id, began, turn, granted, asked)
  return table.concat({position, used, string.match(id, '%d+$'), began, turn, granted, asked}, '\n')
end

-- As redeem_code, for a public application: begins a family of tokens.
-- keys: grant oauth:grant, code oauth:code, access oauth:access
-- begins: families oauth:access
-- reply: [$][$$]
-- users: grant
function functions.redeem_family_code(grant, code, access, families, now, request, access_mac,
                                      access_seconds, field, idle_seconds, lifetime, most_families,
                                      most_tokens, keep_code, keep_grant, keep_access, asked)
  local state = redis.call('HMGET', grant, 'consent', 'generation')
  local stored = redis.call('HMGET', code, 'consent', 'request', 'family', 'client', 'contact',
                            'account', 'scopes')
  if not stored[1] or stored[1] ~= state[1] then return {'gone'} end
  local is_used = stored[2] and (request == '' or stored[2] ~= request)
  if stored[2] and not is_used and stored[3] then drop_family(grant, families, stored[3]) end
  now = tonumber(now)
  local living = {}
  local all = redis.call('HGETALL', grant)
  for i = 1, #all, 2 do
    if family_of(all[i]) then
      local _, used, _, began, turn = string.match(all[i + 1], FAMILY_PATTERN)
      if is_used or not used or used + idle_seconds <= now or began + lifetime <= now then
        drop_family(grant, families, all[i])
      else
        table.insert(living, {tonumber(turn), all[i]})
      end
    end
  end
  if is_used then
    redis.call('UNLINK', grant)
    return {'used'}
  end
  table.sort(living, function(a, b) return a[1] < b[1] end)
  for i = 1, #living + 1 - most_families do drop_family(grant, families, living[i][2]) end
  if asked == '' then asked = stored[7] end
  local token = table.concat({'access', id_of(grant), state[2], stored[4], stored[5], stored[6],
                              asked, now, now + access_seconds, access_mac}, '\n')
  local id = redis.call('XADD', access, 'MAXLEN', most_tokens, '0-*', 'token', token)
  redis.call('EXPIRE', access, keep_access)
  local turn = redis.call('HINCRBY', grant, 'turn', 1)
  redis.call('HSET', grant, field, family_record(0, now, id, now, turn, stored[7], asked),
             'last_used', now)
  redis.call('EXPIRE', grant, keep_grant)
  redis.call('HSET', code, 'request', request, 'access', id, 'generation', state[2], 'family', field)
  redis.call('EXPIRE', code, keep_code)
  return {'redeemed', id}
end

-- Gives a family its next tokens. `position`: of the presented refresh token. Any after the last is
-- one that was issued: the token proves itself. If it is not the next, a failover has lost the last
-- rotations. A repetition within `repeat_seconds` gets the same answer (RFC 9700, 4.14.2).
-- keys: grant oauth:grant, access oauth:access
-- reply: [$$$]
-- users: grant
function functions.rotate_family(grant, access, generation, field, position, now, repeat_seconds,
                                 asked, most_tokens, token, keep_access, keep_grant, renew_grant)
  local state = redis.call('HMGET', grant, 'generation', field, 'turn')
  if state[1] ~= generation or not state[2] then return {'gone', '', ''} end
  local last, used, place, began, _, granted, asked_last = string.match(state[2], FAMILY_PATTERN)
  local presented, time = tonumber(position), tonumber(now)
  if presented <= tonumber(last) then
    if presented == tonumber(last) and time - used <= tonumber(repeat_seconds) and
        asked_last == asked then
      return {'again', '0-' .. place, used}
    end
    redis.call('HDEL', grant, field)
    redis.call('UNLINK', access)
    return {'reused', '', ''}
  end
  local id = redis.call('XADD', access, 'MAXLEN', most_tokens, '0-*', 'token', token)
  redis.call('EXPIRE', access, keep_access)
  local turn = state[3] + 1
  redis.call('HSET', grant, 'turn', turn, 'last_used', now, field,
             family_record(position, now, id, began, turn, granted, asked))
  local function days(at) return math.floor((at - began) / renew_grant) end
  if days(time) ~= days(used) then redis.call('EXPIRE', grant, keep_grant) end
  return {'rotated', id, now}
end

-- The most frequent case of rotate_family, in half of its time: nothing has happened since the
-- record was read. Returns 0 if that is not so.
-- keys: grant oauth:grant, access oauth:access
-- reply: :
-- users: grant
function functions.rotate_family_soon(grant, access, field, before, after, most_tokens, entry, token)
  if redis.call('HGET', grant, field) ~= before then return 0 end
  if not redis.call('XADD', access, 'NOMKSTREAM', 'MAXLEN', most_tokens, entry, 'token', token) then
    return 0
  end
  redis.call('HSET', grant, field, after)
  return 1
end

-- Issues an access token to an application that acts for itself (RFC 6749, 4.4).
-- keys: grant oauth:grant, access oauth:access
-- reply: $
-- users: grant
function functions.issue_own_token(grant, access, new_generation, client, account, now, keep_grant,
                                   most_tokens, opens, expires, mac, keep_access)
  local generation = redis.call('HGET', grant, 'generation')
  if not generation then
    generation = new_generation
    redis.call('HSET', grant, 'client', client, 'contact', '0', 'account', account,
               'generation', generation, 'created', now)
  end
  redis.call('HSET', grant, 'last_used', now)
  redis.call('EXPIRE', grant, keep_grant)
  local token = table.concat({'access', id_of(grant), generation, client, '0', account, opens, now,
                              expires, mac}, '\n')
  local id = redis.call('XADD', access, 'MAXLEN', most_tokens, '0-*', 'token', token)
  redis.call('EXPIRE', access, keep_access)
  return id
end

-- Ends the access token of that entry, if it has the mac.
-- keys: access oauth:access
-- reply: :
-- users: grant svcctl
-- flags: allow-oom
function functions.end_own_token(access, entry, mac)
  if not is_of(redis.call('XRANGE', access, entry, entry)[1], mac) then return 0 end
  return redis.call('XDEL', access, entry)
end

-- Ends a family. `entry`: of the access token that names it; '': its refresh token proved it.
-- keys: grant oauth:grant, access oauth:access
-- reply: :
-- users: grant svcctl
-- flags: allow-oom
function functions.end_family(grant, access, field, entry, mac)
  if entry ~= '' and not is_of(redis.call('XRANGE', access, entry, entry)[1], mac) then return 0 end
  redis.call('UNLINK', access)
  return redis.call('HDEL', grant, field)
end

-- Issues an access token for a refresh token, and prolongs both.
-- keys: grant oauth:grant, access oauth:access, refresh oauth:refresh
-- reply: ?$
-- users: grant
function functions.refresh_token(grant, access, refresh, generation, refresh_mac, most_tokens, token,
                                 keep_access, access_until, renewed, keep_refresh, now, keep_grant)
  local state = redis.call('HMGET', grant, 'generation', 'refresh')
  if state[1] ~= generation or state[2] ~= refresh_mac then return false end
  if not redis.call('SET', refresh, renewed, 'XX', 'EX', keep_refresh) then return false end
  local id = redis.call('XADD', access, 'MAXLEN', most_tokens, '0-*', 'token', token)
  redis.call('EXPIRE', access, keep_access)
  redis.call('HSET', grant, 'last_used', now, 'access_until', access_until)
  redis.call('EXPIRE', grant, keep_grant)
  return id
end

-- Ends all tokens of a grant, if the presented one is valid. `entry`: that of an access token; '':
-- it is a refresh token.
-- keys: grant oauth:grant, access oauth:access, refresh oauth:refresh
-- begins: refreshes oauth:refresh
-- reply: :
-- users: grant svcctl
-- flags: allow-oom
function functions.revoke_tokens(grant, access, refresh, refreshes, new_generation, entry, mac)
  local state = redis.call('HMGET', grant, 'generation', 'refresh')
  local kept
  if entry == '' then
    kept = redis.call('GET', refresh) or ''
  else
    local found = redis.call('XRANGE', access, entry, entry)[1]
    if not is_of(found, mac) then return 0 end
    kept = found[2][2]
  end
  local generation = string.match(kept, '^[^\n]*\n[^\n]*\n([^\n]*)')
  if not generation or generation ~= state[1] then return 0 end
  redis.call('UNLINK', access)
  if state[2] then redis.call('UNLINK', refreshes .. state[2]) end
  redis.call('HDEL', grant, 'refresh')
  redis.call('HSET', grant, 'generation', new_generation)
  return 1
end

-- Ends a grant and all below it. Returns 1 or 0 (whether there was one), contact, client, account.
-- keys: grant oauth:grant, access oauth:access, used oauth:grant_used
-- begins: refreshes oauth:refresh, families oauth:access
-- reply: [:$$$]
-- users: web svcctl
-- flags: allow-oom
function functions.end_grant(grant, access, used, refreshes, families)
  local fields = redis.pcall('HKEYS', grant)
  if fields.err then  -- of another type
    redis.call('UNLINK', access, used)
    return {redis.call('UNLINK', grant), '', '', ''}
  end
  for _, field in ipairs(fields) do
    if family_of(field) then redis.call('UNLINK', families .. family_of(field)) end
  end
  local state = redis.call('HMGET', grant, 'refresh', 'contact', 'client', 'account')
  if state[1] then redis.call('UNLINK', refreshes .. state[1]) end
  redis.call('UNLINK', access, used)
  return {redis.call('UNLINK', grant), state[2] or '', state[3] or '', state[4] or ''}
end

-- Issues a code. `consented` is '1' if the user just agreed; otherwise there must be a grant.
-- `expected`: its consent as it was read, '' for no grant. `refreshes` is 'no' if its client takes
-- no refresh token.
-- keys: grant oauth:grant, code oauth:code, codes_of_grant oauth:codes
-- begins: codes oauth:code
-- reply: $
-- users: web
function functions.issue_code(grant, code, codes_of_grant, codes, consented, expected, new_consent,
                              new_generation, now, code_seconds, keep_grant, client, contact, account,
                              allowed, permission_version, opens, redirect_uri, challenge, mac,
                              most_codes, refreshes)
  local consent = redis.call('HGET', grant, 'consent')
  if (consent or '') ~= expected then return 'changed' end
  local stored = redis.call('HMGET', code, 'consent', 'request')
  if stored[2] then return 'spent' end
  if stored[1] and stored[1] == consent then return 'before' end
  local outcome = 'issued'
  if consented == '1' then
    local former = redis.call('HMGET', grant, 'scopes', 'permission_version')
    if consent and former[1] == allowed and former[2] == permission_version then
      outcome = 'unchanged'
    end
    if not consent then
      consent = new_consent
      redis.call('HSET', grant, 'client', client, 'contact', contact, 'account', account,
                 'consent', consent, 'generation', new_generation, 'created', now)
    end
    redis.call('HSET', grant, 'scopes', allowed, 'permission_version', permission_version)
  elseif not consent then
    return 'changed'
  end
  redis.call('HSET', grant, 'last_used', now)
  redis.call('EXPIRE', grant, keep_grant)
  redis.call('HSET', code, 'kind', 'code', 'grant', id_of(grant), 'consent', consent,
             'client', client, 'contact', contact, 'account', account, 'scopes', opens,
             'redirect_uri', redirect_uri, 'challenge', challenge, 'issued', now,
             'expires', now + code_seconds)
  if refreshes ~= '' then redis.call('HSET', code, 'refreshes', refreshes) end
  redis.call('EXPIRE', code, code_seconds)
  local last = redis.call('ZRANGE', codes_of_grant, -1, -1, 'WITHSCORES')
  redis.call('ZADD', codes_of_grant, (last[2] or 0) + 1, mac)
  redis.call('EXPIRE', codes_of_grant, code_seconds)
  if redis.call('ZCARD', codes_of_grant) > tonumber(most_codes) then
    local oldest = redis.call('ZRANGE', codes_of_grant, 0, 0)[1]
    redis.call('ZREM', codes_of_grant, oldest)
    -- A second use of a spent code must be recognised.
    if not redis.call('HGET', codes .. oldest, 'request') then
      redis.call('UNLINK', codes .. oldest)
    end
  end
  return outcome
end

-- Removes a grant from a list if it has the score that was read: one that was made again stays.
-- keys: grants oauth:contact_grants oauth:client_grants oauth:account_grants
-- reply: :
-- users: web svcctl
-- flags: allow-oom
function functions.forget_grant(grants, grant, score)
  if redis.call('ZSCORE', grants, grant) == score then redis.call('ZREM', grants, grant) end
  return 1
end
