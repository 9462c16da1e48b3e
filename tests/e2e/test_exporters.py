"""Debian's exporters and Prometheus on a booted machine, set up with the commands of systemd/README.md: the shipped
scraping has every metric that alerts and dashboard use of them, and the alerts see what happens."""

import collections
import json
import re
import urllib.parse

import pytest

import readme
from deployed import booted, is_running, redis
from processes import wait_until
from test_monitoring import ALERTS, EXPRESSIONS

EXPORTERS = ("prometheus-node-exporter", "prometheus-redis-exporter", "prometheus-blackbox-exporter")
# A certificate that ends in ten days, and a site that has it.
SITE = """
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 10 -subj /CN=embed.svc.example \
  -addext subjectAltName=DNS:embed.svc.example -keyout /srv/key.pem -out /usr/local/share/ca-certificates/svc.crt
update-ca-certificates
cat >/etc/nginx/conf.d/tls.conf <<'END'
server {
    listen 443 ssl;
    server_name embed.svc.example;
    ssl_certificate /usr/local/share/ca-certificates/svc.crt;
    ssl_certificate_key /srv/key.pem;
    return 200;
}
END
systemctl restart nginx
"""


def ask(machine, path, **query):
    """Returns what Prometheus has, as parsed JSON."""
    said = machine.run("curl", "-sS", f"http://127.0.0.1:9090/api/v1/{path}?{urllib.parse.urlencode(query)}").stdout
    answer = json.loads(said)
    assert answer["status"] == "success", said
    return answer["data"]


def raised(machine, alert):
    """Whether its expression is true now, without the time for which it has to be."""
    return ask(machine, "query", query=ALERTS[alert]["expr"])["result"]


def set_up(machine):
    """By the document's commands."""
    commands = readme.commands("systemd/README.md", "Alerts")
    apt, *others = commands
    assert apt.startswith("apt install ") and all(name in apt for name in EXPORTERS)
    for command in others:
        # The shipped example, but once a second.
        if command.startswith("editor "):
            command = "sed -i 's/scrape_interval: .*/scrape_interval: 1s/' /etc/prometheus/prometheus.yml"
        machine.run("sh", "-ec", command)


@pytest.fixture(scope="module")
def watched(booted):
    booted.run("sh", "-ec", SITE)
    set_up(booted)
    for unit in ("prometheus", *EXPORTERS):
        booted.wait_for(unit, "runs", is_running)
    wait_until(lambda: booted.run("curl", "-sf", "http://127.0.0.1:9090/-/ready", check=False).returncode == 0,
               "Prometheus is ready")
    wait_until(lambda: len(ask(booted, "query", query="up == 1")["result"]) == 9, "it scrapes everything")
    return booted


def test_operations_P66_every_metric_of_an_exporter_that_is_used_exists(watched):
    used = {name for _, expression in EXPRESSIONS
            for name in re.findall(r"\b(?:node|redis|probe)_[a-z_]+", expression)}
    found = lambda: set(ask(watched, "label/__name__/values"))
    # Only a replica has it.
    wait_until(lambda: used - found() == {"redis_master_link_up"}, "all are there")
    with_labels = ask(watched, "query", query='node_systemd_unit_state{name="svc-ingest.service",state="active"} == 1 '
                                              'or redis_memory_max_bytes{store=~"state|cache"} > 0')["result"]
    assert len(with_labels) == 3, with_labels


def test_operations_P66_a_replica_has_its_metrics(watched):
    password = watched.path("/etc/svc/redis-monitoring.password").read_text().strip()
    server = watched.start("redis-server", "--port", "7000", "--save", "", "--replicaof", "127.0.0.1", "7001")
    try:
        wait_until(lambda: watched.run("redis-cli", "-p", "7000", "ping", check=False).stdout == "PONG\n", "it runs")
        watched.run("redis-cli", "-p", "7000", "acl", "setuser", "monitoring", "on", f">{password}", "+@all")
        metrics = watched.run("curl", "-sS", "http://127.0.0.1:9121/scrape?target=redis://127.0.0.1:7000").stdout
        assert re.search(r"(?m)^redis_master_link_up\{.*\} 0$", metrics), metrics
    finally:
        watched.run("redis-cli", "-p", "7000", "shutdown", "nosave", check=False)
        server.wait()


def test_operations_P66_operations_P70_operations_P72_alerts_see_what_happens(watched):
    alerts = ("SvcExporterAway", "SvcIngestAway", "SvcDisk", "SvcRedisMemory", "SvcReplica", "SvcBackup", "SvcUploadsWait",
              "SvcCourierAway", "SvcKeeperAway")
    wait_until(lambda: not any(raised(watched, alert) for alert in alerts), "no alert is raised")  # as below
    assert 9 < float(raised(watched, "SvcCertificate")[0]["value"][1]) < 10
    settings = "/etc/svc/redis-state.conf"
    # Less than it takes after a restart: connections take memory too, at first fewer.
    least = int(re.search(r"used_memory_startup:(\d+)", redis(watched, "monitoring", "INFO", "memory"))[1])
    for alert, begin, end in (
            ("SvcIngestAway", "systemctl stop svc-ingest", "systemctl start svc-ingest"),
            ("SvcKeeperAway", "systemctl stop svc-keeper", "systemctl start svc-keeper"),
            ("SvcCourierAway", "systemctl stop svc-courier", "systemctl start svc-courier"),
            ("SvcDisk", "mount -t tmpfs -o size=1m tmpfs /var/lib/svc/media && head -c 1000000 /dev/zero "
             ">/var/lib/svc/media/full", "umount /var/lib/svc/media"),
            ("SvcDisk", "mount -t tmpfs -o ro tmpfs /var/lib/svc/media", "umount /var/lib/svc/media"),
            ("SvcRedisMemory", f"cp {settings} /srv/ && echo 'maxmemory {least}' >>{settings} && "
             "systemctl restart svc-redis-state", f"cp /srv/redis-state.conf {settings} && systemctl restart svc-redis-state"),
            ("SvcExporterAway", "systemctl stop svc-redis-cache", "systemctl start svc-redis-cache"),
            ("SvcExporterAway", "systemctl stop prometheus-node-exporter", "systemctl start prometheus-node-exporter"),
            ("SvcUploadsWait", "systemctl stop svc-ingest; REDISCLI_AUTH=$(cat /etc/svc/redis-svcctl.password) redis-cli --user "
             "svcctl -s /run/svc/redis-state/redis.sock RPUSH ingest:incoming $(seq 101)", "systemctl start svc-ingest"),
            # The state Redis is unavailable at the time of the backup.
            ("SvcBackup", "systemctl start svc-backup.timer && systemctl stop svc-redis-state && ! systemctl start svc-backup "
             "&& systemctl start svc-redis-state", "systemctl start svc-backup")):
        watched.run("sh", "-ec", begin)
        try:
            wait_until(lambda alert=alert: raised(watched, alert), f"{alert} is raised by {begin}")
        finally:
            watched.run("sh", "-ec", end)
        wait_until(lambda alert=alert: not raised(watched, alert), f"{alert} ends")


WITHOUT = {  # a missing part, how to remove and to restore it, and the machine's targets
    "nginx": ("systemctl mask --now nginx", "systemctl unmask nginx; systemctl start nginx", {"svc-machine": 1, "svc-redis": 2, "svc-uploads": 1}),
    "TLS": ("mv /etc/nginx/conf.d/tls.conf /srv/; systemctl restart nginx",
            "mv /srv/tls.conf /etc/nginx/conf.d/; systemctl restart nginx", {"svc": 4, "svc-machine": 1, "svc-redis": 2, "svc-uploads": 1}),
    "uploads": ("systemctl mask --now svc-worker@upload.socket svc-worker@upload.service svc-ingest",
                "systemctl unmask svc-worker@upload.socket svc-worker@upload.service svc-ingest; systemctl start svc.target",
                {"svc": 3, "svc-machine": 1, "svc-redis": 2, "svc-uploads": 1, "svc-tls": 1}),
    "the state": ("systemctl mask --now svc-redis-state", "systemctl unmask svc-redis-state; systemctl start svc-redis-state",
                  {"svc": 4, "svc-machine": 1, "svc-redis": 1, "svc-tls": 1}),
}


@pytest.mark.parametrize("part", WITHOUT)
def test_operations_P71_a_machine_is_watched_without_alerts_about_missing_parts(watched, part):
    begin, end, wanted = WITHOUT[part]
    watched.run("sh", "-ec", f"systemctl stop prometheus; rm -rf /var/lib/prometheus/metrics2; {begin}")
    try:
        set_up(watched)

        def targets():
            done = watched.run("curl", "-sf", "http://127.0.0.1:9090/api/v1/targets", check=False)
            return json.loads(done.stdout)["data"]["activeTargets"] if done.returncode == 0 else []
        found = wait_until(lambda: (now := targets()) and all(one["health"] != "unknown" for one in now) and now, "it scrapes")
        assert collections.Counter(one["labels"]["job"] for one in found) == wanted
        wait_until(lambda: len(ask(watched, "query", query="up")["result"]) == len(found), "it has each")
        # On a busy machine a scrape sometimes takes too long; such an alert ends again.
        wait_until(lambda: not any(raised(watched, alert) for alert in ("SvcPoolAway", "SvcExporterAway")), "no alert is raised")
    finally:
        watched.run("sh", "-ec", end)
