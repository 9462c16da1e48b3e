"""redis: commands that have a simple answer, many of them in one trip."""

import socket


class Redis:
    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(str(path))
        self.connection.settimeout(60)
        self.answers = self.connection.makefile("rb")

    def commands(self, commands):
        out = bytearray()
        for words in commands:
            out += b"*%d\r\n" % len(words)
            for word in words:
                word = word if isinstance(word, bytes) else str(word).encode()
                out += b"$%d\r\n%s\r\n" % (len(word), word)
        self.connection.sendall(out)
        return [self._answer() for _ in commands]

    def command(self, *words):
        return self.commands([words])[0]

    def _answer(self):
        line = self.answers.readline().decode().rstrip("\r\n")
        if not line or line[0] == "-":
            raise OSError(f"Redis: {line or 'closed'}")
        if line[0] == "$":
            size = int(line[1:])
            return self.answers.read(size + 2)[:size].decode() if size >= 0 else None
        return line[1:]
