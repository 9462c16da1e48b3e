local FORMAT = '1'  -- of an account's index and numbers, field `format`
local CLOSED_SECONDS = 86400
local NUMBERS = 2  -- field `numbers`: `unfinished` is kept, too
local BUILDING = 'building'  -- instead: its numbers are not kept until it is built
local SIZES = {
  same = 2, change = 3, set = 2, exists = 1, note = 3, add = 3, none = 1, upload = 2, failed = 2, weigh = 3, most = 2,
  place = 2, incoming = 1, staged = 2, move = 2, remove = 2
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

-- The sum of a list with scores.
local function sum_of(entries)
  local sum = 0
  for i = 2, #entries, 2 do sum = sum + tonumber(entries[i]) end
  return sum
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

-- Not of the account's numbers, which may not be kept yet.
local function sum_of_weights(large, bytes, captioned, list)
  if list == 'large' then return sum_of(redis.call('ZRANGE', large, 0, -1, 'WITHSCORES')) end
  if list == 'bytes' then return sum_of(redis.call('ZRANGE', bytes, 0, -1, 'WITHSCORES')) end
  return sum_of(redis.call('ZRANGE', captioned, 0, -1, 'WITHSCORES'))
end

-- 1 if a state (indexed_fields.cpp) is that of a media that waits or is converted. Imported ones have no bytes of files.
local function unfinished_in(state)
  local value = state:match('^%Z*%z%Z*%z%Z*%z(%Z*)') or ''
  local status = value:match('\1(%l+)$')
  return (status == 'queued' or status == 'processing') and 1 or 0
end

-- The places of uploads under way but that of `name`: their text, a line "<ends> <bytes> <name>" each, number and bytes.
local function places_but(text, name, now)
  local lines, bytes = {}, 0
  for line in text:gmatch('[^\n]+') do
    local ends, size, its = line:match('^(%d+) (%d+) (.+)$')
    if its ~= name and tonumber(ends) > tonumber(now) then
      lines[#lines + 1] = line .. '\n'
      bytes = bytes + tonumber(size)
    end
  end
  return {text = table.concat(lines), count = #lines, bytes = bytes}
end

local function number_of(index, field)
  return tonumber(redis.call('HGET', index, field) or 0)
end

local function set_places(index, text)
  if text == '' then redis.call('HDEL', index, 'places') else redis.call('HSET', index, 'places', text) end
end

local function add_to(index, field, more)
  if more ~= 0 and redis.call('HINCRBY', index, field, more) == 0 then redis.call('HDEL', index, field) end
end

local function run(index, notes, changed, uploads, failed, large, bytes, captioned, incoming, jobs, records, words)
  local format, ends = unpack(redis.call('HMGET', index, 'format', 'ends'))
  if not format and (redis.call('EXISTS', index) == 1 or redis.call('EXISTS', changed) == 1) then return 'unconverted' end
  local is_counted = format ~= BUILDING
  local steps, at = {}, 1
  local is_same, is_done, is_change, is_new = true, true, false, false
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
        is_new = is_new or step[3] == '' and step[4] ~= ''
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
  if ends and is_new then return 'ended' end
  if not is_same then return 'changed' end
  if missing then return missing end
  local grows, more, most, place, waits, is_upload = {}, {}, {}, nil, {}, {}
  for _, step in ipairs(steps) do
    local name, one, two, three = unpack(step, 1, 4)
    if name == 'add' and three ~= '' and is_counted then
      grows[one] = (grows[one] or number_of(index, one)) + tonumber(two)
      if tonumber(two) > 0 and grows[one] > tonumber(three) then return 'full ' .. one .. ' ' .. three end
    elseif name == 'none' then
      if not is_counted then return 'unconverted' end
      if number_of(index, one) > 0 then return 'used ' .. one end
    elseif name == 'weigh' then
      more[one] = (more[one] or 0) + (tonumber(three) or 0) - weight_of(large, bytes, captioned, one, two)
      if one == 'bytes' and three ~= '' then is_upload[two] = true end
    elseif name == 'note' then
      local id, change = one:match('^media (.+)$'), unfinished_in(three) - unfinished_in(two)
      if id and change ~= 0 then waits[id] = change end
    elseif name == 'upload' and two ~= '' and not redis.call('ZSCORE', uploads, one) then
      more.uploads = (more.uploads or 0) + 1
    elseif name == 'most' then
      most[one] = tonumber(two)
    elseif name == 'place' then
      place = places_but(redis.call('HGET', index, 'places') or '', one, two)
    end
  end
  for id, change in pairs(waits) do
    if is_upload[id] or redis.call('ZSCORE', bytes, id) then more.unfinished = (more.unfinished or 0) + change end
  end
  if most.unfinished and format == FORMAT and number_of(index, 'numbers') ~= NUMBERS then return 'unconverted' end
  for list, limit in pairs(most) do
    if (more[list] or 0) > 0 then
      local sum
      if list == 'uploads' then
        sum = redis.call('ZCARD', uploads)
      elseif list == 'unfinished' then
        sum = is_counted and number_of(index, list) or 0
      elseif is_counted then
        sum = number_of(index, list)
      else
        sum = sum_of_weights(large, bytes, captioned, list)
      end
      if place and list == 'bytes' then sum = sum + place.bytes end
      if place and (list == 'uploads' or list == 'unfinished') then sum = sum + place.count end
      if sum + more[list] > limit then return 'full ' .. list .. ' ' .. sum end
    end
  end
  if not format then redis.call('HSET', index, 'format', FORMAT, 'numbers', NUMBERS) end
  if place then set_places(index, place.text) end
  if is_counted then add_to(index, 'unfinished', more.unfinished or 0) end
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
      if is_counted then add_to(index, one, tonumber(two)) end
    elseif name == 'upload' then
      if two == '' then redis.call('ZREM', uploads, one) else redis.call('ZADD', uploads, two, one) end
    elseif name == 'failed' then
      if two == '' then redis.call('ZREM', failed, one) else redis.call('ZADD', failed, two, one) end
    elseif name == 'weigh' then
      redis.call('HINCRBY', index, one, (tonumber(three) or 0) - weight_of(large, bytes, captioned, one, two))
      if one == 'large' then
        if three == '' then redis.call('ZREM', large, two) else redis.call('ZADD', large, three, two) end
      elseif one == 'bytes' then
        if three == '' then redis.call('ZREM', bytes, two) else redis.call('ZADD', bytes, three, two) end
      else
        if three == '' then redis.call('ZREM', captioned, two) else redis.call('ZADD', captioned, three, two) end
      end
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
--   most, LIST, N            the sum of such a list, or the number of `uploads` or `unfinished`, may not be above N after
--                            the commit, if the commit makes it larger
--   place, NAME, NOW         the commit has the place of that upload under way (take_place)
--   incoming, TEXT           a job of svc-ingest
--   files, N, FIELD…         a job about files
-- Returns 'done', also if it was done before; 'changed': a record is not as it was read; 'gone': one does not
-- exist; 'full FIELD HAS', 'used FIELD'; 'unconverted' (convert_account); 'ended' (close_account).
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

-- Takes a place for an upload under way, until its commit, free_place() or `ends`. Whoever has it already keeps it. Returns
-- 'done', 'full FIELD HAS', 'unconverted' or 'ended'; `most_bytes`, 0: any.
-- keys: index catalog:index, changed catalog:changed, uploads ingest:uploads, large ingest:large, bytes ingest:bytes
-- reply: $
-- users: grant web
function functions.take_place(index, changed, uploads, large, bytes, name, now, ends, size, most_uploads, most_unfinished,
                              most_large, most_bytes)
  local is_new = redis.call('EXISTS', index) == 0 and redis.call('EXISTS', changed) == 0
  if redis.call('HEXISTS', index, 'ends') == 1 then return 'ended' end
  local format = is_new and FORMAT or redis.call('HGET', index, 'format')
  if is_new then redis.call('HSET', index, 'format', FORMAT, 'numbers', NUMBERS) end
  if not format or (format == FORMAT and number_of(index, 'numbers') ~= NUMBERS) then return 'unconverted' end
  local others = places_but(redis.call('HGET', index, 'places') or '', name, now)
  local count = redis.call('ZCARD', uploads) + others.count
  if count >= tonumber(most_uploads) then return 'full uploads ' .. count end
  local is_counted = format == FORMAT
  local of_records = is_counted and number_of(index, 'large') or sum_of(redis.call('ZRANGE', large, 0, -1, 'WITHSCORES'))
  if of_records >= tonumber(most_large) then return 'full large ' .. of_records end
  if tonumber(most_bytes) > 0 then
    local of_files = is_counted and number_of(index, 'bytes') or sum_of(redis.call('ZRANGE', bytes, 0, -1, 'WITHSCORES'))
    of_files = of_files + others.bytes
    if of_files >= tonumber(most_bytes) or of_files + tonumber(size) > tonumber(most_bytes) then
      return 'full bytes ' .. of_files
    end
  end
  local unfinished = (is_counted and number_of(index, 'unfinished') or 0) + others.count
  if unfinished >= tonumber(most_unfinished) then return 'full unfinished ' .. unfinished end
  set_places(index, others.text .. ends .. ' ' .. size .. ' ' .. name .. '\n')
  return 'done'
end

-- keys: index catalog:index
-- reply: $
-- users: grant web
-- flags: allow-oom
function functions.free_place(index, name, now)
  local places = redis.call('HGET', index, 'places')
  if places then set_places(index, places_but(places, name, now).text) end
  return 'done'
end

-- From now on no commit adds a record to the account, and no upload gets a place (stores/catalog/account_end.h).
-- keys: index catalog:index, changed catalog:changed
-- reply: $
-- users: svcctl
-- flags: allow-oom
function functions.close_account(index, changed)
  if redis.call('EXISTS', index) == 0 and redis.call('EXISTS', changed) == 0 then
    redis.call('HSET', index, 'format', FORMAT, 'numbers', NUMBERS)
  end
  redis.call('HSET', index, 'ends', 1)
  return 'done'
end

-- Another account has the id from now on.
-- keys: index catalog:index
-- reply: $
-- users: svcctl
function functions.open_account(index)
  redis.call('HDEL', index, 'ends')
  redis.call('PERSIST', index)
  return 'done'
end

-- Deletes the record of an account that was closed, and what is left of it. Who wants to commit something that began
-- before finds it closed for a time longer than any request takes.
-- keys: index catalog:index,
--     records... catalog:account catalog:captioned catalog:unindexed catalog:changed oauth:account_clients
--     oauth:account_tokens oauth:repetitions oauth:repetition_bytes ingest:uploads ingest:failed ingest:large ingest:bytes
--     stats:plays
-- reply: $
-- users: svcctl
-- flags: allow-oom
function functions.end_account(index, records)
  for i = 1, #records do redis.call('DEL', records[i]) end
  redis.call('DEL', index)
  redis.call('HSET', index, 'format', FORMAT, 'numbers', NUMBERS, 'ends', 1)
  redis.call('EXPIRE', index, CLOSED_SECONDS)
  return 'done'
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
  for _, name in ipairs({'places', 'ends'}) do fields[name] = redis.call('HGET', index, name) or nil end
  for i = 1, #numbers, 2 do fields[numbers[i]] = numbers[i + 1] end
  local weights = {
    large = redis.call('ZRANGE', large, 0, -1, 'WITHSCORES'),
    bytes = redis.call('ZRANGE', bytes, 0, -1, 'WITHSCORES'),
    captions = redis.call('ZRANGE', captioned, 0, -1, 'WITHSCORES'),
  }
  for field, weight in pairs(weights) do
    local sum = sum_of(weight)
    if sum > 0 then fields[field] = sum end
  end
  local left = redis.call('TTL', index)
  redis.call('DEL', index, changed)
  for field, value in pairs(fields) do redis.call('HSET', index, field, value) end
  if left > 0 then redis.call('EXPIRE', index, left) end
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
