local FORMAT = '1'  -- of an account's index and numbers, field `format`
local BUILDING = 'building'  -- instead: its numbers are not kept until it is built
local SIZES = {
  same = 2, change = 3, set = 2, exists = 1, note = 3, add = 3, none = 1, upload = 2, failed = 2, weigh = 3, most = 2, incoming = 1,
  staged = 2, move = 2, remove = 2
}

-- A note is a list of states, each after its length and a colon. The last one is what lists have now, those before
-- are what the blocks of the index may have of the record.
local function last_of(note)
  local begin = 1
  while true do
    local length = note:match('^%d+', begin)
    local after = begin + #length + 1 + tonumber(length)
    if after > #note then return begin end
    begin = after
  end
end

local function part(state)
  return #state .. ':' .. state
end

local function weight_of(large, bytes, captioned, list, id)
  local weight
  if list == 'large' then
    weight = redis.call('ZSCORE', large, id)
  elseif list == 'bytes' then
    weight = redis.call('ZSCORE', bytes, id)
  else
    weight = redis.call('ZSCORE', captioned, id)
  end
  return tonumber(weight or 0)
end

local function run(index, notes, changed, uploads, failed, large, bytes, captioned, incoming, jobs, records, words)
  local format = redis.call('HGET', index, 'format')
  if not format and (redis.call('EXISTS', index) == 1 or redis.call('EXISTS', changed) == 1) then return 'unconverted' end
  local is_counted = format ~= BUILDING
  local steps, at = {}, 1
  local is_same, is_done, is_change = true, true, false
  local missing
  while at <= #words do
    local name = words[at]
    local size = SIZES[name]
    if name == 'files' then size = 1 + tonumber(words[at + 1]) end
    if name == 'texts' then size = 2 + tonumber(words[at + 2]) end
    local step = {name, unpack(words, at + 1, at + size)}
    steps[#steps + 1] = step
    at = at + 1 + size
    if name == 'same' or name == 'change' then
      local now = redis.pcall('GET', records[tonumber(step[2])])
      if type(now) == 'table' then now = nil else now = now or '' end -- nil: of another type
      is_same = is_same and now == step[3]
      if name == 'change' then
        is_change = true
        is_done = is_done and now == step[4]
      end
    elseif name == 'exists' and redis.call('EXISTS', records[tonumber(step[2])]) == 0 then
      missing = 'gone'
    elseif name == 'staged' and redis.call('HEXISTS', records[tonumber(step[2])], step[3]) == 0 then
      is_same = false
    elseif name == 'texts' then
      redis.call('HLEN', records[tonumber(step[2])]) -- of another type: fails before anything is written
    end
  end
  -- It was sent again, after a connection had ended.
  if is_change and is_done and not is_same then return 'done' end
  if not is_same then return 'changed' end
  if missing then return missing end
  local grows, more, most = {}, {}, {}
  for _, step in ipairs(steps) do
    if step[1] == 'add' and step[4] ~= '' and is_counted then
      grows[step[2]] = (grows[step[2]] or tonumber(redis.call('HGET', index, step[2]) or 0)) + tonumber(step[3])
      if tonumber(step[3]) > 0 and grows[step[2]] > tonumber(step[4]) then return 'full ' .. step[2] end
    elseif step[1] == 'none' then
      if not is_counted then return 'unconverted' end
      if tonumber(redis.call('HGET', index, step[2]) or 0) > 0 then return 'used ' .. step[2] end
    elseif step[1] == 'weigh' then
      local before = weight_of(large, bytes, captioned, step[2], step[3])
      more[step[2]] = (more[step[2]] or 0) + (tonumber(step[4]) or 0) - before
    elseif step[1] == 'most' then
      most[step[2]] = tonumber(step[3])
    end
  end
  for list, limit in pairs(most) do
    if (more[list] or 0) > 0 then
      if not is_counted then return 'unconverted' end
      if tonumber(redis.call('HGET', index, list) or 0) + more[list] > limit then return 'full ' .. list end
    end
  end
  if not format then redis.call('HSET', index, 'format', FORMAT) end
  for _, step in ipairs(steps) do
    local name, one, two, three = unpack(step, 1, 4)
    if name == 'change' or name == 'set' then
      local text = name == 'change' and three or two
      if text == '' then
        redis.call('DEL', records[tonumber(one)])
      else
        redis.call('SET', records[tonumber(one)], text)
      end
    elseif name == 'remove' then
      redis.pcall('ZREM', records[tonumber(one)], two) -- of another type: it has no place there
    elseif name == 'note' then
      -- Only who puts it into the index takes a note away.
      local note = redis.call('HGET', notes, one)
      if note then
        redis.call('HSET', notes, one, note:sub(1, last_of(note) - 1) .. part(three))
      elseif two ~= three then
        redis.call('HSET', notes, one, part(two) .. part(three))
      end
    elseif name == 'add' then
      if is_counted and redis.call('HINCRBY', index, one, two) == 0 then redis.call('HDEL', index, one) end
    elseif name == 'upload' then
      if two == '' then redis.call('ZREM', uploads, one) else redis.call('ZADD', uploads, two, one) end
    elseif name == 'failed' then
      if two == '' then redis.call('ZREM', failed, one) else redis.call('ZADD', failed, two, one) end
    elseif name == 'weigh' then
      local before = weight_of(large, bytes, captioned, one, two)
      if one == 'large' then
        if three == '' then redis.call('ZREM', large, two) else redis.call('ZADD', large, three, two) end
      elseif one == 'bytes' then
        if three == '' then redis.call('ZREM', bytes, two) else redis.call('ZADD', bytes, three, two) end
      else
        if three == '' then redis.call('ZREM', captioned, two) else redis.call('ZADD', captioned, three, two) end
      end
      redis.call('HINCRBY', index, one, (tonumber(three) or 0) - before)
    elseif name == 'texts' then
      local is_named = {}
      for i = 4, #step do is_named[step[i]] = true end
      for _, version in ipairs(redis.call('HKEYS', records[tonumber(one)])) do
        if not is_named[version] then redis.call('HDEL', records[tonumber(one)], version) end
      end
    elseif name == 'move' then
      redis.call('DEL', records[tonumber(two)])
      if redis.call('EXISTS', records[tonumber(one)]) == 1 then
        redis.call('RENAME', records[tonumber(one)], records[tonumber(two)])
      end
    elseif name == 'incoming' then
      redis.call('RPUSH', incoming, one)
    elseif name == 'files' then
      redis.call('XADD', jobs, '*', unpack(step, 3))
    end
  end
  return 'done'
end

-- Changes records of an account together with its numbers, its lists and the jobs about its files
-- (stores/catalog/commit.h): everything, or nothing. `words` is a list of steps, each with its arguments:
--   same, N, TEXT            the Nth record must be this ('': there is none)
--   change, N, BEFORE, AFTER sets the Nth record, which must be BEFORE; '': there is none
--   set, N, TEXT             sets or ('') deletes the Nth record, whatever it is
--   remove, N, MEMBER        takes a member out of the Nth record, a sorted set
--   exists, N                there must be an Nth record
--   note, MEMBER, WAS, NOW   what lists have of a record before and after; '': nothing
--   add, FIELD, N, MOST      adds N to a number of the account, which may then not be above MOST ('': any)
--   none, FIELD              the number must be 0
--   upload, ID, TIME         the media is an upload that did not fail, since then; '': not any more
--   failed, ID, TIME         the same of uploads that failed
--   weigh, LIST, ID, BYTES   what a media has of `large`, `bytes` or `captions`; '': nothing. Their sums are numbers, too
--   staged, N, VERSION       the Nth record, of texts of captions, must have this one ('changed')
--   texts, N, COUNT, VERSION… deletes its other texts
--   move, N, M               the Nth record, of texts, becomes the Mth one
--   most, LIST, BYTES         the sum of that list may not be above that if it grows
--   incoming, TEXT           a job of svc-ingest
--   files, N, FIELD…         a job about files
-- Returns 'done', also if it was done before; 'changed': a record is not as it was read; 'gone': one does not
-- exist; 'full FIELD', 'used FIELD'; 'unconverted' (convert_account).
-- keys: index catalog:index, notes catalog:unindexed, changed catalog:changed, uploads ingest:uploads,
--     failed ingest:failed, large ingest:large, bytes ingest:bytes, captioned catalog:captioned,
--     incoming ingest:incoming, jobs ingest:deletions,
--     records... catalog:media catalog:project catalog:captions catalog:files web:replacement_failure/grant/web
--     stats:pieces stats:rows stats:visitors stats:openings stats:kept stats:plays
-- list: words
-- reply: $
-- users: grant web ingest svcctl
function functions.commit(index, notes, changed, uploads, failed, large, bytes, captioned, incoming, jobs, records, words)
  return run(index, notes, changed, uploads, failed, large, bytes, captioned, incoming, jobs, records, words)
end

-- As commit, also while the memory of Redis is full: what it writes takes less than what it deletes.
-- keys: index catalog:index, notes catalog:unindexed, changed catalog:changed, uploads ingest:uploads,
--     failed ingest:failed, large ingest:large, bytes ingest:bytes, captioned catalog:captioned,
--     incoming ingest:incoming, jobs ingest:deletions,
--     records... catalog:media catalog:project catalog:captions catalog:files web:replacement_failure/grant/web
--     stats:pieces stats:rows stats:visitors stats:openings stats:kept stats:plays
-- list: words
-- reply: $
-- users: grant web ingest svcctl
-- flags: allow-oom
function functions.commit_less(index, notes, changed, uploads, failed, large, bytes, captioned, incoming, jobs, records, words)
  return run(index, notes, changed, uploads, failed, large, bytes, captioned, incoming, jobs, records, words)
end

-- Begins to build the index and the numbers of an account (stores/catalog/index_build.h).
-- keys: index catalog:index
-- reply: $
-- users: grant web ingest keeper svcctl
function functions.begin_index(index)
  redis.call('HSET', index, 'format', BUILDING)
  return 'done'
end

-- Ends it, if all notes were taken and the epoch of the index is still the same (index_set.lua). `numbers` are
-- fields and their values.
-- keys: index catalog:index, notes catalog:unindexed, changed catalog:changed, large ingest:large,
--     bytes ingest:bytes, captioned catalog:captioned
-- list: numbers
-- reply: :
-- users: grant web ingest keeper svcctl
function functions.finish_index(index, notes, changed, large, bytes, captioned, epoch, numbers)
  if redis.call('HLEN', notes) > 0 or (redis.call('HGET', index, 'epoch') or '') ~= epoch then return 0 end
  local fields = {format = FORMAT, epoch = epoch ~= '' and epoch or nil}
  for i = 1, #numbers, 2 do fields[numbers[i]] = numbers[i + 1] end
  local weights = {
    large = redis.call('ZRANGE', large, 0, -1, 'WITHSCORES'),
    bytes = redis.call('ZRANGE', bytes, 0, -1, 'WITHSCORES'),
    captions = redis.call('ZRANGE', captioned, 0, -1, 'WITHSCORES'),
  }
  for field, weight in pairs(weights) do
    local sum = 0
    for i = 2, #weight, 2 do sum = sum + tonumber(weight[i]) end
    if sum > 0 then fields[field] = sum end
  end
  redis.call('DEL', index, changed)
  for field, value in pairs(fields) do redis.call('HSET', index, field, value) end
  return 1
end

-- Returns the notes of an account, each followed by its text; or only their number, if it is above `most`; or
-- 'unconverted', if its index is of an earlier version.
-- keys: index catalog:index, notes catalog:unindexed, changed catalog:changed
-- reply: [;.]
-- users: grant web ingest keeper svcctl
-- flags: no-writes
function functions.unindexed(index, notes, changed, most)
  local is_new = redis.call('EXISTS', index) == 0 and redis.call('EXISTS', changed) == 0
  if not is_new and redis.call('HEXISTS', index, 'format') == 0 then return {'unconverted'} end
  local count = redis.call('HLEN', notes)
  if count > tonumber(most) then return {count} end
  return redis.call('HGETALL', notes)
end
