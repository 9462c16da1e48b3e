-- Sets a record to `after` if it is `before`. '' as `before`: it must not exist.
-- keys: record catalog:account catalog:contact/svcctl
--     catalog:password/web/svcctl catalog:playlist/svcctl
-- reply: :
-- users: grant web svcctl
function functions.replace_record(record, before, after)
  local now = redis.call('GET', record) or ''
  if now == after then return 1 end
  if now ~= before then return 0 end
  redis.call('SET', record, after)
  return 1
end
