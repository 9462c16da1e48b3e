"""operations-P3: the system calls of a request on a keep-alive connection."""

import system_calls


def test_operations_P3_a_request_on_a_keep_alive_connection_takes_three_system_calls(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1)
    calls = system_calls.per_request(
        pool, "/oembed", "url=http%3A%2F%2Fsvc.localhost%2Fmedias%2Fl4unchf1lm")
    # A timer may expire between two requests, so that a few additional waits are rounded away.
    assert {name: round(count) for name, count in calls.items() if count >= 0.5} == {
        "epoll_pwait": 1, "recvfrom": 1, "sendmsg": 1}
    assert sum(calls.values()) < 3.5
