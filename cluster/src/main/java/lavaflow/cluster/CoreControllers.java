package lavaflow.cluster;

import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import lavaflow.access.AccountTokens;
import lavaflow.access.Authorizer;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.QueueStatistics;
import lavaflow.controller.Timing;

import org.jspecify.annotations.Nullable;

/** Starts and stops the controllers of this module. */
public final class CoreControllers implements AutoCloseable {
    /** How many requests of one reconcile may be under way; together they share the store's writes. */
    private static final int WIDTH = 32;

    /**
     * What controllers of credentials need of the server.
     *
     * @param tokens null where nobody has the key of tokens
     * @param signer null where nobody has the key of the certificate authority
     * @param rootCertificate the certificate authority of the API server, PEM; null where it is not known
     */
    public record Access(
            @Nullable AccountTokens tokens,
            Authorizer authorizer,
            @Nullable CertificateSigner signer,
            @Nullable String rootCertificate) {}

    /**
     * What the controllers ask of other parts of the program.
     *
     * @param access for those of credentials
     * @param policies for that of admission policies; null where the schemas of all kinds are not at hand
     * @param volumes where directories for claims are made; null where nodes are elsewhere
     */
    public record Judges(
            Access access,
            @Nullable PolicyTypeCheck policies,
            @Nullable Path volumes) {}

    private static final String ACCOUNTS = "serviceaccount-controller";
    private static final String ROOT_CERTIFICATES = "root-ca-certificate-publisher-controller";
    private static final String EVENT_EXPIRY = "event-expiry-controller";

    /** Those that keep the API itself in order. All others act on pods, or on what serves them. */
    private static final Set<String> OF_THE_API = Set.of(
            ACCOUNTS,
            ROOT_CERTIFICATES,
            EVENT_EXPIRY,
            "namespace-controller",
            "garbage-collector-controller",
            "persistentvolumeclaim-protection-controller",
            "resourcequota-controller",
            "clusterrole-aggregation-controller",
            "certificatesigningrequest-signing-controller",
            "validatingadmissionpolicy-status-controller",
            "serviceaccount-token-controller",
            "legacy-serviceaccount-token-cleaner-controller");

    /** How upstream calls the queues of controllers that have another name here. */
    private static final Map<String, String> QUEUES = Map.ofEntries(
            Map.entry("namespace-defaults", "serviceaccount"),
            Map.entry("namespace-deletion", "namespace"),
            Map.entry("garbage-collector", "garbage_collector_attempt_to_delete"),
            Map.entry("volume-protection", "pvcprotection"),
            Map.entry("quota-status", "resourcequota_primary"),
            Map.entry("role-aggregation", "ClusterRoleAggregator"),
            Map.entry("certificate-requests", "certificate"),
            Map.entry("policy-status", "validatingadmissionpolicy-status"),
            Map.entry("token-secrets", "serviceaccount_tokens_service"),
            Map.entry("replication-controller", "replicationmanager"),
            Map.entry("node-lifecycle-controller", "node_lifecycle_controller"),
            Map.entry("taint-eviction-controller", "noexec_taint_node"),
            Map.entry("pod-garbage-collector", "orphaned_pods_nodes"),
            Map.entry("ttl-controller", "ttlcontroller"),
            Map.entry("persistentvolume-binder-controller", "claims"),
            Map.entry("persistentvolume-expander-controller", "volume_expand"),
            Map.entry("daemon-set-controller", "daemonset"),
            Map.entry("ttl-after-finished-controller", "ttl_jobs_to_delete"),
            Map.entry("endpointslice-controller", "endpoint_slice"),
            Map.entry("resource-claim-controller", "resource_claim"),
            Map.entry("endpointslicemirroring-controller", "endpoint_slice_mirroring"));

    private final Followers followers;
    private final Predicate<String> wanted;
    private final Set<String> names = new TreeSet<>();
    private final Set<String> withoutMaterial = new TreeSet<>();
    private final List<ControllerRunner<?>> runners = new ArrayList<>();

    /**
     * @param wanted which controllers to run, by the names of upstream's {@code --controllers}
     */
    public CoreControllers(Identities as, Judges judges, InstantSource clock, Predicate<String> wanted) {
        this(as, judges, wanted, new Timing(clock, System::nanoTime, Fanout.parallel(WIDTH)));
    }

    /** With a time of the caller's; who does not {@link #start} them moves them along with {@link #pump} and their steps. */
    public CoreControllers(Identities as, Judges judges, Predicate<String> wanted, Timing timing) {
        InstantSource clock = timing.clock();
        LongSupplier nanoTime = timing.nanoTime();
        Fanout fanout = timing.fanout();
        this.wanted = wanted;
        followers = new Followers(as.reader());
        addOfTheApi(as, clock, nanoTime);
        addOfCredentials(as, judges, clock, nanoTime);
        addWorkloads(as, fanout, clock, nanoTime);
        addServices(as, fanout, clock, nanoTime);
        addBatch(as, fanout, clock, nanoTime);
        addNodes(as, fanout, clock, nanoTime);
        addVolumes(as, judges.volumes(), clock, nanoTime);
    }

    /** Whether a controller makes no pods and nothing for them; suites that look at the API alone want only those. */
    public static boolean isOfTheApi(String name) {
        return OF_THE_API.contains(name);
    }

    /**
     * Whether a controller runs beside any API server unless somebody says otherwise: not one that does what other servers
     * do themselves, nor one that gives out addresses nobody may have asked for.
     */
    public static boolean isUsual(String name) {
        return !name.equals(EVENT_EXPIRY) && !name.equals("node-ipam-controller");
    }

    private void add(String name, Supplier<ControllerRunner<?>> controller) {
        names.add(name);
        if (wanted.test(name)) {
            runners.add(controller.get());
        }
    }

    /** A controller that cannot work without something the caller may not have. */
    private <T> void add(String name, @Nullable T material, Function<T, ControllerRunner<?>> controller) {
        names.add(name);
        if (wanted.test(name)) {
            if (material == null) {
                withoutMaterial.add(name);
            } else {
                runners.add(controller.apply(material));
            }
        }
    }

    /** Whether what some controllers share is of no use. */
    private boolean noneWanted(String... some) {
        names.addAll(List.of(some));
        return Stream.of(some).noneMatch(wanted);
    }

    private void addOfTheApi(Identities as, InstantSource clock, LongSupplier nanoTime) {
        add(
                "namespace-controller",
                () -> new NamespaceDeletion(as.as("namespace-controller"), followers, clock, nanoTime).controller());
        add(
                "garbage-collector-controller",
                () -> new GarbageCollector(as.as("generic-garbage-collector"), followers, nanoTime).controller());
        add(
                "persistentvolumeclaim-protection-controller",
                () -> new VolumeProtection(as.as(CoreControllers::ofVolumeProtection), followers, nanoTime)
                        .controller());
        add(
                "resourcequota-controller",
                () -> new QuotaStatus(as.as("resourcequota-controller"), followers, clock, nanoTime).controller());
        add(
                "certificatesigningrequest-cleaner-controller",
                () -> new CertificateRequestCleanup(as.as("certificate-controller"), followers, clock, nanoTime)
                        .controller());
        add(EVENT_EXPIRY, () -> new EventExpiry(as.as("event-expiry"), followers, clock, nanoTime).controller());
        add(
                "clusterrole-aggregation-controller",
                () -> new RoleAggregation(as.as("clusterrole-aggregation-controller"), followers, nanoTime)
                        .controller());
    }

    private void addOfCredentials(Identities as, Judges judges, InstantSource clock, LongSupplier nanoTime) {
        add(
                "legacy-serviceaccount-token-cleaner-controller",
                () -> new LegacyTokenCleanup(as.as("legacy-service-account-token-cleaner"), followers, clock, nanoTime)
                        .controller());
        Access access = judges.access();
        addNamespaceDefaults(as, access.rootCertificate(), nanoTime);
        add(
                "certificatesigningrequest-signing-controller",
                access.signer(),
                signer -> new CertificateRequestsController(
                                as.as("certificate-controller"),
                                followers,
                                access.authorizer(),
                                signer,
                                clock,
                                nanoTime)
                        .controller());
        add(
                "validatingadmissionpolicy-status-controller",
                judges.policies(),
                policies -> new PolicyStatus(
                                as.as("validatingadmissionpolicy-status-controller"), followers, policies, nanoTime)
                        .controller());
        String root = access.rootCertificate();
        add(
                "serviceaccount-token-controller",
                root == null ? null : access.tokens(),
                tokens -> new TokenSecrets(as.reader(), followers, tokens, root == null ? "" : root, nanoTime)
                        .controller());
    }

    /** Two of upstream's in one: both look after the same namespaces. */
    private void addNamespaceDefaults(Identities as, @Nullable String rootCertificate, LongSupplier nanoTime) {
        names.addAll(List.of(ACCOUNTS, ROOT_CERTIFICATES));
        boolean accounts = wanted.test(ACCOUNTS);
        boolean certificates = wanted.test(ROOT_CERTIFICATES);
        if (certificates && rootCertificate == null) {
            withoutMaterial.add(ROOT_CERTIFICATES);
        }
        String published = certificates ? rootCertificate : null;
        if (accounts || published != null) {
            runners.add(new NamespaceDefaults(
                            as.as(CoreControllers::ofNamespaceDefaults), followers, accounts, published, nanoTime)
                    .controller());
        }
    }

    private void addWorkloads(Identities as, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        if (noneWanted(
                "replicaset-controller",
                "replicationcontroller-controller",
                "deployment-controller",
                "statefulset-controller",
                "daemonset-controller",
                "disruption-controller")) {
            return;
        }
        Mirror<PodState> pods = new Mirror<>(followers, ReplicaControllers.PODS, PodState::of, PodState::words);
        Mirror<TemplateRevision> templates =
                new Mirror<>(followers, TemplateRevision.KIND, TemplateRevision::of, TemplateRevision::words);
        add(
                "replicaset-controller",
                () -> ReplicaControllers.replicaSets(
                        as.as("replicaset-controller"), followers, pods, fanout, clock, nanoTime));
        add(
                "replicationcontroller-controller",
                () -> ReplicaControllers.replicationControllers(
                        as.as("replication-controller"), followers, pods, fanout, clock, nanoTime));
        add(
                "deployment-controller",
                () -> new Deployments(as.as("deployment-controller"), followers, pods, clock, nanoTime).controller());
        add(
                "statefulset-controller",
                () -> new StatefulSets(as.as("statefulset-controller"), followers, templates, fanout, clock, nanoTime)
                        .controller());
        add(
                "daemonset-controller",
                () -> new DaemonSets(as.as("daemon-set-controller"), followers, templates, fanout, clock, nanoTime)
                        .controller());
        addScaling(as, pods, clock, nanoTime);
    }

    private void addServices(Identities as, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        if (noneWanted("endpointslice-controller", "endpoints-controller", "endpointslice-mirroring-controller")) {
            return;
        }
        ServicePods servicePods = new ServicePods(followers);
        Mirror<SliceState> slices = EndpointSlices.mirror(followers);
        add(
                "endpointslice-controller",
                () -> new EndpointSlices(
                                as.as("endpointslice-controller"),
                                followers,
                                servicePods,
                                slices,
                                fanout,
                                clock,
                                nanoTime)
                        .controller());
        add(
                "endpoints-controller",
                () -> new EndpointsObjects(as.as("endpoint-controller"), followers, servicePods, clock, nanoTime)
                        .controller());
        add(
                "endpointslice-mirroring-controller",
                () -> new EndpointMirroring(
                                as.as("endpointslicemirroring-controller"), followers, slices, fanout, clock, nanoTime)
                        .controller());
    }

    private void addBatch(Identities as, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        add("job-controller", () -> new Jobs(as.as("job-controller"), followers, fanout, clock, nanoTime).controller());
        add(
                "cronjob-controller",
                () -> new CronJobs(as.as("cronjob-controller"), followers, clock, ZoneId.systemDefault(), nanoTime)
                        .controller());
        add(
                "ttl-after-finished-controller",
                () -> new FinishedJobs(as.as("ttl-after-finished-controller"), followers, clock, nanoTime)
                        .controller());
    }

    private void addScaling(Identities as, Mirror<PodState> pods, InstantSource clock, LongSupplier nanoTime) {
        add(
                "disruption-controller",
                () -> new DisruptionBudgets(as.as("disruption-controller"), followers, pods, clock, nanoTime)
                        .controller());
        add(
                "horizontal-pod-autoscaler-controller",
                () -> new Autoscalers(as.as("horizontal-pod-autoscaler"), followers, pods, clock, nanoTime)
                        .controller());
    }

    private void addNodes(Identities as, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        if (noneWanted(
                "node-lifecycle-controller",
                "taint-eviction-controller",
                "node-ipam-controller",
                "ttl-controller",
                "pod-garbage-collector-controller")) {
            return;
        }
        Mirror<NodeState> nodes = NodeLifecycle.mirror(followers);
        Mirror<NodePod> pods = NodePod.mirror(followers);
        KubeApi api = as.as("node-controller");
        add(
                "node-lifecycle-controller",
                () -> new NodeLifecycle(api, followers, nodes, pods, fanout, clock, nanoTime).controller());
        add(
                "taint-eviction-controller",
                () -> new TaintEviction(api, followers, nodes, pods, clock, nanoTime).controller());
        add("node-ipam-controller", () -> new NodeRanges(api, followers, clock, nanoTime).controller());
        add("ttl-controller", () -> new NodeTtl(as.as("ttl-controller"), followers, nanoTime).controller());
        add(
                "pod-garbage-collector-controller",
                () -> new PodGarbage(
                                as.as("pod-garbage-collector"),
                                followers,
                                nodes,
                                pods,
                                fanout,
                                PodGarbage.MOST_ENDED,
                                clock,
                                nanoTime)
                        .controller());
    }

    private void addVolumes(Identities as, @Nullable Path volumes, InstantSource clock, LongSupplier nanoTime) {
        KubeApi binder = as.as("persistent-volume-binder");
        add(
                "persistentvolume-binder-controller",
                () -> new VolumeBinder(binder, followers, clock, nanoTime).controller());
        // Not one of upstream's, and of no use where nobody has its directories.
        if (volumes != null) {
            add(
                    "local-path-provisioner",
                    () -> new LocalVolumes(binder, followers, volumes, clock, nanoTime).controller());
        }
        add(
                "persistentvolume-expander-controller",
                () -> new VolumeExpansion(as.as("expand-controller"), followers, clock, nanoTime).controller());
        add(
                "ephemeral-volume-controller",
                () -> new EphemeralVolumes(as.as("ephemeral-volume-controller"), followers, clock, nanoTime)
                        .controller());
        add(
                "resourceclaim-controller",
                () -> new DeviceClaims(as.as("resource-claim-controller"), followers, clock, nanoTime).controller());
        String ofTaints = "device-taint-eviction-controller";
        add(ofTaints, () -> new DeviceTaintEviction(as.as(ofTaints), followers, clock, nanoTime).controller());
        add(
                "persistentvolume-attach-detach-controller",
                () -> new AttachDetach(as.as("attachdetach-controller"), followers, clock, nanoTime).controller());
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

    /** The controllers there are, wanted or not. */
    public Set<String> names() {
        return Collections.unmodifiableSet(names);
    }

    /** Controllers that were wanted and do not run, because what they need was not given. */
    public Set<String> withoutMaterial() {
        return Collections.unmodifiableSet(withoutMaterial);
    }

    /** The queues of all controllers in Prometheus' text format. */
    public String metrics() {
        SortedMap<String, QueueStatistics> queues = new TreeMap<>();
        for (ControllerRunner<?> runner : runners) {
            String bare = runner.name().replaceFirst("-controller$", "").replace('-', '_');
            queues.put(QUEUES.getOrDefault(runner.name(), bare), runner.queue().statistics());
        }
        return QueueStatistics.print(queues);
    }

    public void start() {
        followers.start();
        runners.forEach(ControllerRunner::start);
    }

    /** Tells the controllers what happened, without waiting for more. */
    public void pump() {
        followers.pump();
    }

    public List<ControllerRunner<?>> runners() {
        return Collections.unmodifiableList(runners);
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
