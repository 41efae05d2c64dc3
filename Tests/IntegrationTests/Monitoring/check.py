"""Checks deploy/prometheus, deploy/grafana and docs/alerts.md against each other and against the programs.

check.py DEPLOY PROGRAMS: DEPLOY is the folder `deploy` of the repository, beside docs/ and docker-compose.yml; PROGRAMS the folder of tintype.
Prints a line for each breach, and exits 1 if there is one. promtool and amtool of Debian judge what is their own.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import promql_parser
import yaml

# Labels that Prometheus gives to each series, and metrics of its own.
TARGET_LABELS = {"job", "instance"}
OWN_METRICS = {"up": set(), "ALERTS": {"alertname", "alertstate", "severity"}}
OWN_WORDS = {"firing", "pending", "critical", "warning"}
# Labels whose values operators, clients or other files choose. All other values stand in the description of their metric.
FREE_LABELS = {"queue", "instance", "address"}
RATES = {"rate", "irate", "increase"}
SEVERITIES = {"critical", "warning"}

breaches = []


def need(truth, message):
    if not truth:
        breaches.append(message)


class Metrics:
    """The metrics that a rule or a panel may name: kind, labels and the words of its description by name."""

    def __init__(self, programs, folder):
        page = subprocess.run([programs / "tintype", "docs", "metrics"], capture_output=True, text=True, check=True, timeout=60).stdout
        self.known = {name: ("gauge", set(labels), OWN_WORDS) for name, labels in OWN_METRICS.items()}
        for name, kind, labels, text in re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*) \| (.*) \|$", page, re.M):
            labels, words = set(re.findall(r"`(\w+)`", labels)), set(re.findall(r"\w+", text))
            if kind == "histogram":
                self.known[f"{name}_bucket"] = ("counter", labels | {"le"}, words)
                self.known.update({f"{name}_{part}": ("counter", labels, words) for part in ("sum", "count")})
            else:
                self.known[name] = (kind, labels, words)
        need(len(self.known) > 50, f"tintype docs metrics names {len(self.known)} metrics")
        protocol = subprocess.run([programs / "tintype", "docs", "protocol"], capture_output=True, text=True, check=True, timeout=60).stdout
        self.values = {
            "method": set(re.findall(r"^#+ `?([a-z]+\.[a-zA-Z.]+)`?$", protocol, re.M)),
            "job": {job["job_name"] for job in yaml.safe_load((folder / "prometheus.yml").read_text())["scrape_configs"]},
            "alertname": {rule["alert"] for rule in groups(folder / "alerts.yml")},
        }
        for label, values in self.values.items():
            need(values, f"no value of the label {label} is known")

    def record(self, name, labels, words):
        self.known[name] = ("gauge", labels, words)

    def judge_value(self, name, matcher, place):
        """Complains about a value that no series of the metric can have, also within the alternatives of an expression."""
        # A variable of the board stands for values of the series themselves.
        if matcher.name in FREE_LABELS or "$" in matcher.value:
            return
        values = self.values.get(matcher.name, self.known[name][2])
        is_pattern = str(matcher.op) in ("MatchOp.Re", "MatchOp.NotRe")
        for part in matcher.value.split("|") if is_pattern else [matcher.value]:
            found = any(re.fullmatch(part, value) for value in values) if is_pattern else part in values
            need(found, f"{place}: {name} has no value {part} of the label {matcher.name}; its description names all values")


def children(node):
    """The parts of an expression, without those of matrix selectors."""
    kind = type(node).__name__
    if kind == "BinaryExpr":
        return [node.lhs, node.rhs]
    if kind == "Call":
        return list(node.args)
    if kind in ("AggregateExpr", "ParenExpr", "SubqueryExpr", "UnaryExpr"):
        return [node.expr]
    return []


def selectors(node, function=None):
    """(selector, the function that it is an argument of) of an expression."""
    kind = type(node).__name__
    if kind == "MatrixSelector":
        yield node.vector_selector, function
    elif kind == "VectorSelector":
        yield node, None
    for child in children(node):
        yield from selectors(child, node.func.name if kind == "Call" else None)


def judge(expression, metrics, place):
    """The labels of all metrics in an expression, and the words of their descriptions; complains about what is not there."""
    try:
        tree = promql_parser.parse(expression)
    except ValueError as error:
        breaches.append(f"{place}: {str(error).splitlines()[0]}: {expression}")
        return set(), set()
    found, known_words = set(TARGET_LABELS), set()
    for selector, function in selectors(tree):
        if selector.name not in metrics.known:
            breaches.append(f"{place}: there is no metric {selector.name}")
            continue
        kind, labels, words = metrics.known[selector.name]
        need(kind != "counter" or function in RATES or "> 0 unless" in expression,
             f"{place}: {selector.name} is a counter without rate or increase")
        need(kind != "gauge" or function not in RATES, f"{place}: {selector.name} is no counter, of which {function} is something")
        for matcher in selector.matchers.matchers:
            if matcher.name in labels | TARGET_LABELS:
                metrics.judge_value(selector.name, matcher, place)
            else:
                breaches.append(f"{place}: {selector.name} has no label {matcher.name}")
        found |= labels
        known_words |= words
    for words in re.findall(r"\b(?:by|on|without|ignoring) \(([^)]*)\)", expression):
        for label in filter(None, (word.strip() for word in words.split(","))):
            need(label in found, f"{place}: no metric there has the label {label}")
    return found, known_words


def groups(path):
    for group in yaml.safe_load(path.read_text())["groups"]:
        yield from group["rules"]


def rules(folder, metrics):
    for rule in groups(folder / "rules.yml"):
        name = rule["record"]
        _, words = judge(rule["expr"], metrics, name)
        labels, metric, _ = name.split(":")
        wanted = [] if labels == "tintype" else labels.split("_")
        by = [word.strip() for word in re.search(r"\bby \(([^)]*)\)", rule["expr"])[1].split(",")] if " by (" in rule["expr"] else wanted
        need(set(wanted) == set(by) - {"le"}, f"{name}: it is computed by {by}")
        need(metric.startswith("tintype_"), f"{name}: its middle is no metric")
        metrics.record(name, set(wanted), words)


def sections(page):
    """The sections of docs/alerts.md: headings with their lines."""
    return dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))


def alerts(folder, metrics, page):
    known, documented = {}, sections(page)
    for rule in groups(folder / "alerts.yml"):
        name = rule["alert"]
        known.setdefault(name, []).append(rule)
        labels, _ = judge(rule["expr"], metrics, name)
        annotations = rule["annotations"]
        need(rule["labels"]["severity"] in SEVERITIES, f"{name}: the severity is not one of {sorted(SEVERITIES)}")
        need(set(annotations) == {"summary", "description", "runbook"}, f"{name}: its annotations are {sorted(annotations)}")
        need(annotations.get("runbook") == f"docs/alerts.md#{name.lower()}", f"{name}: its runbook is not its section of docs/alerts.md")
        for label in re.findall(r"\$labels\.(\w+)", " ".join(annotations.values())):
            need(label in labels, f"{name}: its texts name the label {label}")
    for name, text in documented.items():
        need(name in known, f"docs/alerts.md: there is no alert {name}")
        for word in ("Meaning: ", "To do: "):
            need(re.search(f"^{word}", text, re.M), f"docs/alerts.md, {name}: no line begins with {word}")
    for name in known.keys() - documented.keys():
        breaches.append(f"{name}: docs/alerts.md has no section of it")
    return known


def inhibitions(folder, known):
    """While an alert is critical, its warning is silent: an inhibit rule compares the name and all labels of their series."""
    config = yaml.safe_load((folder / "alertmanager.yml").read_text())
    compared = {word for rule in config.get("inhibit_rules", []) if rule["source_matchers"] == ['severity="critical"']
                and rule["target_matchers"] == ['severity="warning"'] for word in rule["equal"]}
    for name, variants in known.items():
        if {rule["labels"]["severity"] for rule in variants} != SEVERITIES:
            continue
        need("alertname" in compared, f"{name}: no inhibit rule keeps its warning silent")
        for label in set(re.findall(r"\$labels\.(\w+)", str([rule["annotations"] for rule in variants]))):
            need(label in compared, f"{name}: an inhibit rule does not compare its label {label}")
    for rule in config.get("inhibit_rules", []):
        for name in re.findall(r'alertname="(\w+)"', str(rule)):
            need(name in known, f"alertmanager.yml: there is no alert {name}")


def tests(folder, known):
    """Each alert fires in a test, and does not fire in one."""
    seen = set()
    for test in [test for path in sorted((folder / "tests").glob("*.yml")) for test in yaml.safe_load(path.read_text())["tests"]]:
        for one in test.get("alert_rule_test", []):
            for alert in one["exp_alerts"] or [None]:
                seen.add((one["alertname"], alert and alert["exp_labels"]["severity"]))
    for name, variants in known.items():
        for severity in {rule["labels"]["severity"] for rule in variants} | {None}:
            need((name, severity) in seen, f"{name}: in no test it is {severity or 'silent'}")


def tools(folder):
    for words in (["promtool", "check", "config", folder / "prometheus.yml"], ["promtool", "check", "rules", folder / "rules.yml", folder / "alerts.yml"],
                  ["promtool", "test", "rules", *sorted((folder / "tests").glob("*.yml"))], ["amtool", "check-config", folder / "alertmanager.yml"]):
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        need(done.returncode == 0, f"{words[0]} {words[1]}: {done.stdout}{done.stderr}")


def expressions(value, place):
    """(place, expression) of all parts of a board."""
    if isinstance(value, list):
        for one in value:
            yield from expressions(one, place)
    elif isinstance(value, dict):
        place = value.get("title") or value.get("name") or place
        if "expr" in value:
            yield place, value["expr"]
        for one in value.values():
            yield from expressions(one, place)


def board(path, metrics):
    content = json.loads(path.read_text())
    judged = list(expressions(content, path.name))
    need(len(judged) > 20, f"{path.name}: it has {len(judged)} expressions")
    for place, expression in judged:
        # A variable stands inside of the text of a matcher.
        judge(expression, metrics, f"{path.name}, {place}")
    for variable in content["templating"]["list"]:
        for metric, label in re.findall(r"label_values\(([\w:]+), (\w+)\)", str(variable["query"])):
            need(label in metrics.known.get(metric, (None, set(), set()))[1], f"{path.name}: no metric {metric} has the label {label}")
    panels, taken = content["panels"], set()
    need(len({panel["id"] for panel in panels}) == len(panels), f"{path.name}: two panels have one id")
    for panel in panels:
        area = panel["gridPos"]
        cells = {(x, y) for x in range(area["x"], area["x"] + area["w"]) for y in range(area["y"], area["y"] + area["h"])}
        need(not cells & taken and area["x"] + area["w"] <= 24, f"{path.name}: the panel {panel['title']} lies over another one")
        taken |= cells
        need(panel["type"] == "row" or panel.get("description"), f"{path.name}: the panel {panel['title']} has no description")


def compose(deploy):
    """Prometheus scrapes the services of both forms at the ports of their commands, and finds the Alertmanager."""
    services = yaml.safe_load((deploy.parent / "docker-compose.yml").read_text())["services"]
    config = yaml.safe_load((deploy / "prometheus/prometheus.yml").read_text())
    roles = {"tintype-coordinator": set(), "tintype-worker": set()}
    for name, service in services.items():
        command = service.get("command", [])
        if command and command[0] in roles:
            port = int(command[command.index("--http") + 1].rsplit(":", 1)[1])
            roles[command[0]].add((name, port))
    scraped = {job["job_name"]: {(name, place["port"]) for place in job["dns_sd_configs"] for name in place["names"]} for job in config["scrape_configs"]}
    for job, wanted in roles.items():
        need(scraped.get(job) == wanted, f"prometheus.yml: {job} has the targets {sorted(scraped.get(job, set()))}, and docker-compose.yml {sorted(wanted)}")
    (manager,) = [target for place in config["alerting"]["alertmanagers"] for one in place["static_configs"] for target in one["targets"]]
    need(manager.split(":")[0] in services, f"prometheus.yml: docker-compose.yml has no service {manager}")
    own = {name: service for name, service in services.items() if service.get("profiles") == ["observability"]}
    need(set(own) == {"prometheus", "alertmanager"}, f"docker-compose.yml: the profile observability has {sorted(own)}")
    for name, service in own.items():
        for mount in service["volumes"]:
            source = mount.split(":")[0]
            need(not source.startswith(".") or (deploy.parent / source).exists(), f"docker-compose.yml, {name}: there is no {source}")


def main():
    deploy, programs = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder = deploy / "prometheus"
    try:
        metrics = Metrics(programs, folder)
        rules(folder, metrics)
        known = alerts(folder, metrics, (deploy.parent / "docs/alerts.md").read_text())
        tests(folder, known)
        inhibitions(folder, known)
        board(deploy / "grafana/tintype.json", metrics)
        compose(deploy)
    except (KeyError, ValueError, TypeError, yaml.YAMLError) as error:
        breaches.append(f"{type(error).__name__}: {error}")
    # They take some seconds, and judge nothing that is broken already.
    if not breaches:
        tools(folder)
    for breach in breaches:
        print(breach)
    sys.exit(1 if breaches else 0)


main()
