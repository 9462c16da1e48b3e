local MOST = 16  -- texts of a media that its record does not name

-- Adds a text of captions, which the commit of the record names or deletes (stores/catalog/commit.lua). `names` are the
-- versions that the record has. What it does not name are texts of writers, of which some died: too many are deleted,
-- and a writer that is still at work begins again.
-- Returns 1; 0: the record is not as it was read.
-- keys: media catalog:media, captions catalog:captions
-- list: names
-- reply: :
-- users: grant web ingest svcctl
function functions.stage_captions(media, captions, record, version, text, names)
  if redis.call('GET', media) ~= record then return 0 end
  if redis.call('HLEN', captions) >= #names + MOST then
    local is_named = {}
    for _, name in ipairs(names) do is_named[name] = true end
    for _, name in ipairs(redis.call('HKEYS', captions)) do
      if not is_named[name] then redis.call('HDEL', captions, name) end
    end
  end
  redis.call('HSET', captions, version, text)
  return 1
end
