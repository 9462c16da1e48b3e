-- Writes blocks of an account's index, if all are of the version that was read. `sets` are the keys
-- of the blocks, then the directory of each new block. `words`: version and text of each block; where
-- each new block begins; field and difference of each count; member and score of each note that is
-- done.
-- keys: index catalog:index, changed catalog:changed, sets... catalog:block catalog:directory
-- list: words
-- reply: :
-- users: grant web svcctl
function functions.commit_index(index, changed, sets, blocks, begins, counts, notes, words)
  for i = 1, blocks do
    if redis.call('GETRANGE', sets[i], 0, 7) ~= words[2 * i - 1] then return 0 end
  end
  for i = 1, blocks do redis.call('SET', sets[i], words[2 * i]) end
  local at = 2 * blocks
  for i = 1, begins do redis.call('ZADD', sets[blocks + i], 0, words[at + i]) end
  at = at + begins
  for i = 1, counts do redis.call('HINCRBY', index, words[at + 2 * i - 1], words[at + 2 * i]) end
  at = at + 2 * counts
  for i = 1, notes do
    local score = redis.call('ZSCORE', changed, words[at + 2 * i - 1])
    if score and tonumber(score) == tonumber(words[at + 2 * i]) then
      redis.call('ZREM', changed, words[at + 2 * i - 1])
    end
  end
  return 1
end
