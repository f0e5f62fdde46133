# An autoscaler acts on what pods really use.
k apply -f - >/dev/null <<'M'
apiVersion: apps/v1
kind: Deployment
metadata: {name: burn}
spec:
  selector: {matchLabels: {app: burn}}
  template:
    metadata: {labels: {app: burn}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: burn, image: host, command: [sh, -c, 'while :; do :; done'], resources: {requests: {cpu: 20m}, limits: {cpu: 60m}}}]
M
k rollout status deployment/burn --timeout=60s >/dev/null
k autoscale deployment burn --cpu-percent=50 --min=1 --max=3 >/dev/null 2>&1
step "figures of the pod"
eventually 60 says '^burn-[a-z0-9-]+ +[1-9][0-9]*m' k top pod --no-headers
step "more than was asked for makes more pods"
becomes deployment/burn '{.status.readyReplicas}' 3 150
says 'New size: 3; reason: cpu resource utilization' k get events -o 'jsonpath={range .items[*]}{.message}{"\n"}{end}'
step "the autoscaler tells what it sees"
says '^[1-9][0-9]*$' field hpa/burn '{.status.currentMetrics[0].resource.current.averageUtilization}'
same True "$(field hpa/burn '{.status.conditions[?(@.type=="ScalingActive")].status}')"
