package lavaflow.simulation;

import java.util.List;

import lavaflow.controller.KubeApi;

/** The kinds users of the simulated cluster work with. */
final class Kinds {
    static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");
    static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    static final KubeApi.Kind ENDPOINTS = KubeApi.Kind.core("endpoints");
    static final KubeApi.Kind QUOTAS = KubeApi.Kind.core("resourcequotas");
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind REPLICATION_CONTROLLERS = KubeApi.Kind.core("replicationcontrollers");
    static final KubeApi.Kind REPLICA_SETS = apps("replicasets");
    static final KubeApi.Kind DEPLOYMENTS = apps("deployments");
    static final KubeApi.Kind STATEFUL_SETS = apps("statefulsets");
    static final KubeApi.Kind DAEMON_SETS = apps("daemonsets");
    static final KubeApi.Kind REVISIONS = apps("controllerrevisions");
    static final KubeApi.Kind JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);
    static final KubeApi.Kind CRON_JOBS = new KubeApi.Kind("batch", "v1", "cronjobs", true);
    static final KubeApi.Kind BUDGETS = new KubeApi.Kind("policy", "v1", "poddisruptionbudgets", true);
    static final KubeApi.Kind AUTOSCALERS = new KubeApi.Kind("autoscaling", "v2", "horizontalpodautoscalers", true);
    static final KubeApi.Kind SLICES = new KubeApi.Kind("discovery.k8s.io", "v1", "endpointslices", true);
    static final KubeApi.Kind CLASSES = new KubeApi.Kind("storage.k8s.io", "v1", "storageclasses", false);

    static final KubeApi.Kind PRIORITIES = new KubeApi.Kind("scheduling.k8s.io", "v1", "priorityclasses", false);

    /** What invariants look at. */
    static final List<KubeApi.Kind> OBSERVED = List.of(
            NAMESPACES,
            NODES,
            VOLUMES,
            PODS,
            SERVICES,
            ENDPOINTS,
            QUOTAS,
            CLAIMS,
            REPLICATION_CONTROLLERS,
            REPLICA_SETS,
            DEPLOYMENTS,
            STATEFUL_SETS,
            DAEMON_SETS,
            REVISIONS,
            JOBS,
            CRON_JOBS,
            BUDGETS,
            AUTOSCALERS,
            SLICES);

    private Kinds() {}

    private static KubeApi.Kind apps(String resource) {
        return new KubeApi.Kind("apps", "v1", resource, true);
    }
}
