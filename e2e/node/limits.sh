# Hogs and bombs stay in their pods, and say why they ended.
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: hog}
spec:
  restartPolicy: Never
  containers:
  - {name: a, image: host, resources: {limits: {memory: 64Mi, cpu: 500m}}, command: [python3, -c, 'x = bytearray(512 * 1024 * 1024); print(len(x))']}
---
apiVersion: v1
kind: Pod
metadata: {name: bomb}
spec:
  restartPolicy: Never
  activeDeadlineSeconds: 5
  terminationGracePeriodSeconds: 0
  containers:
  - {name: a, image: host, resources: {requests: {cpu: 50m}, limits: {memory: 128Mi, cpu: 200m}}, command: [bash, -c, 'b() { b | b & }; b; sleep 1000']}
---
apiVersion: v1
kind: Pod
metadata: {name: half}
spec:
  restartPolicy: Never
  containers:
  - {name: a, image: host, resources: {requests: {cpu: 100m}, limits: {cpu: 500m, memory: 128Mi}}, command: [python3, -c, "import time\nbegin = time.process_time()\nend = time.time() + 2\nwhile time.time() < end: pass\nused = time.process_time() - begin\nprint(used < 1.4 or used)"]}
---
apiVersion: v1
kind: Pod
metadata: {name: filler}
spec:
  restartPolicy: Never
  containers:
  - {name: a, image: host, resources: {limits: {ephemeral-storage: 20Mi}}, command: [sh, -c, 'head -c 50000000 /dev/zero > /tmp/big; sleep 1000']}
---
apiVersion: v1
kind: Pod
metadata: {name: digger}
spec:
  restartPolicy: Never
  containers:
  - {name: a, image: host, command: [python3, -c, "import os\nos.chdir('/tmp')\nfor i in range(3000):\n  os.mkdir('dddd'); os.chdir('dddd')"]}
Y
step "memory"
ended hog Failed
same OOMKilled "$(field pod/hog '{.status.containerStatuses[0].state.terminated.reason}')"
same 137 "$(field pod/hog '{.status.containerStatuses[0].state.terminated.exitCode}')"
step "processor"
ended half Succeeded
same True "$(k logs half)"
step "processes"
ended bomb Failed
step "disk"
ended filler Failed 60
same Evicted "$(field pod/filler '{.status.reason}')"
ended digger Succeeded 60
k delete pod digger >/dev/null
step "the node is well"
says True "$KUBECTL" get nodes -o 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}'
