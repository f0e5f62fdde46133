package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Runs controllers step by step, on one thread, over an API in memory, with a clock that moves when told. */
final class TestingCluster {
    static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");
    static final KubeApi.Kind QUOTAS = KubeApi.Kind.core("resourcequotas");
    static final KubeApi.Kind DEPLOYMENTS = new KubeApi.Kind("apps", "v1", "deployments", true);
    static final KubeApi.Kind REPLICA_SETS = new KubeApi.Kind("apps", "v1", "replicasets", true);
    static final KubeApi.Kind STATEFUL_SETS = new KubeApi.Kind("apps", "v1", "statefulsets", true);
    static final KubeApi.Kind DAEMON_SETS = new KubeApi.Kind("apps", "v1", "daemonsets", true);
    static final KubeApi.Kind REVISIONS = new KubeApi.Kind("apps", "v1", "controllerrevisions", true);
    static final KubeApi.Kind REPLICATION_CONTROLLERS = KubeApi.Kind.core("replicationcontrollers");
    static final KubeApi.Kind ENDPOINTS = KubeApi.Kind.core("endpoints");
    static final KubeApi.Kind SLICES = new KubeApi.Kind("discovery.k8s.io", "v1", "endpointslices", true);
    static final KubeApi.Kind JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);
    static final KubeApi.Kind CRON_JOBS = new KubeApi.Kind("batch", "v1", "cronjobs", true);
    static final KubeApi.Kind BUDGETS = new KubeApi.Kind("policy", "v1", "poddisruptionbudgets", true);
    static final KubeApi.Kind AUTOSCALERS = new KubeApi.Kind("autoscaling", "v2", "horizontalpodautoscalers", true);
    static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);
    static final KubeApi.Kind STORAGE_CLASSES = new KubeApi.Kind("storage.k8s.io", "v1", "storageclasses", false);
    static final KubeApi.Kind ATTACHMENTS = new KubeApi.Kind("storage.k8s.io", "v1", "volumeattachments", false);
    static final KubeApi.Kind DRIVERS = new KubeApi.Kind("storage.k8s.io", "v1", "csidrivers", false);
    static final KubeApi.Kind ATTRIBUTES = new KubeApi.Kind("storage.k8s.io", "v1", "volumeattributesclasses", false);

    static final KubeApi.Kind DEVICE_CLAIMS = new KubeApi.Kind("resource.k8s.io", "v1", "resourceclaims", true);
    static final KubeApi.Kind DEVICE_TEMPLATES =
            new KubeApi.Kind("resource.k8s.io", "v1", "resourceclaimtemplates", true);
    static final KubeApi.Kind DEVICE_SLICES = new KubeApi.Kind("resource.k8s.io", "v1", "resourceslices", false);

    private static final Instant START = Instant.parse("2030-01-02T03:04:05Z");

    final TestingKubeApi api = new TestingKubeApi()
            .serve(NAMESPACES, "Namespace")
            .serve(NODES, "Node")
            .serve(MAPS, "ConfigMap")
            .serve(SECRETS, "Secret")
            .serve(ACCOUNTS, "ServiceAccount")
            .serve(PODS, "Pod")
            .serve(EVENTS, "Event")
            .serve(SERVICES, "Service")
            .serve(CLAIMS, "PersistentVolumeClaim")
            .serve(VOLUMES, "PersistentVolume")
            .serve(QUOTAS, "ResourceQuota")
            .serve(DEPLOYMENTS, "Deployment")
            .serve(REPLICA_SETS, "ReplicaSet")
            .serve(STATEFUL_SETS, "StatefulSet")
            .serve(DAEMON_SETS, "DaemonSet")
            .serve(REVISIONS, "ControllerRevision")
            .serve(REPLICATION_CONTROLLERS, "ReplicationController")
            .serve(ENDPOINTS, "Endpoints")
            .serve(SLICES, "EndpointSlice")
            .serve(JOBS, "Job")
            .serve(CRON_JOBS, "CronJob")
            .serve(BUDGETS, "PodDisruptionBudget")
            .serve(AUTOSCALERS, "HorizontalPodAutoscaler")
            .serve(LEASES, "Lease")
            .serve(STORAGE_CLASSES, "StorageClass")
            .serve(ATTACHMENTS, "VolumeAttachment")
            .serve(DRIVERS, "CSIDriver")
            .serve(ATTRIBUTES, "VolumeAttributesClass")
            .serve(DEVICE_CLAIMS, "ResourceClaim")
            .serve(DEVICE_TEMPLATES, "ResourceClaimTemplate")
            .serve(DEVICE_SLICES, "ResourceSlice");
    Followers followers = new Followers(api);
    private final AtomicLong nanos = new AtomicLong();
    private final List<ControllerRunner<?>> runners = new ArrayList<>();

    LongSupplier nanoTime() {
        return nanos::get;
    }

    InstantSource clock() {
        return () -> START.plusNanos(nanos.get());
    }

    /** Ends all controllers as a crash does: those that run from now on know nothing and see through this API. */
    void restart(KubeApi view) {
        runners.clear();
        followers = new Followers(view);
    }

    void run(ControllerRunner<?> runner) {
        runners.add(runner);
    }

    /** Lets everything happen that happens without waiting. */
    void settle() {
        int quiet = 0;
        while (quiet < 2) {
            long revision = api.revision();
            followers.pump();
            boolean worked = false;
            for (ControllerRunner<?> runner : runners) {
                while (runner.step()) {
                    worked = true;
                }
            }
            quiet = worked || api.revision() != revision ? 0 : quiet + 1;
        }
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        settle();
    }

    static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }

    static ObjectNode withFinalizers(ObjectNode object, String... finalizers) {
        for (String finalizer : finalizers) {
            ObjectNode metadata = Json.ensureObject(object, "metadata");
            metadata.withArray("finalizers").add(finalizer);
        }
        return object;
    }

    List<ObjectNode> all(KubeApi.Kind kind, String namespace) {
        return api.list(kind, namespace, KubeApi.View.WHOLE).items();
    }

    /** What events of a namespace tell: {@code reason: message}. */
    List<String> messages(String namespace) {
        return all(EVENTS, namespace).stream()
                .map(event -> Json.textAt(event, "reason") + ": " + Json.textAt(event, "message"))
                .toList();
    }

    /** The numbers of the versions of templates that are kept in a namespace. */
    List<Long> versions(String namespace) {
        return all(REVISIONS, namespace).stream()
                .map(revision -> Json.longAt(revision, 0, "revision"))
                .sorted()
                .toList();
    }

    ObjectNode namespace(String name) {
        ObjectNode namespace = named(name);
        namespace.putObject("spec").putArray("finalizers").add("kubernetes");
        return api.create(NAMESPACES, "", namespace);
    }

    /** What a node says about a pod. */
    void report(String namespace, String pod, String phase, boolean ready) {
        api.edit(PODS, namespace, pod, object -> {
            ObjectNode status = Json.ensureObject(object, "status");
            status.put("phase", phase);
            status.putArray("conditions")
                    .addObject()
                    .put("type", "Ready")
                    .put("status", ready ? "True" : "False")
                    .put("lastTransitionTime", GoTime.seconds(clock().instant()));
            return object;
        });
    }

    /** Gives a pod its node, which holds it until it has ended. */
    void place(String namespace, String pod, String node) {
        api.edit(PODS, namespace, pod, object -> {
            Json.ensureObject(object, "spec").put("nodeName", node);
            return object;
        });
    }

    void delete(KubeApi.Kind kind, String namespace, String name, String policy) {
        api.delete(kind, namespace, name, new KubeApi.Deletion(null, null, policy));
    }

    void release(KubeApi.Kind kind, String namespace, String name) {
        api.edit(kind, namespace, name, object -> {
            Json.ensureObject(object, "metadata").remove("finalizers");
            return object;
        });
    }
}
