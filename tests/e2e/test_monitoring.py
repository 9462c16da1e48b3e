"""The dashboard and the alerts of systemd/monitoring/: the pools export every metric that they use, Prometheus accepts
every expression, and each alert fires in its situation only. Rule operations-P9."""

import json
import os
import re
import signal
import subprocess

import pytest
import yaml

import documents
import stack as stacks
from oembed_asking import VIDEO_QUERY
from processes import wait_until
from shipped_nginx import printed
from stack import REPOSITORY, ROLES
from test_status import SAMPLE, SUFFIXES, has_sock_diag
from uploads import ACCOUNT, Application, form

MONITORING = REPOSITORY / "systemd" / "monitoring"
ALERTS = {rule["alert"]: rule for rule in
          yaml.safe_load((MONITORING / "svc-alerts.yml").read_text())["groups"][0]["rules"]}
DASHBOARD = json.loads((MONITORING / "svc-dashboard.json").read_text())
PANELS = [(f"{panel['title']} {target['refId']}", target["expr"])
          for panel in DASHBOARD["panels"] for target in panel["targets"]]
EXPRESSIONS = [*PANELS, *((name, rule["expr"]) for name, rule in ALERTS.items())]

METRIC = re.compile(r"\b(svc_[a-z_]+|up|(?:node|redis|probe)_[a-z_]+)\b(?:\{([^}]*)\})?")
# Metrics of Prometheus itself, and of exporters: test_exporters.py.
NOT_OURS = {name: {"job", "instance", "pool", "key"} for _, expression in EXPRESSIONS
            for name, _ in METRIC.findall(expression) if not name.startswith("svc_")}


def promtool(*words, directory=MONITORING):
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True, timeout=stacks.PATIENCE,
                          cwd=directory)


@pytest.fixture(scope="module")
def scraped(module_stack):
    """Name → labels → values, over all pools, after events that set each metric."""
    module_stack.import_catalog()
    nginx = module_stack.start_shipped_nginx()
    found = {}
    for role in ROLES:
        pool = module_stack.start_pool(role, roles=role, workers=2, deaths_expected=True, bytes_per_account=1)
        if role == "grant":
            application = Application(module_stack, nginx)
            module_stack.redis_state.command("ZADD", f"ingest:bytes:{ACCOUNT}", 2, "large00001")
            assert application.post(form({}, "film.mp4", b"film")).status == 507
        if role == "embed":
            assert pool.request("/oembed", VIDEO_QUERY).status == 200
            assert pool.request("/oembed", VIDEO_QUERY.replace("l4unchf1lm", "qu3u3d0001")).status == 501
        (victim, *_) = pool.workers()
        os.kill(victim, signal.SIGKILL)
        pool.wait_for("worker.died")
        # A worker counts a request after its response.
        text = wait_until(lambda: (now := pool.request("/metrics").body.decode())  # pylint: disable=W0640
                          and 'endpoint="/metrics",status="2xx"' in now and now, "the page counts its own requests")
        assert text.endswith("# EOF\n")
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels, _ = SAMPLE.fullmatch(line).groups()
                for label, value in re.findall(r'([a-z]+)="([^"]*)"', labels):
                    found.setdefault(name, {}).setdefault(label, set()).add(value)
            elif line.startswith("# TYPE"):
                for suffix in SUFFIXES[line.split()[3]]:
                    found.setdefault(line.split()[2] + suffix, {})
    if not has_sock_diag():  # the listen queue is unknown on this machine
        for name in ("svc_listen_queue", "svc_max_listen_queue", "svc_listen_queue_length"):
            found[name] = {"pool": {"embed"}}
    return found


@pytest.mark.parametrize("what, expression", EXPRESSIONS, ids=[each[0] for each in EXPRESSIONS])
def test_operations_P9_every_metric_and_label_in_an_expression_exists(scraped, what, expression):
    named = METRIC.findall(expression)
    assert named, what
    for name, matchers in named:
        if name in NOT_OURS:
            continue
        assert name in scraped, f"{name}: there is no such metric"
        for label, value in re.findall(r'([a-z_]+)(?:=|!=|=~|!~)"([^"]*)"', matchers):
            assert label in scraped[name], f"{name} has no label {label}"
            for each in value.split("|"):
                assert each == "$pool" or each in scraped[name][label], f"{name}: {label} is never {each}"
    grouped = re.findall(r"\b(?:by|without) \(([a-z, ]+)\)", expression)
    known = {label for name, _ in named for label in scraped.get(name, NOT_OURS.get(name, ()))}
    assert {label for group in grouped for label in group.split(", ")} <= known | {"instance", "reason"}


def test_operations_P9_every_metric_is_on_the_dashboard(scraped):
    """A histogram counts by any of its parts."""
    text = " ".join(expression for _, expression in PANELS)
    part = "_(bucket|sum|count)"
    missing = [name for name in scraped if not re.search(rf"\b{re.sub(f'{part}$', '', name)}({part})?\b", text)]
    assert missing == []


def test_operations_P9_Prometheus_accepts_the_rules_and_the_example():
    for check in (("check", "rules", "svc-alerts.yml"), ("check", "config", "prometheus.yml")):
        done = promtool(*check)
        assert done.returncode == 0 and "SUCCESS" in done.stdout, done.stdout + done.stderr


def test_operations_P9_Prometheus_accepts_every_expression_of_the_dashboard(tmp_path):
    rules = [{"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "1m").replace("$pool", ".*")}
             for number, (_, expression) in enumerate(PANELS)]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    done = promtool("check", "rules", "rules.yml", directory=tmp_path)
    assert done.returncode == 0 and f"{len(PANELS)} rules found" in done.stdout, done.stdout + done.stderr


def test_the_dashboard_is_valid_for_Grafana():
    assert DASHBOARD["schemaVersion"] >= 30 and DASHBOARD["title"] and DASHBOARD["uid"]
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    places = [tuple(panel["gridPos"].values()) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    variables = {each["name"] for each in DASHBOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z]+)\b", json.dumps(DASHBOARD["panels"])))
    assert used <= variables


P = 'job="svc",instance="a",pool="grant"'
INGEST = 'instance="a",name="svc-ingest.service",state="active"'
KEEPER = 'instance="a",name="svc-keeper.service",state="active"'
COURIER = 'instance="a",name="svc-courier.service",state="active"'
BACKUP = 'instance="a",name="svc-backup'
DISK = 'instance="a",device="/dev/a",mountpoint="/var/lib/svc/media"'
# For each alert: series in promtool's notation (value+step x times, one per minute) that raise it, and series that do
# not.
RAISED = {
    "SvcPoolAway": ({f"up{{{P}}}": "0x60"}, {f"up{{{P}}}": "1x60"}),
    "SvcStoreAway": ({f'svc_store_workers{{{P},redis="catalog",store="away"}}': "1x60"},
                     {f'svc_store_workers{{{P},redis="state",store="away"}}': "0x60"}),
    "SvcWorkersMissing": (
        {f'svc_processes{{{P},state="idle"}}': "1x60", f'svc_processes{{{P},state="active"}}': "1x60",
         f'svc_processes{{{P},state="leaving"}}': "4x60", f"svc_workers{{{P}}}": "4x60"},
        {f'svc_processes{{{P},state="idle"}}': "3x60", f'svc_processes{{{P},state="active"}}': "1x60",
         f'svc_processes{{{P},state="leaving"}}': "4x60", f"svc_workers{{{P}}}": "4x60"}),
    "SvcWorkersDie": ({f'svc_worker_deaths_total{{{P},reason="KILL"}}': "0+1x60"},
                      {f'svc_worker_deaths_total{{{P},reason="KILL"}}': "5x60"}),
    "SvcWorkersBusy": ({f'svc_processes{{{P},state="active"}}': "4x60", f"svc_workers{{{P}}}": "4x60"},
                       {f'svc_processes{{{P},state="active"}}': "3x60", f"svc_workers{{{P}}}": "4x60"}),
    "SvcQueue": ({f"svc_listen_queue{{{P}}}": "300x60", f"svc_listen_queue_length{{{P}}}": "511x60"},
                 {f"svc_listen_queue{{{P}}}": "200x60", f"svc_listen_queue_length{{{P}}}": "511x60"}),
    "SvcRequestsEnded": ({f"svc_slow_requests_total{{{P}}}": "0+1x60"}, {f"svc_slow_requests_total{{{P}}}": "7x60"}),
    "SvcRequestsRefused": ({f"svc_refused_requests_total{{{P}}}": "0+1x60"},
                           {f"svc_refused_requests_total{{{P}}}": "7x60"}),
    "SvcErrors": ({f'svc_server_errors_total{{{P},endpoint="/a",status="503"}}': "0+1x60",
                   f'svc_server_errors_total{{{P},endpoint="/a",status="other"}}': "0+1x60",
                   f'svc_requests_total{{{P},endpoint="/a",status="5xx"}}': "0+2x60",
                   f'svc_requests_total{{{P},endpoint="/a",status="2xx"}}': "0+100x60"},
                  {f'svc_server_errors_total{{{P},endpoint="/a",status="other"}}': "0+2x60",
                   f'svc_server_errors_total{{{P},endpoint="/a",status="501"}}': "0+100x60",
                   f'svc_server_errors_total{{{P},endpoint="/a",status="507"}}': "0+100x60",
                   f'svc_requests_total{{{P},endpoint="/a",status="5xx"}}': "0+102x60",
                   f'svc_requests_total{{{P},endpoint="/a",status="2xx"}}': "0+1000x60"}),
    "SvcSlow": ({f'svc_request_duration_seconds_bucket{{{P},endpoint="/a",le="0.1"}}': "0+50x60",
                 f'svc_request_duration_seconds_bucket{{{P},endpoint="/a",le="1"}}': "0+100x60",
                 f'svc_request_duration_seconds_bucket{{{P},endpoint="/a",le="+Inf"}}': "0+100x60"},
                {f'svc_request_duration_seconds_bucket{{{P},endpoint="/a",le="0.1"}}': "0+100x60",
                 f'svc_request_duration_seconds_bucket{{{P},endpoint="/a",le="+Inf"}}': "0+100x60",
                 'svc_request_duration_seconds_bucket{pool="web",endpoint="/login",le="0.1"}': "0+0x60",
                 'svc_request_duration_seconds_bucket{pool="web",endpoint="/login",le="+Inf"}': "0+9x60"}),
    # The fast store does not hide the slow store.
    "SvcStoreSlow": ({f'svc_store_trip_seconds_bucket{{{P},redis="catalog",le="0.05"}}': "0+50x60",
                      f'svc_store_trip_seconds_bucket{{{P},redis="catalog",le="+Inf"}}': "0+100x60",
                      f'svc_store_trip_seconds_bucket{{{P},redis="state",le="0.05"}}': "0+90000x60",
                      f'svc_store_trip_seconds_bucket{{{P},redis="state",le="+Inf"}}': "0+90000x60"},
                     {f'svc_store_trip_seconds_bucket{{{P},redis="state",le="0.01"}}': "0+100x60",
                      f'svc_store_trip_seconds_bucket{{{P},redis="state",le="+Inf"}}': "0+100x60"}),
    "SvcUploadsRefused": ({f'svc_server_errors_total{{{P},endpoint="/v1/medias",status="507"}}': "0+1x60"},
                          {f'svc_server_errors_total{{{P},endpoint="/v1/medias",status="507"}}': "7x60",
                           f'svc_server_errors_total{{{P},endpoint="/v1/medias",status="503"}}': "0+1x60"}),
    "SvcExporterAway": ({'up{job="svc-machine",instance="a"}': "0x60"},
                        {'up{job="svc-machine",instance="a"}': "1x60", 'up{job="other",instance="a"}': "0x60",
                         "redis_up": "1x60", "probe_success": "1x60"}),
    "SvcIngestAway": ({f"node_systemd_unit_state{{{INGEST}}}": "0x60"},
                      {f"node_systemd_unit_state{{{INGEST}}}": "1x60"}),
    "SvcKeeperAway": ({f"node_systemd_unit_state{{{KEEPER}}}": "0x60"},
                      {f"node_systemd_unit_state{{{KEEPER}}}": "1x60", f"node_systemd_unit_state{{{INGEST}}}": "0x60"}),
    "SvcCourierAway": ({f"node_systemd_unit_state{{{COURIER}}}": "0x60"},
                       {f"node_systemd_unit_state{{{COURIER}}}": "1x60", f"node_systemd_unit_state{{{INGEST}}}": "0x60"}),
    "SvcViewsDropped": ({f'svc_viewing_dropped_total{{{P},reason="ticket"}}': "0+12x60",
                         f"svc_viewing_counted_total{{{P}}}": "0+100x60"},
                        {f'svc_viewing_dropped_total{{{P},reason="ticket"}}': "0+9x60",
                         f'svc_viewing_dropped_total{{{P},reason="bot"}}': "0+900x60",
                         f'svc_viewing_dropped_total{{{P},reason="privacy"}}': "0+900x60",
                         f"svc_viewing_counted_total{{{P}}}": "0+100x60"}),
    "SvcUploadsWait": ({'redis_key_size{key="ingest:jobs"}': "90x60", 'redis_key_size{key="ingest:incoming"}': "11x60"},
                       {'redis_key_size{key="ingest:jobs"}': "90x60", 'redis_key_size{key="ingest:incoming"}': "10x60"}),
    "SvcDisk": ({f"node_filesystem_avail_bytes{{{DISK}}}": "9x60", f"node_filesystem_size_bytes{{{DISK}}}": "100x60"},
                {f"node_filesystem_avail_bytes{{{DISK}}}": "11x60", f"node_filesystem_size_bytes{{{DISK}}}": "100x60",
                 f"node_filesystem_files_free{{{DISK}}}": "11x60", f"node_filesystem_files{{{DISK}}}": "100x60",
                 f"node_filesystem_readonly{{{DISK}}}": "0x60",
                 'node_filesystem_avail_bytes{mountpoint="/boot"}': "0x60",
                 'node_filesystem_size_bytes{mountpoint="/boot"}': "100x60"}),
    "SvcRedisMemory": ({'redis_memory_used_bytes{store="catalog"}': "81x60",
                        'redis_memory_max_bytes{store="catalog"}': "100x60"},
                       {'redis_memory_used_bytes{store="state"}': "79x60", 'redis_memory_max_bytes{store="state"}': "100x60",
                        'redis_memory_used_bytes{store="cache"}': "99x60",
                        'redis_memory_max_bytes{store="cache"}': "100x60"}),
    "SvcReplica": ({'redis_connected_slaves{store="catalog"}': "2x30 1x30"},
                   {'redis_connected_slaves{store="state"}': "0x30 2x30", 'redis_master_link_up{store="state"}': "1x60"}),
    "SvcCertificate": ({"probe_ssl_earliest_cert_expiry": "1200000x60"}, {"probe_ssl_earliest_cert_expiry": "1220000x60"}),
    "SvcBackup": ({f"node_systemd_unit_state{{{BACKUP}.service\",state=\"failed\"}}": "1x60",
                   f"node_systemd_unit_state{{{BACKUP}.timer\",state=\"active\"}}": "1x60"},
                  {f"node_systemd_unit_state{{{BACKUP}.service\",state=\"failed\"}}": "1x60",
                   f"node_systemd_unit_state{{{BACKUP}.timer\",state=\"active\"}}": "0x60",
                   f"node_systemd_timer_last_trigger_seconds{{{BACKUP}.timer\"}}": "0x60"}),
    "SvcReloadFailed": ({f"svc_last_reload_successful{{{P}}}": "0x60"}, {f"svc_last_reload_successful{{{P}}}": "1x60"}),
    "SvcRestarts": ({f"svc_start_time_seconds{{{P}}}": "1000+60x60"}, {f"svc_start_time_seconds{{{P}}}": "1000x60"}),
}
# For values above the last finite bound promtool takes that bound, so the raising series needs a bound above 0.05.
RAISED["SvcStoreSlow"][0][f'svc_store_trip_seconds_bucket{{{P},redis="catalog",le="0.5"}}'] = "0+100x60"


def test_every_alert_has_a_test():
    assert RAISED.keys() == ALERTS.keys()


def promtool_test(folder, alert, series, eval_time="40m"):
    """Returns whether it fires, and what promtool prints."""
    (folder / "test.yml").write_text(json.dumps({
        "rule_files": [str(MONITORING / "svc-alerts.yml")], "evaluation_interval": "1m",
        "tests": [{"interval": "1m",
                   "input_series": [{"series": name, "values": values} for name, values in series.items()],
                   "alert_rule_test": [{"eval_time": eval_time, "alertname": alert, "exp_alerts": []}]}]}))
    done = promtool("test", "rules", "test.yml", directory=folder)
    # The test expects no alert, so that promtool fails if an alert fires, and names it.
    return done.returncode != 0, done.stdout + done.stderr


@pytest.mark.parametrize("raised", [True, False], ids=["raised", "not raised"])
@pytest.mark.parametrize("alert", ALERTS)
def test_operations_P9_an_alert_fires_only_in_its_situation(tmp_path, alert, raised):
    series = RAISED[alert][0 if raised else 1]
    fires, said = promtool_test(tmp_path, alert, series)
    assert fires == raised, said
    if raised:
        assert f'alertname="{alert}"' in said and "{{" not in said, said
        assert ('pool="grant"' in said) == ("pool=" in next(iter(series))), said
        assert f'severity="{ALERTS[alert]["labels"]["severity"]}"' in said, said


def test_operations_P70_a_backup_is_overdue_two_days_after_the_last(tmp_path):
    series = {f"node_systemd_timer_last_trigger_seconds{{{BACKUP}.timer\"}}": "600x3000"}
    for eval_time, overdue in (("2880m", False), ("2900m", True)):
        fires, said = promtool_test(tmp_path, "SvcBackup", series, eval_time)
        assert fires == overdue, said


def test_the_README_explains_every_alert():
    (table,) = documents.tables(documents.tokens("systemd/README.md", "Alerts"))
    rows = {documents.codes(name)[0]: words.content for name, words, *_ in table}
    assert rows.keys() == ALERTS.keys() and all(len(words) > 40 for words in rows.values())


def test_the_example_scrapes_every_pool_at_its_path_in_nginx():
    job, *_ = yaml.safe_load((MONITORING / "prometheus.yml").read_text())["scrape_configs"]
    assert job["job_name"] == "svc" and job["honor_labels"]
    paths = {each["labels"]["pool"]: each["labels"]["__metrics_path__"] for each in job["static_configs"]}
    for role in ROLES:
        assert f"location = {paths.pop(role)} {{" in (REPOSITORY / "nginx" / "svc-server.conf").read_text()
    assert not paths
    host = {target.partition(":")[0] for each in job["static_configs"] for target in each["targets"]}
    assert host <= set(re.findall(r"server_name (.*);", printed("four")))
