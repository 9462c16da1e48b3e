-- Adds a job about files, such as their deletion, also while the memory of Redis is full. A job that
-- is added twice is done twice, which is harmless.
-- keys: jobs ingest:deletions
-- list: fields
-- reply: $
-- users: grant web svcctl
-- flags: allow-oom
function functions.add_files_job(jobs, fields)
  return redis.call('XADD', jobs, '*', unpack(fields))
end
