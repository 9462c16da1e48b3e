-- Sets a record to `after` if it is `before`. '' as `before`: it must not exist.
-- keys: record catalog:account catalog:project catalog:media catalog:contact/web/svcctl
--     catalog:password/web/svcctl
--     catalog:contact_email/svcctl catalog:playlist/svcctl oauth:client/web/svcctl
-- reply: :
-- users: grant web svcctl
function functions.replace_record(record, before, after)
  local now = redis.call('GET', record) or ''
  if now == after then return 1 end
  if now ~= before then return 0 end
  redis.call('SET', record, after)
  return 1
end

-- Deletes a record if it has this value.
-- keys: record catalog:contact/svcctl catalog:password/svcctl catalog:contact_email/svcctl oauth:client
--     oauth:deleted_client
-- reply: :
-- users: web svcctl
-- flags: allow-oom
function functions.release_record(record, value)
  local now = redis.call('GET', record)
  if now and now ~= value then return 0 end
  redis.call('DEL', record)
  return 1
end
