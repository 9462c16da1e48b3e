#!/usr/bin/python3
"""functions.py OUT FILE…: makes of the .lua files of the stores the library of functions that Redis runs, and the C++ that calls
them. See worker/README.md, "A function that Redis runs".

A file has functions (`function functions.NAME(…)`), helpers (`local function`) and constants (`local NAME = 'text'` or a
number), which both sides have unless they have a backslash. Above a function stand a description and:

    keys: NAME KIND [KIND…], …     its first parameters: keys, of one of these kinds (worker/stores/kinds.h). A last `NAME...`
                                   is a table of all further keys. KIND/USER[/USER…]: only they may call it with such a key
    begins: NAME KIND, …           parameters with which keys of that kind begin, made longer in the function
    list: NAME                     its last parameter, a table of all further arguments
    reply: SHAPE                   worker/redis/reply_shape.h
    users: NAME…                   the users of Redis that may call it
    flags: allow-oom | no-writes   of Redis: it only frees memory; it only reads

What it does with its keys follows from its `redis.call`s: a command's key is a parameter, or begins with one. So the rights of
the users, too, follow from the files. Writes below OUT: stores/…/FILE.lua.h, stores/function_table.h, function_library.cpp."""

import re
import sys
from pathlib import Path

# The newest protocol, and the oldest that the library also serves: one more when a function that the version before has gets
# or loses an argument or a meaning. A version's workers end long before the next one's successor.
NEWEST, OLDEST = 1, 1

FUNCTION = re.compile(r"(?m)^(?P<comment>(?:--[^\n]*\n)*)(?P<head>local function (?P<helper>\w+)|function functions\.(?P<name>\w+))"
                      r"\((?P<parameters>[^)]*)\)\n(?P<body>(?:(?!end\n).*\n)*)end\n")
CONSTANT = re.compile(r"(?m)^local (?P<name>[A-Z][A-Z_0-9]*) = (?:'(?P<text>[^'\n]*)'|(?P<number>\d+))(?: *--.*)?$")
SEVERAL_KEYS = {"DEL", "UNLINK", "EXISTS", "MGET"}
TAGS = ("keys", "begins", "list", "reply", "users", "flags")


class Wrong(Exception):
    pass


def arguments_of(text, start):
    """The arguments of a call whose first one begins at `start`."""
    depth, quoted, found, begin = 0, "", [], start
    for at in range(start, len(text)):
        one = text[at]
        if quoted:
            quoted = "" if one == quoted else quoted
        elif one in "'\"":
            quoted = one
        elif one in "([{":
            depth += 1
        elif one in ")]}" and depth:
            depth -= 1
        elif one == ")":
            return [*found, text[begin:at].strip()]
        elif one == "," and not depth:
            found.append(text[begin:at].strip())
            begin = at + 1
    raise Wrong("a call that does not end")


def uses(body):
    """{(name with which the key begins, command)} of a function's body."""
    found = set()
    for call in re.finditer(r"redis\.p?call\(", body):
        command, *keys = arguments_of(body, call.end())
        if not re.fullmatch(r"'[A-Z]+'", command):
            raise Wrong(f"a command is a literal in upper case: {command}")
        command = command.strip("'")
        for key in keys if command in SEVERAL_KEYS else keys[:1]:
            name = re.match(r"(?:unpack\()?([A-Za-z_]\w*)", key)
            if not name:
                raise Wrong(f"the key of {command} does not begin with a parameter: {key}")
            found.add((name[1], command.lower()))
    return found


def pascal(name):
    return "".join(part.capitalize() for part in name.split("_"))


class Function:
    def __init__(self, match):
        self.name = match["name"]
        self.parameters = [each.strip() for each in match["parameters"].split(",") if each.strip()]
        lines = [line.removeprefix("--").removeprefix(" ") for line in match["comment"].splitlines()]
        tags, self.words = {}, []
        for line in lines:
            tag, _, value = line.partition(": ")
            if tag in TAGS:
                tags[tag] = value.strip()
            elif tags and line.startswith("  "):
                tags[list(tags)[-1]] += " " + line.strip()
            else:
                self.words.append(line)
        for tag in ("reply", "users"):
            if tag not in tags:
                raise Wrong(f"it lacks '{tag}:'")
        self.reply, self.users = tags["reply"], tags["users"].split()
        self.flags = tags.get("flags", "").split()
        self.kinds = {}
        self.only = {}  # kind → users
        self.keys = [self._kinds(each) for each in tags.get("keys", "").split(",") if each.strip()]
        self.begins = [self._kinds(each) for each in tags.get("begins", "").split(",") if each.strip()]
        self.more_keys = next((key.removesuffix("...") for key in self.keys if key.endswith("...")), None)
        self.keys = [key for key in self.keys if not key.endswith("...")]
        self.list = tags.get("list")
        front = [*self.keys, *([self.more_keys] if self.more_keys else [])]
        if self.parameters[:len(front)] != front:
            raise Wrong(f"its first parameters are not its keys: {', '.join(front)}")
        self.arguments = self.parameters[len(front):]
        if self.list:
            if self.arguments[-1:] != [self.list]:
                raise Wrong(f"its last parameter is not {self.list}")
            self.arguments.pop()
        if unknown := set(self.begins) - set(self.arguments):
            raise Wrong(f"no parameters: {', '.join(unknown)}")
        self.body = match["body"]

    def _kinds(self, text):
        name, *kinds = text.split()
        if not kinds:
            raise Wrong(f"{name} has no kind")
        for kind in kinds:
            kind, *only = kind.split("/")
            if unknown := set(only) - set(self.users):
                raise Wrong(f"no users: {', '.join(unknown)}")
            self.only[kind] = self.only.get(kind, set()) | set(only or self.users)
        self.kinds[name.removesuffix("...")] = [kind.partition("/")[0] for kind in kinds]
        return name

    def rights(self, helpers):
        """{kind: commands}"""
        found, seen = set(uses(self.body)), set()
        waiting = [self.body]
        while waiting:
            text = waiting.pop()
            for name, body in helpers.items():
                if name not in seen and re.search(rf"\b{name}\(", text):
                    seen.add(name)
                    waiting.append(body)
                    found |= uses(body)
        commands = {kind: set() for kinds in self.kinds.values() for kind in kinds}
        for name, command in found:
            if name not in self.kinds:
                raise Wrong(f"{command.upper()} has a key that begins with {name}, which is no key of it")
            for kind in self.kinds[name]:
                commands[kind].add(command)
        for name in (*self.keys, *([self.more_keys] if self.more_keys else [])):
            if not any(used == name for used, _ in found):
                raise Wrong(f"nothing uses its key {name}")
        return commands

    def rows(self):
        """(users, what they may do with keys) of each set of users that may do the same."""
        found = {}
        for user in self.users:
            keys = "; ".join(" ".join([kind, *sorted(commands)]) for kind, commands in self.commands.items() if user in self.only[kind])
            found.setdefault(keys, []).append(user)
        return [(" ".join(users), keys) for keys, users in found.items()]

    def lua(self):
        words = [f"keys[{at}]" for at in range(1, len(self.keys) + 1)]
        if self.more_keys:
            words.append(f"rest(keys, {len(self.keys) + 1})")
        words += [f"arguments[{at}]" for at in range(2, len(self.arguments) + 2)]
        if self.list:
            words.append(f"rest(arguments, {len(self.arguments) + 2})")
        flags = ", ".join(f"'{flag}'" for flag in self.flags)
        return (f"offer('{self.name}', {{{flags}}}, function(keys, arguments)\n"
                f"  return functions.{self.name}({', '.join(words)})\nend)\n")

    def cpp(self):
        count = f"{len(self.keys)} + {self.more_keys}.size()" if self.more_keys else str(len(self.keys))
        more = f"{len(self.arguments)} + {self.list}.size()" if self.list else str(len(self.arguments))
        lines = [f"    redis::FunctionCall made(\"{self.name}\", \"{self.reply}\", {count}, {more}, {NEWEST});"]
        members = []
        for number, name in enumerate(self.parameters):
            if number == len(self.parameters) - len(self.arguments) - bool(self.list):
                lines.append("    made.end_keys();")
            is_list = name in (self.more_keys, self.list)
            members.append(f"  {'std::vector<redis::Argument>' if is_list else 'redis::Argument'} {name};")
            lines.append(f"    made.add(std::move({name}));")
        if not self.arguments and not self.list:
            lines.append("    made.end_keys();")
        return "\n".join([*(f"// {line}".rstrip() for line in self.words), f"struct {pascal(self.name)} {{", *members,
                          "  redis::FunctionCall call() && {", *lines, "    return made;", "  }", "};", ""])


def read(path, root):
    text = path.read_text(encoding="utf-8")
    functions, helpers = [], {}
    for match in FUNCTION.finditer(text):
        line = text.count("\n", 0, match.start("head")) + 1
        try:
            if match["helper"]:
                helpers[match["helper"]] = match["body"]
            else:
                functions.append(Function(match))
                functions[-1].commands = functions[-1].rights(helpers)
        except Wrong as error:
            raise Wrong(f"{path.relative_to(root)}:{line}: {match['name'] or match['helper']}: {error}") from None
    if len(functions) + len(helpers) != len(re.findall(r"(?m)^(?:local )?function ", text)):
        raise Wrong(f"{path.relative_to(root)}: a function does not end with `end` at the begin of a line")
    constants = [(match["name"], match["text"], match["number"]) for match in CONSTANT.finditer(text)
                 if "\\" not in (match["text"] or "")]
    return text, functions, constants


def constant(name, text, number):
    spelled = f"k{pascal(name.lower())}"
    if number:
        return f"inline constexpr std::int64_t {spelled} = {number};"
    return f"inline constexpr std::string_view {spelled} = R\"lua({text})lua\";"


LIBRARY = """#!lua name=svc
local function rest(all, first)
  local found = {{}}
  for i = first, #all do found[#found + 1] = all[i] end
  return found
end
local function offer(name, flags, run)
  redis.register_function{{function_name = name, flags = flags, callback = function(keys, arguments)
    local protocol = tonumber(arguments[1])
    if not protocol or protocol < {oldest} or protocol > {newest} then
      return redis.error_reply('PROTOCOL the functions in this Redis serve {oldest} to {newest}, not ' .. tostring(arguments[1]))
    end
    return run(keys, arguments)
  end}}
end
offer('protocol', {{'no-writes'}}, function() return {newest} end)
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    # A file that stays the same compiles nothing again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(out, *files):
    root = Path(__file__).resolve().parents[1]
    library = LIBRARY.format(oldest=OLDEST, newest=NEWEST)
    rows, names = [], set()
    for file in sorted(map(Path, files)):
        text, functions, constants = read(file, root)
        library += f"do\nlocal functions = {{}}\n{text}" + "".join(each.lua() for each in functions) + "end\n"
        write(out / f"{file.relative_to(root)}.h", "\n".join([
            f"// Made by worker/stores/functions.py of worker/{file.relative_to(root)}.", "#pragma once", "",
            "#include <cstdint>", "#include <string_view>", "#include <utility>", "#include <vector>", "",
            '#include "redis/function.h"', "",
            "namespace svc::stores::functions {", "",
            *(constant(*each) for each in constants), "", *(each.cpp() for each in functions),
            "}  // namespace svc::stores::functions", ""]))
        for each in functions:
            if each.name in names:
                raise Wrong(f"{file.relative_to(root)}: there is another {each.name}")
            names.add(each.name)
            rows += [f'    {{"{each.name}", "{users}", "{keys}"}},' for users, keys in each.rows()]
    write(out / "stores/function_table.h", "\n".join([
        "// Made by worker/stores/functions.py: every function that Redis runs for us.", "#pragma once", "",
        "#include <array>", "#include <string_view>", "", "namespace svc::stores::functions {", "",
        "// What this version asks for. The library of the next one serves it, too.",
        f"inline constexpr unsigned kProtocol = {NEWEST};", "",
        "struct Row {", "  std::string_view name;", "  std::string_view users;",
        '  std::string_view keys;  // "KIND COMMAND…; KIND COMMAND…"', "};", "",
        "inline constexpr auto kFunctions = std::to_array<Row>({", *rows, "});", "",
        "}  // namespace svc::stores::functions", ""]))
    # A literal of the language holds at most 64 KiB, also of several parts.
    parts = re.findall(r"(?s).{1,8000}", library)
    write(out / "function_library.cpp", "\n".join([
        '#include "stores/functions.h"', "", "#include <string>", "", "namespace svc::stores::functions {", "",
        "std::string_view library() {", "  static const std::string kAll = [] {", "    std::string all;",
        *(f'    all += R"lua({part})lua";' for part in parts), "    return all;", "  }();", "  return kAll;", "}", "",
        "}  // namespace svc::stores::functions", ""]))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), *sys.argv[2:])
    except Wrong as error:
        sys.exit(str(error))
