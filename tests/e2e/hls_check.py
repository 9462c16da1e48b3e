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
    "SUBTITLES": r'"[^"]+"',
}
# (4.3.4.1) The attributes of EXT-X-MEDIA with TYPE=SUBTITLES, all of which our playlists have.
SUBTITLES = {
    "TYPE": r"SUBTITLES",
    "GROUP-ID": r'"[^"]+"',
    "NAME": r'"[^"]+"',
    "LANGUAGE": r'"[A-Za-z0-9-]+"',
    "DEFAULT": r"YES|NO",
    "AUTOSELECT": r"YES|NO",
    "FORCED": r"NO",
    "URI": r'"https?://[A-Za-z0-9._~:/?#\[\]@!$&\'()*+,;=%-]+"',
}


def _attributes(tag, allowed):
    """Returns the attributes of a tag. Throws AssertionError if a name or a value is not allowed, or comes twice."""
    found = {}
    text = tag.partition(":")[2]
    parts = re.findall(r'[^,"]+(?:"[^"]*")?', text)
    assert ",".join(parts) == text, f"not a list of attributes: {text}"
    for part in parts:
        name, _, value = part.partition("=")
        assert name in allowed, f"{name} is no attribute of {tag}"
        assert name not in found, f"{name} comes twice"
        assert re.fullmatch(allowed[name], value), f"{name}={value}"
        found[name] = value
    return found


def subtitles(text):
    """Returns the EXT-X-MEDIA tags of a playlist, as dicts. Throws AssertionError if one is invalid."""
    found = [_attributes(line, SUBTITLES) for line in text.splitlines() if line.startswith("#EXT-X-MEDIA:")]
    groups = {}
    for one in found:
        assert set(one) == set(SUBTITLES), f"{one} lacks an attribute"
        assert one["DEFAULT"] == "NO" or one["AUTOSELECT"] == "YES"
        groups.setdefault(one["GROUP-ID"], []).append(one)
    for group in groups.values():
        names = [one["NAME"] for one in group]
        assert len(names) == len(set(names)), f"a name twice: {names}"
        assert sum(one["DEFAULT"] == "YES" for one in group) <= 1
        chosen = [one["LANGUAGE"].lower() for one in group if one["AUTOSELECT"] == "YES"]
        assert len(chosen) == len(set(chosen)), f"AUTOSELECT twice for a language: {chosen}"
    return found


def variants(text):
    """Returns the variants as dicts with `uri`. Throws AssertionError if the playlist is invalid."""
    assert "\r" not in text and "\ufeff" not in text and text.endswith("\n")
    lines = text.splitlines()
    assert lines[:3] == ["#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-INDEPENDENT-SEGMENTS"], lines[:3]
    found = []
    groups = {one["GROUP-ID"] for one in subtitles(text)}
    rest = lines[3:]
    while rest and rest[0].startswith("#EXT-X-MEDIA:"):
        rest = rest[1:]
    assert rest and len(rest) % 2 == 0, "lines are not pairs of EXT-X-STREAM-INF and URI"
    for tag, uri in zip(rest[::2], rest[1::2]):
        assert tag.startswith("#EXT-X-STREAM-INF:"), tag
        assert re.fullmatch(r"https?://[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+", uri), uri
        attributes = {"uri": uri, **_attributes(tag, ATTRIBUTES)}
        assert "BANDWIDTH" in attributes, "BANDWIDTH is required"
        assert {attributes[name] for name in attributes if name == "SUBTITLES"} == groups, "the group of subtitles"
        found.append(attributes)
    return found
