package lavaflow.jobs;

import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.jobs.TestingManifests.job;
import static lavaflow.jobs.TestingManifests.pluggedPod;
import static lavaflow.jobs.TestingManifests.yaml;
import static org.assertj.core.api.Assertions.assertThat;

class SvcPluginTest {
    private static final String TASKS = """
            tasks:
            - name: ps
              replicas: 1
              template: {spec: {initContainers: [{name: i}], containers: [{name: c, env: [{name: A, value: b}]}]}}
            - name: big-worker
              replicas: 2
              template: {spec: {containers: [{name: c}]}}
            """;

    private static VolcanoJob with(String arguments) {
        return job("plugins: {svc: [" + arguments + "]}\n" + TASKS);
    }

    private static List<JobObject> objects(VolcanoJob job) {
        return Objects.requireNonNull(JobPlugins.named("svc", job.plugins().get("svc")))
                .objects(job, () -> {
                    throw new AssertionError("no keys are needed");
                });
    }

    @Test
    void namesPodsAndMountsHostsIntoEveryContainer() {
        assertThat(pluggedPod(with(""), "ps", 0)).isEqualTo(yaml("""
                                spec:
                                  initContainers:
                                  - name: i
                                    env: &env
                                    - {name: VC_PS_HOSTS, valueFrom: {configMapKeyRef: {key: VC_PS_HOSTS, name: train-svc}}}
                                    - {name: VC_PS_NUM, valueFrom: {configMapKeyRef: {key: VC_PS_NUM, name: train-svc}}}
                                    - {name: VC_BIG_WORKER_HOSTS, valueFrom: {configMapKeyRef: {key: VC_BIG_WORKER_HOSTS, name: train-svc}}}
                                    - {name: VC_BIG_WORKER_NUM, valueFrom: {configMapKeyRef: {key: VC_BIG_WORKER_NUM, name: train-svc}}}
                                    volumeMounts: [{mountPath: /etc/volcano, name: train-svc}]
                                  containers:
                                  - name: c
                                    env:
                                    - {name: A, value: b}
                                    - {name: VC_PS_HOSTS, valueFrom: {configMapKeyRef: {key: VC_PS_HOSTS, name: train-svc}}}
                                    - {name: VC_PS_NUM, valueFrom: {configMapKeyRef: {key: VC_PS_NUM, name: train-svc}}}
                                    - {name: VC_BIG_WORKER_HOSTS, valueFrom: {configMapKeyRef: {key: VC_BIG_WORKER_HOSTS, name: train-svc}}}
                                    - {name: VC_BIG_WORKER_NUM, valueFrom: {configMapKeyRef: {key: VC_BIG_WORKER_NUM, name: train-svc}}}
                                    volumeMounts: [{mountPath: /etc/volcano, name: train-svc}]
                                  hostname: train-ps-0
                                  subdomain: train
                                  volumes: [{name: train-svc, configMap: {name: train-svc}}]
                                metadata: {name: train-ps-0}
                                """));
    }

    @Test
    void keepsNamesThatTheTemplateGives() {
        VolcanoJob job = job("""
                plugins: {svc: []}
                tasks: [{name: w, replicas: 3, template: {spec: {hostname: h, subdomain: s, containers: [{name: c}]}}}]
                """);
        JsonNode spec = pluggedPod(job, "w", 1).get("spec");
        assertThat(spec.get("hostname").asText()).isEqualTo("h");
        assertThat(spec.get("subdomain").asText()).isEqualTo("s");
        assertThat(objects(job).getFirst().object().get("data"))
                .as("one name is one host, however many pods have it")
                .isEqualTo(yaml("{w.host: h.s, VC_W_HOSTS: h.s, VC_W_NUM: '1'}"));
    }

    @Test
    void leavesVariablesOutIfAsked() {
        ObjectNode pod = pluggedPod(with("--inject-hosts-env=false"), "big-worker", 0);
        assertThat(pod.get("spec").get("containers").get(0).has("env")).isFalse();
        assertThat(pod.get("spec").get("containers").get(0).has("volumeMounts")).isTrue();
    }

    @Test
    void listsHostsOfEveryTaskInThreeForms() {
        JobObject hosts = objects(with("")).getFirst();
        assertThat(hosts.kind()).isEqualTo(Volcano.CONFIG_MAPS);
        assertThat(hosts.upkeep()).as("it follows when the job is scaled").isEqualTo(JobObject.Upkeep.FOLLOWS);
        assertThat(hosts.object()).isEqualTo(yaml("""
                                apiVersion: v1
                                kind: ConfigMap
                                metadata: {name: train-svc}
                                data:
                                  ps.host: train-ps-0.train
                                  VC_PS_HOSTS: train-ps-0.train
                                  VC_PS_NUM: "1"
                                  big_worker.host: "train-big-worker-0.train\\ntrain-big-worker-1.train"
                                  VC_BIG_WORKER_HOSTS: train-big-worker-0.train,train-big-worker-1.train
                                  VC_BIG_WORKER_NUM: "2"
                                """));
    }

    @Test
    void hasAHeadlessServiceAndAPolicyThatKeepsOthersAway() {
        List<JobObject> objects = objects(with(""));
        assertThat(objects).extracting(JobObject::name).containsExactly("train-svc", "train", "train");
        assertThat(objects.get(1).object()).isEqualTo(yaml("""
                                apiVersion: v1
                                kind: Service
                                metadata: {name: train}
                                spec: {clusterIP: None, selector: {volcano.sh/job-name: train, volcano.sh/job-namespace: ai}}
                                """));
        assertThat(objects.get(2).object()).isEqualTo(yaml("""
                                apiVersion: networking.k8s.io/v1
                                kind: NetworkPolicy
                                metadata: {name: train}
                                spec:
                                  podSelector: {matchLabels: {volcano.sh/job-name: train, volcano.sh/job-namespace: ai}}
                                  ingress:
                                  - from: [{podSelector: {matchLabels: {volcano.sh/job-name: train, volcano.sh/job-namespace: ai}}}]
                                  policyTypes: [Ingress]
                                """));
    }

    @Test
    void hasNoPolicyIfAskedAndPublishesPodsThatAreNotReady() {
        List<JobObject> objects = objects(with("--publish-not-ready-addresses=true, --disable-network-policy=true"));
        assertThat(objects).hasSize(2);
        assertThat(objects.get(1)
                        .object()
                        .get("spec")
                        .get("publishNotReadyAddresses")
                        .asBoolean())
                .isTrue();
    }
}
