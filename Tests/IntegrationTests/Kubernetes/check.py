"""Checks deploy/kubernetes against the schemas of Kubernetes and against the programs, without a cluster.

check.py DEPLOY PROGRAMS: DEPLOY is the folder `deploy` of the repository, PROGRAMS the folder of tintype-coordinator and tintype-worker.
Prints a line for each breach, and exits 1 if there is one.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import kubernetes_validate
import yaml
import yamllint.config
import yamllint.linter
from kustomization import Unknown, assemble, documents, pod, pod_labels

# The oldest, a middle one and the newest of those that are supported as this is written.
VERSIONS = ["1.33", "1.35", "1.37"]
# Objects of others, without a schema here.
FOREIGN = {"ScaledObject"}
LINT = """
extends: default
rules:
  line-length: {max: 160}
  document-start: disable
  comments: {min-spaces-from-content: 1}
"""
MIB = 1 << 20

breaches = []


def need(truth, message):
    if not truth:
        breaches.append(message)


def lint(folder):
    config = yamllint.config.YamlLintConfig(LINT)
    for path in sorted(folder.rglob("*.yaml")):
        for problem in yamllint.linter.run(path.read_text(), config, str(path)):
            breaches.append(f"{path}:{problem.line}: {problem.desc}")


seen = set()


def schemas(items):
    for item in items:
        # Overlays have most objects of the base as they are.
        text = json.dumps(item, sort_keys=True)
        if item["kind"] in FOREIGN or text in seen:
            continue
        seen.add(text)
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(item, version, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
                breaches.append(f"{item['kind']} {item['metadata']['name']}, Kubernetes {version}: {str(error).splitlines()[0]}")


def size(text):
    """Bytes of a quantity: of Kubernetes (1Gi), of Redis (1gb) and of Tintype (256MiB)."""
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", text).groups()
    return int(number) * {"": 1, "k": 1 << 10, "m": MIB, "g": 1 << 30}[unit.lower()[:1]]


def seconds(text):
    return int(re.fullmatch(r"(\d+)s?", text)[1])


class Programs:
    """The settings of a container, as its own program reads them."""

    def __init__(self, folder, examples):
        self.folder, self.examples = folder, examples

    def settings(self, container, spec, items):
        words = {}
        for source in container.get("envFrom", []):
            if "configMapRef" in source:
                words.update(items[("ConfigMap", source["configMapRef"]["name"])]["data"])
            else:
                words.update(self.examples[source["secretRef"]["name"]])
        words.update({entry["name"]: entry["value"] for entry in container.get("env", [])})
        with tempfile.TemporaryDirectory() as place:
            for mount in container["volumeMounts"]:
                (volume,) = [volume for volume in spec["volumes"] if volume["name"] == mount["name"]]
                if "secret" not in volume:
                    continue
                for key, value in self.examples[volume["secret"]["secretName"]].items():
                    Path(place, key).write_text(value)
                words = {key: value.replace(mount["mountPath"], place) for key, value in words.items()}
            done = subprocess.run(
                [self.folder / container["command"][0], *container["args"], "--print-config"],
                env={"PATH": os.environ["PATH"], **words}, capture_output=True, text=True, timeout=60)
            for value in words.values():
                need(not value.startswith(place) or Path(value).exists(), f"{container['name']}: no Secret has {value.removeprefix(place)}")
        if done.returncode:
            breaches.append(f"{container['name']}: {done.stderr.splitlines()[0]}")
            return None
        return dict(re.findall(r"^(\w+): *(.*?) *(?:#.*)?$", done.stdout, re.M))


def matches(selector, labels):
    expressions = selector.get("matchExpressions", [])
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        expression["operator"] == "In" and labels.get(expression["key"]) in expression["values"] for expression in expressions)


def hardening(item):
    spec = pod(item)
    title = f"{item['kind']} {item['metadata']['name']}"
    context = spec.get("securityContext", {})
    need(context.get("runAsNonRoot") is True, f"{title}: runAsNonRoot is missing")
    need(context.get("seccompProfile") == {"type": "RuntimeDefault"}, f"{title}: the seccomp profile is not RuntimeDefault")
    need(spec.get("automountServiceAccountToken") is False, f"{title}: the pods get a token of the cluster")
    need(spec.get("enableServiceLinks") is False, f"{title}: variables of Services reach the pods")
    for container in spec["containers"]:
        own = container.get("securityContext", {})
        need(own.get("allowPrivilegeEscalation") is False, f"{title}: allowPrivilegeEscalation is not false")
        need(own.get("readOnlyRootFilesystem") is True, f"{title}: the root can be written")
        need(own.get("capabilities") == {"drop": ["ALL"]}, f"{title}: not all capabilities are dropped")
        resources = container.get("resources", {})
        need(set(resources.get("requests", {})) == {"cpu", "memory"}, f"{title}: requests are missing")
        need(set(resources.get("limits", {})) == {"memory"}, f"{title}: the limit of memory is missing, or there is another one")


def references(items, examples):
    """Names that one object uses of another one, and names within a pod."""
    workloads = [item for item in items.values() if pod(item)]
    for item in workloads:
        spec, title = pod(item), f"{item['kind']} {item['metadata']['name']}"
        need(item["kind"] == "Job" or matches(item["spec"]["selector"], pod_labels(item)), f"{title}: its selector does not match its own pods")
        need(("ServiceAccount", spec["serviceAccountName"]) in items, f"{title}: there is no ServiceAccount {spec['serviceAccountName']}")
        for spread in spec.get("topologySpreadConstraints", []):
            need(matches(spread["labelSelector"], pod_labels(item)), f"{title}: the spread is not over its own pods")
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        volumes |= {claim["metadata"]["name"] for claim in item["spec"].get("volumeClaimTemplates", [])}
        used = [mount["name"] for container in spec["containers"] for mount in container.get("volumeMounts", [])]
        need(sorted(volumes) == sorted(set(used)), f"{title}: volumes {sorted(volumes)}, mounts {sorted(used)}")
        for volume in spec.get("volumes", []):
            if "configMap" in volume:
                need(("ConfigMap", volume["configMap"]["name"]) in items, f"{title}: there is no ConfigMap {volume['configMap']['name']}")
            if "secret" in volume:
                need(volume["secret"]["secretName"] in examples, f"{title}: secret.example.yaml has no {volume['secret']['secretName']}")
        for container in spec["containers"]:
            names = {port["name"] for port in container.get("ports", [])}
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                port = container.get(probe, {}).get("httpGet", {}).get("port")
                need(port is None or port in names, f"{title}: {probe} asks a port {port}, which is not there")
    for (kind, name), item in items.items():
        if kind == "Service":
            found = [w for w in workloads if item["spec"]["selector"].items() <= pod_labels(w).items()]
            need(len(found) == 1, f"Service {name}: {len(found)} workloads match its selector")
            ports = {p["name"]: p["containerPort"] for w in found for c in pod(w)["containers"] for p in c.get("ports", [])}
            for port in item["spec"]["ports"]:
                need(ports.get(port["targetPort"]) == port["port"], f"Service {name}: port {port['port']} is not {port['targetPort']} of its pods")
        if kind == "PodDisruptionBudget":
            found = [w for w in workloads if matches(item["spec"]["selector"], pod_labels(w))]
            need(len(found) == 1, f"PodDisruptionBudget {name}: {len(found)} workloads match its selector")
            least = item["spec"].get("minAvailable")
            need(least is None or all(least < w["spec"]["replicas"] for w in found), f"PodDisruptionBudget {name}: no pod may ever leave")
        if kind == "NetworkPolicy":
            found = [w for w in workloads if matches(item["spec"]["podSelector"], pod_labels(w))]
            need(found, f"NetworkPolicy {name}: no pod matches it")
            open_ports = {p["containerPort"] for w in found for c in pod(w)["containers"] for p in c.get("ports", [])}
            for rule in item["spec"].get("ingress", []):
                for port in rule["ports"]:
                    need(port["port"] in open_ports, f"NetworkPolicy {name}: no pod has the port {port['port']}")


def services(items, programs, constants):
    """Coordinators and workers, against the settings that their own programs read."""
    for name in ("coordinator", "worker"):
        item = items[("Deployment", f"tintype-{name}")]
        spec = pod(item)
        (container,) = spec["containers"]
        settings = programs.settings(container, spec, items)
        if settings is None:
            continue
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        for port, setting in (("rpc", "listen"), ("http", "http")):
            if setting in settings:
                address, _, number = settings[setting].rpartition(":")
                need(address == "0.0.0.0" and int(number) == ports.get(port), f"{name}: the port {port} is {ports.get(port)}, and --{setting} {settings[setting]}")
        servers = re.fullmatch(r"\w+://(?:[^@/]*@)?([^/?]+).*", settings["redis"])[1].split(",")
        need(len(set(servers)) == len(servers), f"{name}: --redis names a server twice")
        for server in servers:
            host, _, port = server.partition(":")
            workload = workload_at(items, host)
            need(workload, f"{name}: --redis names {host}, which is no Service, and no pod of one")
            need(not workload or reaches(items, item, workload, int(port)), f"{name}: no NetworkPolicy lets it reach {host} at port {port}")
        need(resolves(items, item), f"{name}: no NetworkPolicy lets it ask for names")
        store = urlsplit(settings["results"])
        if store.scheme != "s3":
            workload = workload_at(items, store.hostname)
            need(workload, f"{name}: --results names {store.hostname}, which is no Service")
            need(not workload or reaches(items, item, workload, store.port), f"{name}: no NetworkPolicy lets it reach {store.hostname} at port {store.port}")
        for probe, path in (("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")):
            need(container[probe]["httpGet"]["path"] == path, f"{name}: {probe} does not ask {path}")
        before = int(container["lifecycle"]["preStop"]["exec"]["command"][1]) if "lifecycle" in container else 0
        drain = constants["drain"] if name == "coordinator" else seconds(settings["grace"]) + constants["release"] + constants["farewell"]
        grace = spec["terminationGracePeriodSeconds"]
        need(grace >= before + drain, f"{name}: terminationGracePeriodSeconds {grace} is shorter than its drain, {before} + {drain} s")
        limit = size(container["resources"]["limits"]["memory"])
        if name == "worker":
            least = size(settings["memoryBudget"]) + size(settings["maxSource"])
            least += int(settings["pixels"]) * 768 * MIB * max(1, int(settings["maxPixels"]) / 50e6)
            need(limit >= least + 256 * MIB, f"worker: the limit of memory is {limit // MIB} MiB, and its settings need {int(least) // MIB + 256}")
            need("--pixels" in container["args"], "worker: --pixels follows the cores of the node, and the limit of memory does not")


def workload_at(items, host):
    """The workload behind a name: that of a Service, or a pod of a StatefulSet (POD.SERVICE)."""
    first, _, rest = host.partition(".")
    service = items.get(("Service", rest or first))
    if not service:
        return None
    (found,) = [item for item in items.values() if pod(item) and service["spec"]["selector"].items() <= pod_labels(item).items()]
    pods = [f"{found['metadata']['name']}-{number}" for number in range(found["spec"].get("replicas", 1))]
    return found if not rest or (found["spec"].get("serviceName") == rest and first in pods) else None


def opens(peer, labels, namespace):
    """Whether a peer of a policy is a pod with these labels. A `namespace` of none is that of the policy."""
    if "ipBlock" in peer:
        return False
    if ("namespaceSelector" in peer) != (namespace is not None):
        return False
    return (namespace is None or matches(peer["namespaceSelector"], {"kubernetes.io/metadata.name": namespace})) and matches(peer.get("podSelector", {}), labels)


def allows(items, own, direction, labels, port, protocol="TCP", namespace=None):
    """Whether the policies for the pods `own` let them speak to pods with these labels (egress), or hear them (ingress)."""
    rules = [
        rule for (kind, _), item in items.items() if kind == "NetworkPolicy" and matches(item["spec"]["podSelector"], own)
        for rule in item["spec"].get(direction, [])]
    side = "to" if direction == "egress" else "from"
    return any(
        {"protocol": protocol, "port": port} in rule["ports"] and any(opens(peer, labels, namespace) for peer in rule[side]) for rule in rules)


def reaches(items, one, other, port):
    return allows(items, pod_labels(one), "egress", pod_labels(other), port) and allows(items, pod_labels(other), "ingress", pod_labels(one), port)


# The servers of names of Kubernetes and of OpenShift: namespace, labels, and the port of their pods.
NAMES = [("kube-system", {"k8s-app": "kube-dns"}, 53), ("openshift-dns", {"dns.operator.openshift.io/daemonset-dns": "default"}, 5353)]


def resolves(items, one):
    return all(
        allows(items, pod_labels(one), "egress", labels, port, protocol, namespace) for namespace, labels, port in NAMES for protocol in ("UDP", "TCP"))


def strangers(items):
    """Nobody but coordinators, workers and the servers themselves reaches a Redis."""
    workloads = [item for item in items.values() if pod(item)]
    for server in workloads:
        component = pod_labels(server)["app.kubernetes.io/component"]
        if component not in ("redis", "results"):
            continue
        for one in workloads:
            name = pod_labels(one)["app.kubernetes.io/component"]
            may = name in ("coordinator", "worker") or component == "redis" and name in ("redis", "cluster") and ("Service", "tintype-cluster") in items
            need(not may or reaches(items, one, server, 6379), f"{component}: the pods of {name} do not reach port 6379")
            need(may or not allows(items, pod_labels(server), "ingress", pod_labels(one), 6379), f"{component}: hears the pods of {name}")


def redis(items, deploy):
    name = "tintype-cluster" if ("StatefulSet", "tintype-cluster") in items else "tintype-redis"
    (container,) = pod(items[("StatefulSet", name)])["containers"]
    own = items[("ConfigMap", name)]["data"]["redis.conf"]
    plain = [line for line in (deploy / "redis.conf").read_text().splitlines() if line and not line.startswith("#")]
    need(own.splitlines() == plain, f"ConfigMap {name}: redis.conf is not that of deploy/")
    most = size(re.search(r"^maxmemory (\w+)$", own, re.M)[1])
    need(size(container["resources"]["limits"]["memory"]) >= 2 * most, f"StatefulSet {name}: the limit of memory is below twice maxmemory")
    strangers(items)
    if ("Deployment", "tintype-results") in items:
        (container,) = pod(items[("Deployment", "tintype-results")])["containers"]
        most = size(container["args"][container["args"].index("--maxmemory") + 1])
        need(size(container["resources"]["limits"]["memory"]) >= 1.25 * most, "Deployment tintype-results: the limit of memory is too close to maxmemory")


def egress(items, refused):
    rules = items[("NetworkPolicy", "tintype-egress")]["spec"]["egress"]
    blocks = [to["ipBlock"] for rule in rules for to in rule["to"] if "ipBlock" in to]
    for block in blocks:
        # In these the address policy judges the IPv4 address inside.
        wanted = {text for text in [*refused, "64:ff9b::/96", "2002::/16"] if (":" in text) == (":" in block["cidr"])}
        need(set(block["except"]) == wanted, f"NetworkPolicy tintype-egress: {sorted(set(block['except']) ^ wanted)} differ from the address policy")
    need(sorted(block["cidr"] for block in blocks) == ["0.0.0.0/0", "::/0"], "NetworkPolicy tintype-egress: not both kinds of addresses are there")


def cluster(items):
    """A Redis Cluster that loses any node, and no slot."""
    item, data = items[("StatefulSet", "tintype-cluster")], items[("ConfigMap", "tintype-cluster")]["data"]
    spec, replicas = pod(item), item["spec"]["replicas"]
    lines = data["cluster.conf"].splitlines()
    for line in ("cluster-enabled yes", "cluster-require-full-coverage no", "min-replicas-to-write 0"):
        need(line in lines, f"ConfigMap tintype-cluster: cluster.conf lacks {line}")
    args = spec["containers"][0]["args"]
    order = [args.index(f"/etc/redis/{file}") for file in ("settings/redis.conf", "secrets/replica.conf", "settings/cluster.conf")]
    need(order == sorted(order), "StatefulSet tintype-cluster: the last of its files is not cluster.conf, whose lines hold")
    need(replicas == 6, "StatefulSet tintype-cluster: three primaries with a replica each are six servers")
    numbers = " ".join(map(str, range(replicas)))
    for file in ("meet", "join"):
        need(f"for number in {numbers}; do" in data[file], f"ConfigMap tintype-cluster: {file} does not name all servers")
    terms = spec.get("affinity", {}).get("podAntiAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", [])
    need(any(term["topologyKey"] == "kubernetes.io/hostname" and matches(term["labelSelector"], pod_labels(item)) for term in terms),
         "StatefulSet tintype-cluster: one node may have two servers")
    need(items[("PodDisruptionBudget", "tintype-cluster")]["spec"].get("maxUnavailable") == 1, "PodDisruptionBudget tintype-cluster: two servers may leave at once")
    need(items[("Service", "tintype-cluster")]["spec"].get("publishNotReadyAddresses"), "Service tintype-cluster: servers that are not ready have no name")
    ports = {port["name"]: port["containerPort"] for port in spec["containers"][0]["ports"]}
    need(ports == {"redis": 6379, "bus": 16379} and all(reaches(items, item, item, port) for port in ports.values()),
         "StatefulSet tintype-cluster: its servers do not reach each other")
    need(resolves(items, item) and resolves(items, items[("Job", "tintype-cluster")]), "tintype-cluster: no NetworkPolicy lets it ask for names")


def keda(items):
    scaled = items[("ScaledObject", "tintype-worker")]["spec"]
    need(("Deployment", scaled["scaleTargetRef"]["name"]) in items, "ScaledObject: its target is not there")
    need("replicas" not in items[("Deployment", "tintype-worker")]["spec"], "ScaledObject: the Deployment sets the number of workers too")
    fallback = scaled["fallback"].get("behavior", "static")
    need(fallback == "currentReplicasIfHigher", f"ScaledObject: the fallback {fallback} takes busy workers away")
    (trigger,) = scaled["triggers"]
    known = {"url", "valueLocation", "targetValue", "activationTargetValue", "format", "method", "authMode", "unsafeSsl"}
    need(set(trigger["metadata"]) <= known, f"ScaledObject: unknown words {sorted(set(trigger['metadata']) - known)}")
    need(all(isinstance(value, str) for value in trigger["metadata"].values()), "ScaledObject: the values of a trigger are texts")
    url = urlsplit(trigger["metadata"]["url"])
    service, namespace, *rest = url.hostname.split(".")
    found = items.get(("Service", service))
    need(found and found["metadata"]["namespace"] == namespace and rest == ["svc"], f"ScaledObject: {url.hostname} is no Service")
    need(found and url.port in [port["port"] for port in found["spec"]["ports"]], f"ScaledObject: {url.port} is no port of {url.hostname}")
    hosts = items[("ConfigMap", "tintype-settings")]["data"]["TINTYPE_HOST_NAMES"].split(",")
    need(any(url.hostname.endswith(host) for host in hosts), f"ScaledObject: coordinators do not answer to {url.hostname}")
    print(f"scale {url.path}?{url.query} {trigger['metadata']['valueLocation']}")


def read_examples(folder):
    return {item["metadata"]["name"]: item["stringData"] for item in documents(folder / "base/secret.example.yaml")}


def main():
    deploy, programs = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    root = Path(__file__).resolve().parents[3]
    folder = deploy / "kubernetes"
    policy = (root / "Sources/Shared/Transport/Transfer/AddressPolicy.swift").read_text()
    refused = re.findall(r'Refused\("([^"]+)"', policy)
    coordinator = (root / "Sources/Coordinator/Service/Coordinator.swift").read_text()
    worker = (root / "Sources/Worker/Service/WorkerService.swift").read_text()
    endpoint = (root / "Sources/Shared/Transport/Redis/RedisURL.swift").read_text()
    patience = {word: int(re.search(rf"static let {word} = Duration.seconds\((\d+)\)", coordinator)[1]) for word in ("grace", "farewell")}
    # Three servers say farewell, one after the other, and Redis hears last words for a second, and waits for a second at most.
    constants = {
        "drain": patience["grace"] + 3 * patience["farewell"] + 2,
        # A worker takes leave of all queues at once, and waits for a command at most so long.
        "farewell": int(re.search(r"guard let text else \{ return \.seconds\((\d+)\) \}", endpoint)[1]),
        "release": int(re.search(r"lastResort = LoopTimer\(after: \.seconds\((\d+)\)\)", worker)[1]),
    }
    user = re.findall(r"^USER (.*)$", (root / "Dockerfile").read_text(), re.M)[-1]
    need(user.isdigit() and user != "0", f"Dockerfile: USER {user} is no number, by which a node could tell that it is not root")
    lint(folder)
    try:
        examples = read_examples(folder)
        schemas(documents(folder / "base/secret.example.yaml"))
        for place in ["base", *sorted(f"overlays/{path.name}" for path in (folder / "overlays").iterdir())]:
            items = assemble(folder / place)
            if place == "overlays/s3":
                examples["tintype-store"] = {"TINTYPE_RESULTS": "s3://bucket/tintype?endpoint=https://s3.example.org&region=eu-central-1"}
            before = len(breaches)
            schemas(items.values())
            for item in items.values():
                if pod(item):
                    hardening(item)
            references(items, examples)
            services(items, Programs(programs, examples), constants)
            redis(items, deploy)
            egress(items, refused)
            if place == "overlays/cluster":
                cluster(items)
            if place == "overlays/keda":
                keda(items)
            breaches[before:] = [f"{place}: {breach}" for breach in breaches[before:]]
    except (Unknown, KeyError, ValueError, yaml.YAMLError) as error:
        breaches.append(f"{type(error).__name__}: {error}")
    for breach in breaches:
        print(breach)
    sys.exit(1 if breaches else 0)


main()
