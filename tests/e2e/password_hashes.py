"""A catalog with hashes in place of passwords. svcctl computes 0.2 s for each password of a catalog: with the four of the
demonstration catalog, more than all else that a test starts. So each is hashed once per build folder."""

import hashlib
import json
import os
import secrets


def hash_of(password, folder):
    """Returns the stored hash, in the form of worker/base/password_hash.h."""
    kept = folder / hashlib.sha256(password.encode()).hexdigest()
    if not kept.exists():
        salt = secrets.token_bytes(16)
        computed = hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=5, maxmem=64 << 20, dklen=32)
        folder.mkdir(exist_ok=True)
        written = folder / secrets.token_hex(8)
        written.write_text(f"scrypt$14$8$5${salt.hex()}${computed.hex()}")
        os.replace(written, kept)  # another process may read it now
    return kept.read_text()


def hashed(catalog, folder):
    """Returns the lines of the catalog; those without a password as they are."""
    def line(text):
        record = json.loads(text) if '"password"' in text else {}
        if "password" not in record:
            return text
        record["password_hash"] = hash_of(record.pop("password"), folder)
        return json.dumps(record) + "\n"

    return [line(text) for text in catalog.splitlines(keepends=True)]
