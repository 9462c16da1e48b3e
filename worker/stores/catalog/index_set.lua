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

-- An account's index is written under an epoch, which ends when notes are taken away. A writer that read before
-- that is refused.
local NO_EPOCH = '00000000'
local INTENT = '\2' -- before the epoch and a state that a writer of that epoch may put into the blocks

-- Notes which states are about to be put into the blocks of an index, in several steps: so whoever reads them, or
-- puts another state there, knows what the blocks may have. `words`: member and state of each note.
-- keys: index catalog:index, notes catalog:unindexed
-- list: words
-- reply: :
-- users: grant web ingest keeper svcctl
function functions.intend_index(index, notes, epoch, words)
  if (redis.call('HGET', index, 'epoch') or NO_EPOCH) ~= epoch then return 0 end
  for i = 1, #words, 2 do
    local note = redis.call('HGET', notes, words[i])
    if note then
      local states, intent = states_of(note), INTENT .. epoch .. words[i + 1]
      local is_known = false
      for at = 1, #states - 1 do is_known = is_known or states[at] == intent end
      if not is_known then
        table.insert(states, #states, intent)
        redis.call('HSET', notes, words[i], joined(states))
      end
    end
  end
  return 1
end

-- Writes blocks of an account's index, if all are of the version that was read, and the epoch is that in which they
-- were. `sets` are the keys of the blocks, then the directory of each new block. `words`: version and text of each
-- block; where each new block begins; member and state of each note that the blocks have now. With notes, the next
-- epoch begins. An intent of this epoch may have been carried out since the note was read, so it stays in the note
-- until the next writer.
-- keys: index catalog:index, notes catalog:unindexed, sets... catalog:block catalog:directory
-- list: words
-- reply: :
-- users: grant web ingest keeper svcctl
function functions.write_blocks(index, notes, sets, epoch, next_epoch, blocks, begins, words)
  if (redis.call('HGET', index, 'epoch') or NO_EPOCH) ~= epoch then return 0 end
  for i = 1, blocks do
    if redis.call('GETRANGE', sets[i], 0, 7) ~= words[2 * i - 1] then return 0 end
  end
  for i = 1, blocks do redis.call('SET', sets[i], words[2 * i]) end
  local at = 2 * blocks
  for i = 1, begins do redis.call('ZADD', sets[blocks + i], 0, words[at + i]) end
  at = at + begins
  local own = INTENT .. epoch
  for i = at + 1, #words, 2 do
    local member, has = words[i], words[i + 1]
    local note = redis.call('HGET', notes, member)
    if note then
      local states = states_of(note)
      local now = table.remove(states)
      local kept = {has}
      for _, state in ipairs(states) do
        if state:sub(1, #own) == own and state:sub(#own + 1) ~= has then kept[#kept + 1] = state end
      end
      if #kept == 1 and now == has then
        redis.call('HDEL', notes, member)
      else
        kept[#kept + 1] = now
        redis.call('HSET', notes, member, joined(kept))
      end
    end
  end
  if #words > at then redis.call('HSET', index, 'epoch', next_epoch) end
  return 1
end
