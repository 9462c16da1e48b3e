-- Deletes a project, if its record is the one that was read and its deletion is still marked.
-- keys: project catalog:project, uses catalog:uses
-- reply: :
-- users: grant web svcctl
-- flags: allow-oom
function functions.delete_project(project, uses, before, deletion)
  local now = redis.pcall('GET', project)
  if type(now) == 'table' then now = '' end -- of another type
  if not now then return 1 end
  if now ~= before or not redis.call('ZSCORE', uses, deletion) then return 0 end
  redis.call('DEL', project)
  redis.call('ZREM', uses, deletion)
  return 1
end
