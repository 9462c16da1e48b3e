"""The audit trail in Redis: one stream per kind of event."""

import re

from stack import REPOSITORY

TABLE = (REPOSITORY / "worker/oauth/audit_event.h").read_text()
# In the order of the table, which also orders events of the same millisecond.
KINDS = re.findall(r'^    \{"([a-z]+)", "\d+"\},$', TABLE, re.M)


def entries(redis):
    """Returns the recorded events as dictionaries, oldest first."""
    found = [(key.removeprefix("audit:"), time, dict(zip(pairs[::2], pairs[1::2])))
             for key in redis.command("KEYS", "audit*") for time, pairs in redis.command("XRANGE", key, "-", "+")]

    def order(one):
        kind, time, _ = one
        return [*map(int, time.split("-")), KINDS.index(kind) if kind in KINDS else -1]
    return [entry for _, _, entry in sorted(found, key=order)]


def forget(redis):
    for key in redis.command("KEYS", "audit*"):
        redis.command("DEL", key)
