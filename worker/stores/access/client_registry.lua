local ANY = '*'

-- Applications of the account. The set also has ids whose record has gone or moved to another account.
local function count(clients, records, account)
  local found = 0
  for _, id in ipairs(redis.call('SMEMBERS', clients)) do
    local record = redis.call('GET', records .. id)
    if record and record:match('"account_id":(%d+)') == account then found = found + 1 end
  end
  return found
end

-- Whether another application has the name of an entry.
local function is_taken(resources, entry)
  local name = entry:match('^(.*) ')
  for _, other in ipairs(redis.call('ZRANGE', resources, '[' .. name .. ' ', '(' .. name .. '!', 'BYLEX', 'LIMIT', 0, 2)) do
    if other ~= entry then return true end
  end
  return false
end

-- Before the first write, so that an index of another type stops all of it.
local function check_indexes(publics, resources, entries)
  for _, entry in ipairs(entries) do
    if entry:sub(2, 2) == 'p' then redis.call('ZCARD', publics) else redis.call('ZCARD', resources) end
  end
end

local function change_indexes(publics, resources, entries)
  for _, entry in ipairs(entries) do
    local text = entry:sub(3)
    local kind = entry:sub(1, 2)
    if kind == '+p' then redis.call('ZADD', publics, 0, text) end
    if kind == '-p' then redis.call('ZREM', publics, text) end
    if kind == '+r' then redis.call('ZADD', resources, 0, text) end
    if kind == '-r' then redis.call('ZREM', resources, text) end
  end
end

-- Adds or changes an application, whose record must be as it was read ('': there is none): the record, its place in the
-- list of its account instead of that of the former one (the same key: it stays), its entries in the indexes
-- (stores/access/client_index.h), each after '+' or '-' and 'p' or 'r', and no tombstone, which must be `deleted`
-- ('*': whatever it is, and it stays). `most`: of applications of the account ('': any number).
-- Returns 'done', also to a repetition; 'changed': the record or tombstone is another one; 'taken': another application
-- has a resource; 'full'.
-- keys: client oauth:client, clients oauth:account_clients, former oauth:account_clients,
--     tombstone oauth:deleted_client, publics oauth:public_clients, resources oauth:resources
-- begins: records oauth:client
-- list: entries
-- reply: $
-- users: web svcctl
function functions.write_client(client, clients, former, tombstone, publics, resources, records, id, account, before, after,
                                deleted, most, entries)
  local now = redis.call('GET', client) or ''
  if now == after and now ~= before then return 'done' end
  if now ~= before then return 'changed' end
  if deleted ~= ANY and (redis.call('GET', tombstone) or '') ~= deleted then return 'changed' end
  check_indexes(publics, resources, entries)
  for _, entry in ipairs(entries) do
    if entry:sub(1, 2) == '+r' and is_taken(resources, entry:sub(3)) then return 'taken' end
  end
  if most ~= '' and redis.call('SCARD', clients) >= tonumber(most) and count(clients, records, account) >= tonumber(most) then
    return 'full'
  end
  redis.call('SADD', clients, id)
  if former ~= clients then redis.call('SREM', former, id) end
  redis.call('SET', client, after)
  if deleted ~= ANY then redis.call('DEL', tombstone) end
  change_indexes(publics, resources, entries)
  return 'done'
end

-- Deletes an application, if its record is as it was read, with its place in the list of its account and its entries in
-- the indexes ('*' as the only one: all of its id, which it looks for). Leaves `deleted` as its tombstone, and that its
-- grants end since `time`; with '' as `deleted` both must be there.
-- Returns 'done'; 'gone': there is none; 'changed'; 'restored': it has no tombstone; 'kept': its grants do not end.
-- keys: client oauth:client, clients oauth:account_clients, tombstone oauth:deleted_client,
--     ending oauth:ending_clients, publics oauth:public_clients, resources oauth:resources
-- list: entries
-- reply: $
-- users: web svcctl
-- flags: allow-oom
function functions.remove_client(client, clients, tombstone, ending, publics, resources, id, before, deleted, time, entries)
  local now = redis.call('GET', client)
  if not now then return 'gone' end
  if now ~= before then return 'changed' end
  if entries[1] == ANY then
    entries = {}
    for _, entry in ipairs(redis.call('ZRANGE', publics, 0, -1)) do
      if entry:match(' (.*)$') == id then entries[#entries + 1] = '-p' .. entry end
    end
    for _, entry in ipairs(redis.call('ZRANGE', resources, 0, -1)) do
      if entry:match(' (.*)$') == id then entries[#entries + 1] = '-r' .. entry end
    end
  end
  check_indexes(publics, resources, entries)
  local is_ending = redis.call('ZSCORE', ending, id)
  if deleted == '' then
    if not is_ending then return 'kept' end
    if redis.call('EXISTS', tombstone) == 0 then return 'restored' end
  end
  redis.call('SREM', clients, id)
  if deleted ~= '' then
    redis.call('ZADD', ending, time, id)
    redis.call('SET', tombstone, deleted)
  end
  redis.call('DEL', client)
  change_indexes(publics, resources, entries)
  return 'done'
end
