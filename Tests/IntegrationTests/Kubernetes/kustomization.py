"""Assembles Kustomize folders as `kubectl kustomize` does, for the few features that deploy/kubernetes keeps to.

`namespace`, `resources`, `components`, `images`, and patches of two kinds: `$patch: delete`, and JSON patches with the operations `add` of a member, `remove`,
`replace` and `test`.
Anything else is an error: a feature that this file does not know would be used without a test.
"""

from pathlib import Path

import yaml

CLUSTER_WIDE = {"Namespace"}


class Unknown(Exception):
    """A feature or a reference that is not there."""


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def name(item):
    return item["kind"], item["metadata"]["name"]


def assemble(folder, items=None):
    """The objects of a folder, by (kind, name). A component changes the `items` before it."""
    folder = Path(folder).resolve()
    (file,) = documents(folder / "kustomization.yaml")
    kind = file.pop("kind")
    file.pop("apiVersion")
    if kind not in ("Kustomization", "Component") or (items is None) == (kind == "Component"):
        raise Unknown(f"{folder}: {kind} does not stand here")
    items = {} if items is None else items
    for entry in file.pop("resources", []):
        path = (folder / entry).resolve()
        if path.is_dir():
            items.update(assemble(path))
            continue
        if not path.is_relative_to(folder):
            raise Unknown(f"{folder}: Kustomize reads no file outside of its folder: {entry}")
        for item in documents(path):
            if name(item) in items:
                raise Unknown(f"{path}: {name(item)} is there twice")
            items[name(item)] = item
    for entry in file.pop("components", []):
        assemble(folder / entry, items)
    for patch in file.pop("patches", []):
        apply(patch, items, folder)
    for image in file.pop("images", []):
        rename(image, items, folder)
    namespace = file.pop("namespace", None)
    for item in items.values():
        if namespace and item["kind"] not in CLUSTER_WIDE:
            item["metadata"]["namespace"] = namespace
    if file:
        raise Unknown(f"{folder}: unknown words {sorted(file)}")
    return items


def apply(patch, items, folder):
    body = yaml.safe_load(patch["patch"])
    if isinstance(body, dict):
        if body.pop("$patch", None) != "delete" or set(body) != {"apiVersion", "kind", "metadata"}:
            raise Unknown(f"{folder}: this patch is none that is known here: {patch}")
        if items.pop(name(body), None) is None:
            raise Unknown(f"{folder}: a patch deletes {name(body)}, which is not there")
        return
    target = patch["target"]
    item = items.get((target["kind"], target["name"]))
    if item is None:
        raise Unknown(f"{folder}: a patch is for {target}, which is not there")
    for step in body:
        *way, last = step["path"].strip("/").split("/")
        place = item
        for word in way:
            place = place[int(word)] if isinstance(place, list) else place[word]
        words, is_there = set(step) - {"path"}, last in place
        if step["op"] == "remove" and is_there and words == {"op"}:
            del place[last]
        elif step["op"] in ("replace", "add") and is_there == (step["op"] == "replace") and words == {"op", "value"}:
            place[last] = step["value"]
        elif step["op"] != "test" or not is_there or place[last] != step.get("value"):
            raise Unknown(f"{folder}: this step is none that is known here: {step}")


def rename(image, items, folder):
    found = False
    for item in items.values():
        for container in pod(item).get("containers", []):
            if container["image"] == image["name"]:
                container["image"] = f"{image['newName']}:{image['newTag']}"
                found = True
    if not found:
        raise Unknown(f"{folder}: no container has the image {image['name']}")


def pod(item):
    """The specification of the pods of a workload; empty for anything else."""
    return item.get("spec", {}).get("template", {}).get("spec", {}) if item["kind"] in ("Deployment", "StatefulSet", "Job") else {}


def pod_labels(item):
    return item["spec"]["template"]["metadata"]["labels"]
