"""The audit trail as it is in Redis: one stream per kind of event."""

import json
import re

from stack import REPOSITORY

# In the order of the table: what came in the same millisecond is read in that order.
KINDS = re.findall(r'^    \{"([a-z]+)", "\d+"\},$', (REPOSITORY / "worker/oauth/audit_event.h").read_text(), re.M)

READ = """
local out = {}
for _, key in ipairs(redis.call('KEYS', 'audit*')) do
  for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
    local one = {}
    for i = 1, #entry[2], 2 do one[entry[2][i]] = entry[2][i + 1] end
    out[#out + 1] = {entry[1], key, one}
  end
end
return #out > 0 and cjson.encode(out) or '[]'"""


def entries(redis):
    """What was recorded, the oldest first, each as a dictionary."""
    found = json.loads(redis.command("EVAL", READ, 0))

    def order(one):
        kind = one[1].removeprefix("audit:")
        return [*map(int, one[0].split("-")), KINDS.index(kind) if kind in KINDS else -1]
    return [entry for _, _, entry in sorted(found, key=order)]


def forget(redis):
    redis.command("EVAL", "for _, key in ipairs(redis.call('KEYS', 'audit*')) do redis.call('DEL', key) end return 1", 0)
