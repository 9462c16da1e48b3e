"""A state with replicas, by the commands of systemd/README.md: booted machines with systemd on one network."""

import readme
from deployed import deployed, follow, redis, readme_commands
from processes import wait_until
from stack import CATALOG
from test_machines_deployed import ADDRESSES, OK, STEPS, add_fronts, answers, bare, check, copy, joined, three

SURVIVES = "A store that survives its machine"
MOVES = "Move the catalog to a Redis of its own"


def test_operations_Y23_sentinels_name_another_primary_and_every_service_follows():
    with three() as members:
        store, *fronts = members
        add_fronts(store, fronts)
        follow(store.machine, STEPS, 2)
        follow(store.machine, SURVIVES, 0)
        for front in fronts:
            copy(store.machine.path("/root/state.tar.gz"), front.machine.path("/etc/svc/state.tar.gz"))
            follow(front.machine, SURVIVES, 1)
        for member, address in zip(members, ADDRESSES):
            follow(member.machine, SURVIVES, 2, here=address)
        for member in members:
            follow(member.machine, SURVIVES, 3)
        for front in fronts:
            assert follow(front.machine, SURVIVES, 4) == OK

        def whole():
            said = store.machine.run("sh", "-ec", """export REDISCLI_AUTH=$(cat /etc/svc/redis-monitoring.password)
                redis-cli -h 10.0.0.10 -p 26379 --user monitoring sentinel ckquorum svc
                for one in 10.0.0.10 10.0.0.11 10.0.0.12; do
                    redis-cli -h $one -p 26379 --user monitoring info sentinel
                done
                redis-cli -h 10.0.0.10 --user monitoring info replication""").stdout
            # A Sentinel asks the primary every 10 s, and a failover leaves out a replica that it does not know.
            return "OK 3 usable Sentinels" in said and said.count("state=online") == 2 and said.count("slaves=2,") == 3
        wait_until(whole, "two replicas and three Sentinels know each other")
        check(fronts)
        password = store.machine.path("/etc/svc/redis-monitoring.password").read_text().strip()

        def takes_writes():
            said = fronts[0].machine.run("sh", "-c", f"""for one in 10.0.0.11 10.0.0.12; do
                REDISCLI_AUTH={password} redis-cli -h $one --user monitoring info replication
                done""", check=False).stdout
            return "role:master" in said and "state=online" in said
        # The machine of the primary loses its power.
        store.machine.end()
        wait_until(takes_writes, "the new primary has a replica, without which it takes no write")
        check(fronts)


def test_operations_Y23_the_catalog_moves_to_a_redis_of_its_own_by_the_commands():
    with deployed() as first, bare(1) as others, joined([*others, first]) as members:
        catalog, both = members
        before = redis(both.machine, "svcctl", "GET", "catalog:media:l4unchf1lm")
        assert before
        grant = redis(both.machine, "svcctl", "HSET", "oauth:grant:{1}", "consent", "x")
        assert grant == "1"
        follow(both.machine, MOVES, 0)
        copy(both.machine.path("/root/catalog.tar.gz"), catalog.machine.path("/srv/catalog.tar.gz"))
        follow(catalog.machine, MOVES, 1)
        # All but the last: it packs the files for a front machine.
        *commands, last = readme.script("systemd/README.md", STEPS, 0).strip().splitlines()
        assert "front.tar.gz" in last
        catalog.machine.run("sh", "-euc", "\n".join(commands))
        wait_until(lambda: redis(catalog.machine, "svcctl", "GET", "catalog:media:l4unchf1lm") == before, "the catalog is there")
        out = follow(both.machine, MOVES, 2)
        assert "of_catalog_in_state" in out, out
        check([both])
        for member, has, lacks in ((both, "oauth:grant:{1}", "catalog:media:l4unchf1lm"),
                                   (catalog, "catalog:media:l4unchf1lm", "oauth:grant:{1}")):
            assert redis(member.machine, "svcctl", "EXISTS", has) == "1"
            assert redis(member.machine, "svcctl", "EXISTS", lacks) == "0"
        assert both.machine.run("svcctl", "doctor").returncode == 0
        # Each is named where it is missed.
        catalog.machine.systemctl("stop", "svc-redis-state")
        wrong = both.machine.run("svcctl", "doctor", check=False).stdout
        assert "its stores: as user" in wrong and "redis-catalog: redis://10.0.0.10" in wrong, wrong


def test_operations_Y23_a_cluster_of_grants_is_made_by_the_commands_and_every_service_uses_it():
    with bare(len(ADDRESSES)) as machines, joined(machines) as members:
        *nodes, front = members
        for member in members:
            member.machine.run("sh", "-ec", "; ".join(readme_commands()[:3]))
        for user in ("replication", "cluster"):
            front.machine.run("sh", "-ec", f"umask 077; openssl rand -hex 32 >/etc/svc/redis-{user}.password")
        for node, address in zip(nodes, ADDRESSES):
            for file in front.machine.path("/etc/svc").glob("redis-*.password"):
                copy(file, node.machine.path(f"/etc/svc/{file.name}"))
            follow(node.machine, SURVIVES, 5, here=address)
        assert "All 16384 slots covered" in follow(nodes[0].machine, SURVIVES, 6)
        front.machine.path("/srv/catalog.jsonl").write_bytes(CATALOG.read_bytes())
        front.machine.path("/srv/password").write_text("a good long password\n")
        follow(front.machine, SURVIVES, 7)
        for command in readme_commands()[3:]:
            done = front.machine.run("sh", "-ec", f"cd /srv; {command}")
        assert done.stdout == OK
        front.machine.run("svcctl", "import", "/srv/catalog.jsonl")
        check([front])
        assert "cluster_enabled:1" in redis(nodes[0].machine, "monitoring", "INFO")
        assert "cluster_enabled:0" in redis(front.machine, "monitoring", "INFO")
