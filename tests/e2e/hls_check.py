"""hls_check: a parser for multivariant playlists that is stricter than players.

The validators that we know accept misspelt attribute names, and players ignore an attribute such as AVERAGE_BANDWIDTH.
So names, values and order are checked here (RFC 8216, sections in parentheses).
"""

import re

# (4.3.4.2) The attributes of EXT-X-STREAM-INF and the syntax of their values (4.2).
ATTRIBUTES = {
    "BANDWIDTH": r"[1-9]\d{0,19}",
    "AVERAGE-BANDWIDTH": r"[1-9]\d{0,19}",
    "CODECS": r'"[A-Za-z0-9.,_+ -]+"',
    "RESOLUTION": r"[1-9]\d*x[1-9]\d*",
    "FRAME-RATE": r"\d+\.\d{3}",
}


def variants(text):
    """Returns the variants as dicts with `uri`. Throws AssertionError if the playlist is invalid."""
    assert "\r" not in text and "\ufeff" not in text and text.endswith("\n")
    lines = text.splitlines()
    assert lines[:3] == ["#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-INDEPENDENT-SEGMENTS"], lines[:3]
    found = []
    rest = lines[3:]
    assert rest and len(rest) % 2 == 0, "lines are not pairs of EXT-X-STREAM-INF and URI"
    for tag, uri in zip(rest[::2], rest[1::2]):
        assert tag.startswith("#EXT-X-STREAM-INF:"), tag
        assert re.fullmatch(r"https?://[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+", uri), uri
        attributes = {"uri": uri}
        for part in re.findall(r'[^,"]+(?:"[^"]*")?', tag.partition(":")[2]):
            name, _, value = part.partition("=")
            assert name in ATTRIBUTES, f"{name} is no attribute of EXT-X-STREAM-INF"
            assert name not in attributes, f"{name} comes twice"
            assert re.fullmatch(ATTRIBUTES[name], value), f"{name}={value}"
            attributes[name] = value
        assert "BANDWIDTH" in attributes, "BANDWIDTH is required"
        found.append(attributes)
    return found
