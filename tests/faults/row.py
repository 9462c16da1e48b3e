"""row: runs one row of the table: the load, the fault in the middle of it, the recovery, and the audit.

Every row asserts the same, unless the fault itself excludes it:

- no wrong response: no 4xx for a valid code, token or media, no revoked token accepted, no error without Retry-After;
- no 502 or 504, and no connection without a response;
- responses in a worker's memory are right during the whole fault;
- after the fault all responses are right again, without a restart;
- no acknowledged token or revocation is lost, nor is an unspent code.
"""

import contextlib

import report
from bounded_load import AWAY, CUT, GATEWAY, LONG, WRONG, Audit, Load
from shipped import Shipped

CYCLES = 8 if LONG else 2  # per client, during a fault
WARM_UP = 8                # cycles, until each kind of request was sent


def patient(_):
    """Settings for faults that no request may notice, also on a machine that other work keeps busy."""
    return {"redis_timeout": 20_000, "request_timeout": 30_000}


@contextlib.contextmanager
def loaded(stack, *, codes=None, **how):
    """Yields the service and its load, which has run for some cycles, the last with right responses only."""
    service = Shipped(stack, codes=codes or (8000 if LONG else 2000), **how)
    try:
        service.warm()
        with Load(service.nginx.port, service.codes) as load:
            load.run_cycles(WARM_UP)
            load.wait_until_right()
            yield service, load
    finally:
        service.stop()


def run(stack, name, fault, *, memory=True, gateway=False, cut=False, **how):
    """Runs `fault(service, load)` under load and adds its row to the table.

    `memory`: no worker loses its memory. `gateway`: nginx may answer 502 or 504. `cut`: a client may lose its
    connection."""
    with loaded(stack, **how) as (service, load):
        load.phase = "during"
        fault(service, load)
        load.phase = "after"
        seconds = load.wait_until_right()
        load.finish()
        audit = Audit(load, service.ledger)
        report.add(name, load, audit, seconds)
        counts = load.counts("during")
        assert load.noted(WRONG) == []
        assert sum(audit.lost.values()) == 0, audit.lost
        assert audit.acknowledged["token"] and audit.acknowledged["revocation"]
        if memory:
            assert counts["memory", AWAY] == 0
        if not gateway:
            assert load.noted(GATEWAY) == []
        if not cut:
            assert load.noted(CUT) == []
    return service, load, audit
