"""Names of additional parameters in a redirect URI.

A name is refused if PHP's parse_str, Express (qs) or a case-insensitive reader takes it for a parameter of the response
or of the registered query. All other names pass; a name that only Rack confuses may be refused."""

import json
import random
import re
import subprocess
import urllib.parse

import pytest

import stack as stacks

ANSWER = ("code", "state", "iss", "error", "error_description", "error_uri", "scope", "token_type", "access_token",
          "account_id", "account_x", "contact_email", "contact_")
HARMLESS = ("x", "codes", "my_code", "account", "accountid", "contact", "access", "token", "page", "utm_source")
# Client, redirect URI with everything before the additional parameters, and the registered query.
CLIENTS = (("demo-client-0001", "http://127.0.0.1:9090/callback?", ""),
           ("demo-client-0002", "https://client.example/oauth/callback?tenant=42&", "tenant=42"))
PIECES = ("[", "]", "[]", "[a]", "[a", "a]", ".", " ", "  ", "_", "\0", "\t", "+", "\n", ";", "[[", "]]", "[ ", "[.]",
          "%", "é", "-", "$", "x")
READ = ("while (($line = fgets(STDIN)) !== false) {"
        " parse_str(rtrim($line, \"\\n\"), $read); echo json_encode(array_map('bin2hex', array_map('strval',"
        " array_keys($read)))), \"\\n\"; }")


def mutations(count=900):
    """Yields names as they appear in a query string, some of them malformed; the same in every run."""
    pick = random.Random(12)
    words = [*ANSWER, "tenant", *HARMLESS]
    names = set()
    for word in words:
        names |= {"[" + word + "]x", "[" + word + "][a]", "]" + word, word + "]"}
        names |= {word, word.upper(), word.title(), word.replace("_", "."), word.replace("_", " "),
                  word.replace("_", "["), word + "[]", word + "[", word + "[x]y", "[" + word + "]", " " + word,
                  word + " ", word + "\0z", "\t" + word, "x[" + word + "]", word + "[a][b",
                  word.replace("_", "[", 1) + "]"}
    while len(names) < count:
        name = pick.choice(words)
        for _ in range(pick.randint(1, 3)):
            at = pick.choice((0, len(name), pick.randint(0, len(name))))
            name = name[:at] + pick.choice(PIECES) + name[at + (pick.random() < 0.15):]
        if pick.random() < 0.3:
            name = "".join(pick.choice((c.lower(), c.upper())) for c in name)
        names.add(name)
    for name in sorted(names):
        quoted = urllib.parse.quote(name, safe="".join(pick.sample("[]._-;$", 4)))
        if pick.random() < 0.3:
            quoted = quoted.replace("%20", "+")
        if pick.random() < 0.2:
            quoted = "".join(f"%{ord(c):02x}" if c.isalpha() and c.isascii() and pick.random() < 0.5 and
                             quoted[max(0, i - 2):i].find("%") < 0 else c for i, c in enumerate(quoted))
        yield quoted


def read_by_php(queries, *options):
    """Returns, for each query, the names that PHP reads from it."""
    done = subprocess.run(["php", "-n", *options, "-r", READ], input="".join(f"{query}\n" for query in queries),
                          capture_output=True, text=True, check=True, timeout=stacks.PATIENCE)
    read = [{bytes.fromhex(name).decode(errors="replace").lower() for name in json.loads(line)}
            for line in done.stdout.splitlines()]
    assert len(read) == len(queries)
    return read


def names_in(query):
    return [urllib.parse.unquote_plus(part.split("=")[0]) for part in re.split("[&;]", query)]


def read_by_express(query):
    """Returns the first key of each name, as qs splits it: a name that begins with a closed bracket yields its
    contents."""
    read = set()
    for name in names_in(query):
        closed = re.search(r"\[([^][]*)\]", name)
        read.add((closed[1] if closed and closed.start() == 0 else name[:closed.start()] if closed else name).lower())
    return read


def read_by_rack(query):
    """Rack drops brackets before a name. In this model a NUL ends the name, too, as in PHP."""
    return {found[1].lower() for name in names_in(query) if (found := re.match(r"[][]*([^][\0]+)", name))}


def is_of_the_answer(name):
    return name in ANSWER or name.startswith(("account_", "contact_"))


@pytest.fixture(scope="module")
def pool(module_stack):
    module_stack.import_catalog()
    return module_stack.start_pool("web", roles="web")


def test_refuses_every_name_that_a_framework_confuses(pool):
    names = list(mutations())
    queries = [f"{name}=1" for name in names]
    # Some sites configure PHP to accept ; as well as &.
    readings = [both | more | read_by_express(query) for both, more, query in zip(
        read_by_php(queries), read_by_php(queries, "-d", "arg_separator.input=&;"), queries)]
    counts = {True: 0, False: 0}
    with pool.connect() as connection:
        for client, uri, registered in CLIENTS:
            known = set(urllib.parse.parse_qs(registered))
            for query, names_read in zip(queries, readings):
                asked = urllib.parse.urlencode({"response_type": "code", "client_id": client,
                                                "redirect_uri": uri + query})
                answer = connection.request("/oauth/authorize", asked, extra=[("HTTP_HOST", "app.svc.example")])
                def is_taken(names_read, known=known):
                    return any(is_of_the_answer(name) or name in known for name in names_read)
                refused = answer.status == 400 if is_taken(read_by_rack(query)) else is_taken(names_read)
                refused = refused or is_taken(names_read)
                assert answer.status == (400 if refused else 200), (uri + query, names_read, answer.status)
                if refused:
                    assert b"extra parameter" in answer.body, query
                counts[refused] += 1
    assert min(counts.values()) > 300, counts
