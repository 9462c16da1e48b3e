-- Records an event, also while the memory of Redis is full. If it is repeated, the trail has the event
-- twice, which is harmless: what it is about is removed once.
-- keys: stream audit:removal/grant/web audit:media/svcctl audit:admin/svcctl audit:edit
-- list: fields
-- reply: $
-- users: grant web svcctl
-- flags: allow-oom
function functions.record_removal(stream, most, fields)
  return redis.call('XADD', stream, 'MAXLEN', '~', most, '*', unpack(fields))
end
