-- Adds a user. Returns 'added', also to a repetition; 'id' or 'email': that is another user's.
-- keys: contact catalog:contact, email catalog:contact_email
-- reply: $
-- users: svcctl
function functions.add_contact(contact, email, id, record)
  local there = redis.call('GET', contact)
  if there == record then return 'added' end
  if there then return 'id' end
  if redis.call('EXISTS', email) == 1 then return 'email' end
  redis.call('SET', contact, record)
  redis.call('SET', email, id)
  return 'added'
end

-- Removes a user, if its record is the one that was read, and its email address if it is its own.
-- keys: contact catalog:contact, email catalog:contact_email
-- reply: :
-- users: svcctl
-- flags: allow-oom
function functions.remove_contact(contact, email, id, before)
  local now = redis.call('GET', contact)
  if now and now ~= before then return 0 end
  if redis.call('GET', email) == id then redis.call('DEL', email) end
  redis.call('DEL', contact)
  return 1
end
