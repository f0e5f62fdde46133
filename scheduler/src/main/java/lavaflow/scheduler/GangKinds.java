package lavaflow.scheduler;

import lavaflow.controller.KubeApi;

/** The kinds of the scheduler of gangs. */
final class GangKinds {
    static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    /** In the spelling of kube-batch. */
    static final KubeApi.Kind OLD_GROUPS =
            new KubeApi.Kind("scheduling.incubator.k8s.io", "v1alpha2", "podgroups", true);

    static final KubeApi.Kind OLD_QUEUES = new KubeApi.Kind("scheduling.incubator.k8s.io", "v1alpha2", "queues", false);
    /** Kubernetes' own; servers have it only where its feature is turned on. */
    static final KubeApi.Kind NATIVE_GROUPS = new KubeApi.Kind("scheduling.k8s.io", "v1alpha2", "podgroups", true);

    /** Those of kube-scheduler's plugin for gangs. */
    static final KubeApi.Kind PLUGIN_GROUPS = new KubeApi.Kind("scheduling.x-k8s.io", "v1alpha1", "podgroups", true);

    static final KubeApi.Kind HYPER_NODES = new KubeApi.Kind("topology.volcano.sh", "v1alpha1", "hypernodes", false);
    static final KubeApi.Kind TOPOLOGIES = new KubeApi.Kind("nodeinfo.volcano.sh", "v1alpha1", "numatopologies", false);
    static final KubeApi.Kind PRIORITIES = new KubeApi.Kind("scheduling.k8s.io", "v1", "priorityclasses", false);
    static final KubeApi.Kind QUOTAS = KubeApi.Kind.core("resourcequotas");

    private GangKinds() {}
}
