-- Adds the pieces of a day to its row and to the total, unless a row or a piece is not as it was read.
-- `read`: fields of the pieces and their values.
-- keys: pieces stats:pieces, rows stats:rows, visitors stats:visitors
-- list: read
-- reply: :
-- users: web
function functions.add_up_statistics(pieces, rows, visitors, day, row_before, row, total_before, total, read)
  if (redis.call('HGET', rows, day) or '') ~= row_before then return 0 end
  if (redis.call('HGET', rows, 'total') or '') ~= total_before then return 0 end
  for i = 1, #read, 2 do
    if redis.call('HGET', pieces, read[i]) ~= read[i + 1] then return 0 end
  end
  for i = 1, #read, 2 do redis.call('HDEL', pieces, read[i]) end
  redis.call('HSET', rows, day, row, 'total', total)
  redis.call('DEL', visitors)
  return 1
end
