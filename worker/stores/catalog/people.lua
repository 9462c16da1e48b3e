-- Adds or changes a user, whose record must be as it was read ('': there is none): the record, its email address, which
-- may not be another user's, instead of the former one (the same key: it stays), and the hash of its password
-- ('': stays as it is, '-': none).
-- Returns 'written', also to a repetition; 'changed': the record is another one; 'email': it is another user's.
-- keys: contact catalog:contact, email catalog:contact_email, former catalog:contact_email, password catalog:password
-- reply: $
-- users: svcctl
function functions.write_contact(contact, email, former, password, id, before, after, hash)
  local now = redis.call('GET', contact) or ''
  if now == after and now ~= before then return 'written' end
  if now ~= before then return 'changed' end
  local owner = redis.call('GET', email)
  if owner and owner ~= id then return 'email' end
  redis.call('SET', contact, after)
  redis.call('SET', email, id)
  if former ~= email and redis.call('GET', former) == id then redis.call('DEL', former) end
  if hash == '-' then
    redis.call('DEL', password)
  elseif hash ~= '' then
    redis.call('SET', password, hash)
  end
  return 'written'
end

-- Moves the hash in the record of an earlier version to its own key, unless that has one, which is newer. Returns 0 if
-- the record is not as it was read.
-- keys: contact catalog:contact, password catalog:password
-- reply: :
-- users: web svcctl
function functions.move_password(contact, password, before, after, hash)
  if redis.call('GET', contact) ~= before then return 0 end
  if hash ~= '' and redis.call('EXISTS', password) == 0 then redis.call('SET', password, hash) end
  redis.call('SET', contact, after)
  return 1
end

-- Ends a user, if its record is the one that was read, or has gone: with its email addresses, the first `emails` of
-- `records`, unless they are another user's, and with its other records.
-- keys: contact catalog:contact,
--     records... catalog:contact_email catalog:password web:login_factor web:login_codes
-- reply: :
-- users: svcctl
-- flags: allow-oom
function functions.end_contact(contact, records, id, before, emails)
  local now = redis.call('GET', contact)
  if now and now ~= before then return 0 end
  for i = 1, #records do
    if i > tonumber(emails) or redis.call('GET', records[i]) == id then redis.call('DEL', records[i]) end
  end
  redis.call('DEL', contact)
  return 1
end
