package lavaflow.cluster;

import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import lavaflow.access.AccountTokens;
import lavaflow.access.Authorizer;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;

/** Starts and stops the controllers of this module. */
public final class CoreControllers implements AutoCloseable {
    /** How many requests of one reconcile may be under way; together they share the store's writes. */
    private static final int WIDTH = 32;

    /**
     * What controllers of credentials need of the server.
     *
     * @param rootCertificate the certificate authority of the API server, PEM
     */
    public record Access(
            AccountTokens tokens, Authorizer authorizer, CertificateSigner signer, String rootCertificate) {}

    /**
     * What the controllers ask of other parts of the program.
     *
     * @param access for those of credentials
     * @param policies for that of admission policies
     */
    public record Judges(Access access, PolicyTypeCheck policies) {}

    private final Followers followers;
    private final List<ControllerRunner<?>> runners = new ArrayList<>();

    /**
     * @param workloads whether to make pods of what asks for them; suites that look at the API alone do without
     */
    public CoreControllers(Identities as, Judges judges, InstantSource clock, boolean workloads) {
        Access access = judges.access();
        String rootCertificate = access.rootCertificate();
        LongSupplier nanoTime = System::nanoTime;
        followers = new Followers(as.reader());
        Mirror<PodState> pods = new Mirror<>(followers, ReplicaControllers.PODS, PodState::of, PodState::words);
        Fanout fanout = Fanout.parallel(WIDTH);
        runners.addAll(List.of(
                new NamespaceDefaults(as.as(CoreControllers::ofNamespaceDefaults), followers, rootCertificate, nanoTime)
                        .controller(),
                new NamespaceDeletion(as.as("namespace-controller"), followers, clock, nanoTime).controller(),
                new GarbageCollector(as.as("generic-garbage-collector"), followers, nanoTime).controller(),
                new VolumeProtection(as.as(CoreControllers::ofVolumeProtection), followers, nanoTime).controller(),
                new QuotaStatus(as.as("resourcequota-controller"), followers, clock, nanoTime).controller(),
                new EventExpiry(as.as("event-expiry"), followers, clock, nanoTime).controller(),
                new RoleAggregation(as.as("clusterrole-aggregation-controller"), followers, nanoTime).controller(),
                new CertificateRequestsController(
                                as.as("certificate-controller"),
                                followers,
                                access.authorizer(),
                                access.signer(),
                                clock,
                                nanoTime)
                        .controller(),
                new PolicyStatus(
                                as.as("validatingadmissionpolicy-status-controller"),
                                followers,
                                judges.policies(),
                                nanoTime)
                        .controller(),
                new TokenSecrets(as.reader(), followers, access.tokens(), rootCertificate, nanoTime).controller()));
        if (workloads) {
            Mirror<TemplateRevision> templates =
                    new Mirror<>(followers, TemplateRevision.KIND, TemplateRevision::of, TemplateRevision::words);
            runners.addAll(List.of(
                    ReplicaControllers.replicaSets(
                            as.as("replicaset-controller"), followers, pods, fanout, clock, nanoTime),
                    ReplicaControllers.replicationControllers(
                            as.as("replication-controller"), followers, pods, fanout, clock, nanoTime),
                    new Deployments(as.as("deployment-controller"), followers, pods, clock, nanoTime).controller(),
                    new StatefulSets(as.as("statefulset-controller"), followers, templates, fanout, clock, nanoTime)
                            .controller(),
                    new DaemonSets(as.as("daemon-set-controller"), followers, templates, fanout, clock, nanoTime)
                            .controller()));
            startServices(as, fanout, clock, nanoTime);
            startBatch(as, fanout, clock, nanoTime);
            startScaling(as, pods, clock, nanoTime);
            startNodes(as, fanout, clock, nanoTime);
        }
    }

    private void startServices(Identities as, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        ServicePods servicePods = new ServicePods(followers);
        Mirror<SliceState> slices = EndpointSlices.mirror(followers);
        runners.addAll(List.of(
                new EndpointSlices(
                                as.as("endpointslice-controller"),
                                followers,
                                servicePods,
                                slices,
                                fanout,
                                clock,
                                nanoTime)
                        .controller(),
                new EndpointsObjects(as.as("endpoint-controller"), followers, servicePods, clock, nanoTime)
                        .controller(),
                new EndpointMirroring(
                                as.as("endpointslicemirroring-controller"), followers, slices, fanout, clock, nanoTime)
                        .controller()));
    }

    private void startBatch(Identities as, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        runners.addAll(List.of(
                new Jobs(as.as("job-controller"), followers, fanout, clock, nanoTime).controller(),
                new CronJobs(as.as("cronjob-controller"), followers, clock, ZoneId.systemDefault(), nanoTime)
                        .controller(),
                new FinishedJobs(as.as("ttl-after-finished-controller"), followers, clock, nanoTime).controller()));
    }

    private void startScaling(Identities as, Mirror<PodState> pods, InstantSource clock, LongSupplier nanoTime) {
        runners.add(
                new DisruptionBudgets(as.as("disruption-controller"), followers, pods, clock, nanoTime).controller());
    }

    private void startNodes(Identities as, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        Mirror<NodeState> nodes = NodeLifecycle.mirror(followers);
        Mirror<NodePod> pods = NodePod.mirror(followers);
        KubeApi nodeController = as.as("node-controller");
        runners.addAll(List.of(
                new NodeLifecycle(nodeController, followers, nodes, pods, fanout, clock, nanoTime).controller(),
                new TaintEviction(nodeController, followers, nodes, pods, clock, nanoTime).controller(),
                new NodeRanges(nodeController, followers, clock, nanoTime).controller(),
                new NodeTtl(as.as("ttl-controller"), followers, nanoTime).controller(),
                new PodGarbage(
                                as.as("pod-garbage-collector"),
                                followers,
                                nodes,
                                pods,
                                fanout,
                                PodGarbage.MOST_ENDED,
                                clock,
                                nanoTime)
                        .controller()));
    }

    private static String ofNamespaceDefaults(KubeApi.Kind kind) {
        return kind.resource().equals("configmaps") ? "root-ca-cert-publisher" : "service-account-controller";
    }

    private static String ofVolumeProtection(KubeApi.Kind kind) {
        return switch (kind.resource()) {
            case "persistentvolumeclaims" -> "pvc-protection-controller";
            case "persistentvolumes" -> "pv-protection-controller";
            default -> "volumeattributesclass-protection-controller";
        };
    }

    /** What these controllers see, for others in the same process; who wants to listen must do so before the start. */
    public Followers followers() {
        return followers;
    }

    public void start() {
        followers.start();
        runners.forEach(ControllerRunner::start);
    }

    /** True once every controller has seen what existed when it started. */
    public boolean areSynced() {
        return followers.areSynced();
    }

    /** Ends everything; when it returns the API is not used any more. */
    @Override
    public void close() {
        followers.close();
        runners.forEach(ControllerRunner::close);
    }
}
