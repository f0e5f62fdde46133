"""The judge of the Python client: holds every check against the API server of a kubeconfig and says which hold."""

import sys
import threading
import time
import traceback
import uuid

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import leaderelection
from kubernetes.leaderelection.electionconfig import Config as ElectionConfig
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"judged": "yes"}), data=data)


def pod(name, **spec):
    container = client.V1Container(name="main", image="nginx", env=[client.V1EnvVar(name="A", value="b")])
    return client.V1Pod(
        metadata=client.V1ObjectMeta(name=name, labels={"app": name}),
        spec=client.V1PodSpec(automount_service_account_token=False, containers=[container], **spec),
    )


def deployment(name):
    labels = {"app": name}
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels),
        spec=client.V1PodSpec(containers=[client.V1Container(name="main", image="nginx:1")]),
    )
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=name),
        spec=client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template),
    )


def refused(code, call):
    try:
        call()
    except ApiException as refusal:
        assert refusal.status == code, f"expected {code}, got {refusal}"
        return refusal
    raise AssertionError(f"expected {code}, but it was done")


def eventually(what, holds, seconds=180):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come true")


def create_pod(core, namespace, wanted):
    """Waits for the namespace's default service account, without which pods are refused."""

    def created():
        try:
            core.create_namespaced_pod(namespace, wanted)
            return True
        except ApiException:
            return False

    eventually("creating a pod", created)


@check
def version(namespace):
    assert client.VersionApi().get_code().major == "1"


@check
def life_of_a_config_map(namespace):
    core = client.CoreV1Api()
    created = core.create_namespaced_config_map(namespace, config_map("life", colour="red"))
    assert created.metadata.uid and created.data == {"colour": "red"}
    read = core.read_namespaced_config_map("life", namespace)
    read.data["shape"] = "round"
    assert core.replace_namespaced_config_map("life", namespace, read).data == {"colour": "red", "shape": "round"}
    refused(409, lambda: core.replace_namespaced_config_map("life", namespace, created))
    listed = core.list_namespaced_config_map(namespace, label_selector="judged=yes")
    assert [item.metadata.name for item in listed.items] == ["life"]
    assert core.delete_namespaced_config_map("life", namespace).status == "Success"
    refused(404, lambda: core.read_namespaced_config_map("life", namespace))


@check
def errors_are_statuses(namespace):
    core = client.CoreV1Api()
    refusal = refused(422, lambda: core.create_namespaced_config_map(namespace, config_map("Bad_Name")))
    assert '"reason":"Invalid"' in refusal.body and '"field":"metadata.name"' in refusal.body
    core.create_namespaced_config_map(namespace, config_map("twice"))
    refused(409, lambda: core.create_namespaced_config_map(namespace, config_map("twice")))
    refused(403, lambda: core.delete_namespace("default"))


@check
def patches_of_all_types(namespace):
    apps = client.AppsV1Api()
    apps.create_namespaced_deployment(namespace, deployment("patched"))
    # A dict is sent as a strategic merge patch, a list as a JSON patch.
    side = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "busybox:1"}]}}}}
    patched = apps.patch_namespaced_deployment("patched", namespace, side)
    assert sorted(c.name for c in patched.spec.template.spec.containers) == ["main", "side"]
    patched = apps.patch_namespaced_deployment("patched", namespace, [{"op": "replace", "path": "/spec/replicas", "value": 5}])
    assert patched.spec.replicas == 5
    scale = apps.patch_namespaced_deployment_scale("patched", namespace, {"spec": {"replicas": 7}})
    assert scale.spec.replicas == 7
    status = apps.patch_namespaced_deployment_status("patched", namespace, {"status": {"collisionCount": 3}})
    assert status.status.collision_count == 3


@check
def watch_follows_and_resumes(namespace):
    core = client.CoreV1Api()
    core.create_namespaced_config_map(namespace, config_map("first"))
    version = core.list_namespaced_config_map(namespace).metadata.resource_version

    def change():
        time.sleep(0.5)
        core.create_namespaced_config_map(namespace, config_map("second", a="b"))
        core.patch_namespaced_config_map("second", namespace, {"data": {"a": "c"}})
        core.delete_namespaced_config_map("second", namespace)

    threading.Thread(target=change).start()
    seen = []
    stream = watch.Watch()
    for event in stream.stream(
        core.list_namespaced_config_map, namespace, label_selector="judged=yes", resource_version=version, timeout_seconds=180
    ):
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            stream.stop()
    assert seen == [("ADDED", "second"), ("MODIFIED", "second"), ("DELETED", "second")], seen


@check
def watch_of_a_forgotten_revision_is_gone(namespace):
    core = client.CoreV1Api()
    try:
        for _ in watch.Watch().stream(core.list_namespaced_config_map, namespace, resource_version="1", timeout_seconds=5):
            pass
    except ApiException as refusal:
        assert refusal.status == 410, refusal


@check
def pages(namespace):
    core = client.CoreV1Api()
    for number in range(5):
        core.create_namespaced_secret(namespace, client.V1Secret(metadata=client.V1ObjectMeta(name=f"s{number}"), string_data={"a": "b"}))
    names, token = [], None
    while True:
        page = core.list_namespaced_secret(namespace, limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == ["s0", "s1", "s2", "s3", "s4"], names
    assert core.read_namespaced_secret("s0", namespace).data == {"a": "Yg=="}


@check
def pods_are_bound_and_evicted(namespace):
    core = client.CoreV1Api()
    create_pod(core, namespace, pod("solo"))
    target = client.V1ObjectReference(kind="Node", name="somewhere")
    body = client.V1Binding(metadata=client.V1ObjectMeta(name="solo"), target=target)
    core.create_namespaced_pod_binding("solo", namespace, body, _preload_content=False)
    assert core.read_namespaced_pod("solo", namespace).spec.node_name == "somewhere"
    eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name="solo"), delete_options=client.V1DeleteOptions(grace_period_seconds=0))
    core.create_namespaced_pod_eviction("solo", namespace, eviction)
    refused(404, lambda: core.read_namespaced_pod("solo", namespace))


@check
def dynamic_client_applies(namespace):
    resources = dynamic.DynamicClient(client.ApiClient())
    maps = resources.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"colour": "red"}}
    maps.server_side_apply(body=body, name="applied", namespace=namespace, field_manager="one")
    body["data"]["colour"] = "blue"
    try:
        maps.server_side_apply(body=body, name="applied", namespace=namespace, field_manager="two")
        raise AssertionError("expected a conflict")
    except dynamic.exceptions.ConflictError:
        pass
    forced = maps.server_side_apply(body=body, name="applied", namespace=namespace, field_manager="two", force_conflicts=True)
    assert forced.data.colour == "blue"
    assert [m.manager for m in forced.metadata.managedFields] == ["two"], forced.metadata.managedFields
    deployments = resources.resources.get(api_version="apps/v1", kind="Deployment")
    assert deployments.get(namespace=namespace).kind == "DeploymentList"


@check
def objects_from_dicts(namespace):
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "once"}}
    body["spec"] = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}}
    utils.create_from_dict(client.ApiClient(), body, namespace=namespace)
    job = client.BatchV1Api().read_namespaced_job("once", namespace)
    assert job.spec.backoff_limit == 6 and job.spec.parallelism == 1
    policy = client.V1DeleteOptions(propagation_policy="Background")
    client.BatchV1Api().delete_namespaced_job("once", namespace, body=policy)


@check
def leader_election_over_a_config_map(namespace):
    elected = threading.Event()

    def lead():
        elected.set()

    lock = ConfigMapLock("leader", namespace, "one")
    election = ElectionConfig(lock, lease_duration=5, renew_deadline=4, retry_period=1, onstarted_leading=lead, onstopped_leading=None)
    threading.Thread(target=leaderelection.LeaderElection(election).run, daemon=True).start()
    assert elected.wait(180), "nobody was elected"


@check
def collection_is_deleted(namespace):
    core = client.CoreV1Api()
    for name in ("a", "b"):
        core.create_namespaced_config_map(namespace, config_map(name))
    core.delete_collection_namespaced_config_map(namespace, label_selector="judged=yes")
    assert core.list_namespaced_config_map(namespace, label_selector="judged=yes").items == []


def main():
    config.load_kube_config(sys.argv[1])
    failed = 0
    for each in CHECKS:
        namespace = f"python-{uuid.uuid4().hex[:8]}"
        name = each.__name__.replace("_", " ")
        try:
            client.CoreV1Api().create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))
            each(namespace)
            print(f"ok   {name}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {name}: {traceback.format_exc()}", flush=True)
        finally:
            try:
                client.CoreV1Api().delete_namespace(namespace)
            except ApiException:
                pass
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
