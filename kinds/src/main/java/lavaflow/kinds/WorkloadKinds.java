package lavaflow.kinds;

import java.util.Map;

/** Registers apps, batch, autoscaling, policy, scheduling, coordination, networking, access roles and runtime classes. */
final class WorkloadKinds {
    private WorkloadKinds() {}

    static void register(Map<String, KindRules> rules) {
        rules.put("apps/deployments", new DeploymentRules());
        rules.put("apps/replicasets", new ReplicaSetRules());
        rules.put("apps/statefulsets", new StatefulSetRules());
        rules.put("apps/daemonsets", new DaemonSetRules());
        rules.put("apps/controllerrevisions", new ControllerRevisionRules());
        rules.put("batch/jobs", new JobRules());
        rules.put("batch/cronjobs", new CronJobRules());
        rules.put("autoscaling/horizontalpodautoscalers", new HorizontalPodAutoscalerRules());
        rules.put("autoscaling/v1/horizontalpodautoscalers", new OldAutoscalerRules());
        rules.put("policy/poddisruptionbudgets", new PodDisruptionBudgetRules());
        rules.put("scheduling.k8s.io/priorityclasses", new PriorityClassRules());
        rules.put("coordination.k8s.io/leases", new LeaseRules());
        rules.put("networking.k8s.io/ingresses", new IngressRules());
        rules.put("networking.k8s.io/ingressclasses", new IngressClassRules());
        rules.put("networking.k8s.io/networkpolicies", new NetworkPolicyRules());
        rules.put("networking.k8s.io/ipaddresses", new IPAddressRules());
        rules.put("networking.k8s.io/servicecidrs", new ServiceCIDRRules());
        rules.put("rbac.authorization.k8s.io/roles", new RoleRules(false));
        rules.put("rbac.authorization.k8s.io/clusterroles", new RoleRules(true));
        rules.put("rbac.authorization.k8s.io/rolebindings", new RoleBindingRules(false));
        rules.put("rbac.authorization.k8s.io/clusterrolebindings", new RoleBindingRules(true));
        rules.put("node.k8s.io/runtimeclasses", new RuntimeClassRules());
    }

    static void registerConversions(Map<String, BuiltinKinds.Conversion> conversions) {
        conversions.put(
                "autoscaling/v1/horizontalpodautoscalers",
                new BuiltinKinds.Conversion("autoscaling", "v2", new AutoscalerBridge()));
    }
}
