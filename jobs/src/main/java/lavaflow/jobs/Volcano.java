package lavaflow.jobs;

import lavaflow.controller.KubeApi;

/** The words of Volcano's API that more than one class here needs. */
public final class Volcano {
    public static final String GROUP = "batch.volcano.sh";
    public static final String VERSION = "v1alpha1";
    public static final KubeApi.Kind JOBS = new KubeApi.Kind(GROUP, VERSION, "jobs", true);

    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind NETWORK_POLICIES = new KubeApi.Kind("networking.k8s.io", "v1", "networkpolicies", true);

    static final String GROUP_NAME = "scheduling.k8s.io/group-name";
    static final String TASK_SPEC = "volcano.sh/task-spec";
    static final String TASK_INDEX = "volcano.sh/task-index";
    static final String JOB_NAME = "volcano.sh/job-name";
    static final String JOB_NAMESPACE = "volcano.sh/job-namespace";
    static final String QUEUE_NAME = "volcano.sh/queue-name";
    static final String JOB_VERSION = "volcano.sh/job-version";
    static final String JOB_RETRY_COUNT = "volcano.sh/job-retry-count";
    static final String TEMPLATE_UID = "volcano.sh/template-uid";
    static final String PARTITION = "volcano.sh/partition-id";
    static final String OUT_OF_SYNC = "volcano.sh/controller-out-of-sync";
    static final String PREEMPTABLE = "volcano.sh/preemptable";
    static final String COOLDOWN_TIME = "volcano.sh/cooldown-time";
    static final String REVOCABLE_ZONE = "volcano.sh/revocable-zone";
    static final String MIN_AVAILABLE = "volcano.sh/jdb-min-available";
    static final String MAX_UNAVAILABLE = "volcano.sh/jdb-max-unavailable";
    static final String NUMA_POLICY = "volcano.sh/numa-topology-policy";
    static final String FORWARDING = "volcano.sh/job-forwarding";

    private Volcano() {}
}
