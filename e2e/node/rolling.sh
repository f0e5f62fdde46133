# nginx behind a Deployment and a Service: a rolling update under load loses no request.
needs nginx nginx-light
k create configmap site --from-literal=nginx.conf='daemon off; worker_processes 1; error_log /dev/stderr; pid /tmp/pid;
events {} http { access_log off; client_body_temp_path /tmp/b; proxy_temp_path /tmp/p; fastcgi_temp_path /tmp/f; uwsgi_temp_path /tmp/u; scgi_temp_path /tmp/s;
server { listen 8080; location / { return 200 "$hostname\n"; } } }' >/dev/null
k apply -f - >/dev/null <<'Y'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      volumes: [{name: site, configMap: {name: site}}]
      containers:
      - name: nginx
        image: host
        command: [nginx, -c, /site/nginx.conf]
        volumeMounts: [{name: site, mountPath: /site}]
        readinessProbe: {httpGet: {path: /, port: 8080}, periodSeconds: 1}
        lifecycle: {preStop: {sleep: {seconds: 2}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}}
Y
step "it comes up"
k rollout status deployment/web --timeout=60s >/dev/null
k run load --image=host --restart=Never --command -- sh -c '
  good=0 bad=0; until [ -e /tmp/stop ]; do if curl -sf --noproxy "*" -m 5 http://web/ >/dev/null; then good=$((good+1)); else bad=$((bad+1)); fi; done; echo $good $bad' >/dev/null
ready pod/load
sleep 2
step "two updates under load"
for round in 1 2; do
  k set env deployment/web ROUND=$round >/dev/null
  k rollout status deployment/web --timeout=90s >/dev/null
done
k exec load -- touch /tmp/stop || true # the container may end before the command has
ended load Succeeded
read -r good bad <<<"$(k logs load)"
echo "$good requests, $bad failed"
[ "$good" -gt 100 ] || fail "only $good requests"
same 0 "$bad"
