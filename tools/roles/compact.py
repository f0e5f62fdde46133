"""Reduces a list of roles and bindings to what a server decides: one object a line, in the order of kind, namespace, name."""

import json
import sys

KINDS = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]


def compact(item):
    metadata = {
        key: item["metadata"][key] for key in ("name", "namespace", "labels", "annotations") if key in item["metadata"]
    }
    kept = {"kind": item["kind"], "metadata": metadata}
    for key in ("aggregationRule", "rules", "subjects", "roleRef"):
        if item.get(key) is not None:
            kept[key] = item[key]
    return kept


items = sorted(
    map(compact, json.load(sys.stdin)["items"]),
    key=lambda item: (KINDS.index(item["kind"]), item["metadata"].get("namespace", ""), item["metadata"]["name"]),
)
print("[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n]")
