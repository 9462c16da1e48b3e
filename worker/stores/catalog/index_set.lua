-- The states of a note (commit.lua).
local function states_of(note)
  local states, begin = {}, 1
  while begin <= #note do
    local length = note:match('^%d+', begin)
    local first = begin + #length + 1
    begin = first + tonumber(length)
    states[#states + 1] = note:sub(first, begin - 1)
  end
  return states
end

local function joined(states)
  local parts = {}
  for i = 1, #states do parts[i] = #states[i] .. ':' .. states[i] end
  return table.concat(parts)
end

-- Notes which states are about to be put into the blocks of an index, in several steps: so whoever reads them, or
-- puts another state there, knows what the blocks may have. `words`: member and state of each note.
-- keys: notes catalog:unindexed
-- list: words
-- reply: :
-- users: grant web ingest svcctl
function functions.intend_index(notes, words)
  for i = 1, #words, 2 do
    local note = redis.call('HGET', notes, words[i])
    if note then
      local states = states_of(note)
      local is_known = false
      for at = 1, #states - 1 do is_known = is_known or states[at] == words[i + 1] end
      if not is_known then
        table.insert(states, #states, words[i + 1])
        redis.call('HSET', notes, words[i], joined(states))
      end
    end
  end
  return 1
end

-- Writes blocks of an account's index, if all are of the version that was read. `sets` are the keys
-- of the blocks, then the directory of each new block. `words`: version and text of each block; where
-- each new block begins; of each note that the blocks have now: its member, and the states that they had and have.
-- keys: index catalog:index, notes catalog:unindexed, sets... catalog:block catalog:directory
-- list: words
-- reply: :
-- users: grant web ingest svcctl
function functions.commit_index(index, notes, sets, blocks, begins, words)
  for i = 1, blocks do
    if redis.call('GETRANGE', sets[i], 0, 7) ~= words[2 * i - 1] then return 0 end
  end
  for i = 1, blocks do redis.call('SET', sets[i], words[2 * i]) end
  local at = 2 * blocks
  for i = 1, begins do redis.call('ZADD', sets[blocks + i], 0, words[at + i]) end
  at = at + begins
  for i = at + 1, #words, 3 do
    local member, had, has = words[i], words[i + 1], words[i + 2]
    local note = redis.call('HGET', notes, member)
    if note then
      local states = states_of(note)
      local now = table.remove(states)
      local kept = {has}
      for _, state in ipairs(states) do
        if state ~= had and state ~= has then kept[#kept + 1] = state end
      end
      if #kept == 1 and now == has then
        redis.call('HDEL', notes, member)
      else
        kept[#kept + 1] = now
        redis.call('HSET', notes, member, joined(kept))
      end
    end
  end
  if redis.call('HGET', index, 'format') == 'building' then redis.call('HINCRBY', index, 'folds', 1) end
  return 1
end
