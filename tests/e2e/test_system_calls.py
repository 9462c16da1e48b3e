"""P3: what a request on a kept connection costs in system calls."""

import system_calls


def test_P3_a_kept_connection_costs_a_wait_a_read_and_a_write(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1)
    calls = system_calls.per_request(
        pool, "/oembed", "url=http%3A%2F%2Fsvc.localhost%2Fmedias%2Fl4unchf1lm")
    # The clock may tick between two requests: one wait more in a hundred is no wait a request.
    assert {name: round(count) for name, count in calls.items() if count >= 0.5} == {
        "epoll_pwait": 1, "recvfrom": 1, "sendmsg": 1}
    assert sum(calls.values()) < 3.5
