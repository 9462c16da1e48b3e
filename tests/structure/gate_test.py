"""The gate of records (worker/text/record_gate.h): no writer of a record is beside it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDS = "media|account|contact|project|playlist|client"
FUNCTION = re.compile(r"^[A-Za-z].*?^}", re.M | re.S)
# The key of a command or function that writes a value.
WRITE = re.compile(r'(?:"(?:SET|MSET|SETNX|GETSET)", |\b(?:replace|claim)\((?:context\.)?store\w*(?:\.redis)?, )([\w:.]+)')
# Writes values of `Pending` that pass the gate where they are made.
IMPORT = "worker/ctl/import/write.cpp"


def beside_the_gate(source):
    """The functions that write the key of a record, but encode no record."""
    found = []
    for function in FUNCTION.findall(source):
        of_records = set(re.findall(rf"(\w+) = (?:stores::)?keys::(?:{RECORDS})\(", function))
        written = {key for key in WRITE.findall(function) if key in of_records or re.search(rf"keys::(?:{RECORDS})$", key)}
        if written and not re.search(r"\bto_(?:record|store)\(", function):
            found.append(function)
    return found


def test_every_writer_of_a_record_passes_the_gate():
    writers = 0
    for path in sorted((ROOT / "worker").rglob("*.cpp")):
        source = path.read_text()
        assert beside_the_gate(source) == [], path
        writers += len(re.findall(r"\bto_(?:record|store)\(", source))
    assert writers > 20


def test_an_import_writes_only_what_passed_the_gate():
    values = re.findall(r"\bvalue = (.*?);", (ROOT / IMPORT).read_text(), re.S)
    assert len(values) == 3 and all(value.startswith("to_store(") for value in values)


def test_a_writer_beside_the_gate_is_found():
    writer = '''loop::Task<> f(redis::Store& store) {
  const std::string key = keys::media(id);
  redis::Store::Call call = store.command({"SET", key, text});
}
'''
    assert len(beside_the_gate(writer)) == 1
    assert beside_the_gate(writer.replace("text}", "to_record(media)}")) == []


def test_every_record_encodes_itself_by_the_gate():
    encoders = []
    for path in sorted((ROOT / "worker").rglob("*.cpp")):
        for body in re.findall(r"^std::string to_record\(.*?^}", path.read_text(), re.M | re.S):
            encoders.append(path.name)
            assert "text::pass_gate<" in body, path
    assert encoders == ["account.cpp", "account.cpp", "contact.cpp", "media.cpp", "playlist.cpp", "client.cpp"]
