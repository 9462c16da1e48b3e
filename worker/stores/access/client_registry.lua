-- Takes an application out of those of its account. Returns 0 if they are not `count` any more.
-- keys: clients oauth:account_clients
-- reply: :
-- users: web svcctl
-- flags: allow-oom
function functions.unlist_client(clients, id, count)
  if redis.call('SCARD', clients) ~= tonumber(count) then return 0 end
  redis.call('SREM', clients, id)
  return 1
end
