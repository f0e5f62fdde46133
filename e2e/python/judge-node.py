"""The judge of the Python client and pods that run: commands over WebSockets, ports, logs, metrics."""

import sys

import judge
from judge import check, eventually
from kubernetes import client
from kubernetes.client.rest import ApiException
from kubernetes.stream import portforward, stream

judge.CHECKS.clear()


# Says "up" when it listens, at localhost only.
PROGRAM = """
import http.server, os
os.chdir("/tmp")
open("page", "w").write("page\\n")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), http.server.SimpleHTTPRequestHandler)
print("up", flush=True)
server.serve_forever()
"""


def said(api, namespace):
    try:
        # As text this client shows bytes the way Python prints them.
        return api.read_namespaced_pod_log("sleeper", namespace, _preload_content=False).data.decode()
    except ApiException:
        return ""  # its container is not there yet


def sleeper(namespace):
    api = client.CoreV1Api()
    wanted = judge.pod("sleeper", termination_grace_period_seconds=0)
    wanted.spec.containers[0].image = "host"
    wanted.spec.containers[0].command = ["python3", "-c", PROGRAM]
    api.create_namespaced_pod(namespace, wanted)
    eventually("the pod is up", lambda: said(api, namespace) == "up\n", 40)
    return api


@check
def commands_answer(namespace):
    api = sleeper(namespace)
    said = stream(
        api.connect_get_namespaced_pod_exec, "sleeper", namespace, command=["echo", "hello"], stdout=True, stderr=True
    )
    assert said == "hello\n", said


@check
def commands_are_talked_to(namespace):
    api = sleeper(namespace)
    shell = stream(
        api.connect_get_namespaced_pod_exec,
        "sleeper",
        namespace,
        command=["sh"],
        stdin=True,
        stdout=True,
        stderr=True,
        _preload_content=False,
    )
    shell.write_stdin("echo one; echo two >&2\n")
    assert shell.readline_stdout(timeout=20) == "one"
    assert shell.readline_stderr(timeout=20) == "two"
    shell.write_stdin("exit 5\n")
    shell.run_forever(timeout=20)
    assert shell.returncode == 5, shell.returncode


@check
def ports_are_forwarded(namespace):
    api = sleeper(namespace)

    def page():
        try:
            forward = portforward(api.connect_get_namespaced_pod_portforward, "sleeper", namespace, ports="8000")
            http = forward.socket(8000)
            http.setblocking(True)
            http.settimeout(20)
            http.sendall(b"GET /page HTTP/1.0\r\n\r\n")
            answer = b""
            for piece in iter(lambda: http.recv(4096), b""):
                answer += piece
            return answer.endswith(b"page\n")
        except OSError:
            return False

    eventually("a page", page)


@check
def logs_are_read(namespace):
    api = sleeper(namespace)
    lines = api.read_namespaced_pod_log("sleeper", namespace, timestamps=True, tail_lines=1, _preload_content=False)
    assert lines.data.decode().endswith("Z up\n"), lines.data


@check
def figures_are_told(namespace):
    sleeper(namespace)

    def told():
        try:
            pods = client.CustomObjectsApi().list_namespaced_custom_object("metrics.k8s.io", "v1beta1", namespace, "pods")
            return [item["containers"][0]["name"] for item in pods["items"]] == ["main"]
        except ApiException as refusal:
            return refusal.status == 404 and "--peer" in sys.argv

    eventually("figures", told, 40)


if __name__ == "__main__":
    sys.exit(judge.main())
