-- Keeps a rendering of a media, unless it has `most` others already.
-- keys: rendering embed:rendering
-- reply: :
-- users: embed
function functions.keep_rendering(rendering, variant, value, most, milliseconds)
  local variants = redis.call('HLEN', rendering)
  if variants >= tonumber(most) and redis.call('HEXISTS', rendering, variant) == 0 then return 0 end
  redis.call('HSET', rendering, variant, value)
  if variants == 0 then redis.call('PEXPIRE', rendering, milliseconds) end
  return 1
end
