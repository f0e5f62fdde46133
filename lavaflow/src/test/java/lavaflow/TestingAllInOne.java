package lavaflow;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import lavaflow.access.User;
import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.JobDefinitions;
import lavaflow.kube.Json;
import lavaflow.scheduler.Definitions;
import lavaflow.trainer.TrainerDefinitions;
import lavaflow.trainer.TrainerRuntimes;
import lavaflow.training.TrainingDefinitions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The whole program in this process, on a directory of its own and a free port. What it makes by itself after its start, behind
 * everybody's back, is there before a test begins, also after a restart: nothing appears then that the test did not ask for.
 */
final class TestingAllInOne implements AutoCloseable {
    static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    static final KubeApi.Kind QUOTAS = KubeApi.Kind.core("resourcequotas");
    static final KubeApi.Kind DEFINITIONS =
            new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false);
    static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    private static final KubeApi.Kind RUNTIMES =
            new KubeApi.Kind("trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", false);
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    private static final KubeApi.Kind ROLES =
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterroles", false);
    private static final KubeApi.Kind SERVICES = new KubeApi.Kind("apiregistration.k8s.io", "v1", "apiservices", false);
    private static final User ADMIN = new User("admin", List.of("system:masters"));
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** What is waited for may depend on more than what is watched. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    final Home home;
    private final AllInOne.Options options;
    AllInOne cluster;
    KubeApi api;

    TestingAllInOne(Path directory) throws Exception {
        this(directory, true);
    }

    /**
     * @param workloads whether pods are made of what asks for them
     */
    TestingAllInOne(Path directory, boolean workloads) throws Exception {
        this(directory, AllInOne.Options.usual(workloads, List.of()));
    }

    TestingAllInOne(Path directory, AllInOne.Options options) throws Exception {
        this.home = Home.of(directory);
        this.options = options;
        begin(0);
    }

    private void begin(int port) throws Exception {
        cluster = startAt(port);
        api = cluster.api(ADMIN);
        try {
            awaitFurnished();
        } catch (InterruptedException | RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    /** Whoever asks for any port may have got the one that was given back a moment ago. */
    private AllInOne startAt(int port) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return AllInOne.start(home, loopback(port), options);
            } catch (IOException e) {
                boolean taken = port != 0 && String.valueOf(e.getMessage()).contains(":" + port);
                if (!taken || System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(LOOK);
            }
        }
    }

    private void awaitFurnished() throws InterruptedException {
        for (ObjectNode namespace :
                api.list(NAMESPACES, "", KubeApi.View.METADATA).items()) {
            String name = Json.textAt(namespace, "metadata", "name");
            awaitThere(ACCOUNTS, name, "default");
            awaitThere(MAPS, name, "kube-root-ca.crt");
        }
        if (options.scheduling()) {
            for (DefinitionFiles files : List.of(
                    Definitions.FILES, JobDefinitions.FILES, TrainingDefinitions.FILES, TrainerDefinitions.FILES)) {
                for (String name : files.names()) {
                    awaitServed(name);
                    awaitServices(name);
                }
            }
            for (String runtime : TrainerRuntimes.FILES.names()) {
                awaitThere(RUNTIMES, "", runtime);
            }
            awaitThere(QUEUES, "", "root");
            awaitThere(QUEUES, "", "default");
        }
        if (options.workloads() && options.scheduling()) {
            awaitQueue("root", "Open");
            awaitQueue("default", "Open");
        }
        await(ROLES, "", "admin", _ -> areAggregated());
    }

    /** Every version of a custom kind is an API service. */
    private void awaitServices(String definition) throws InterruptedException {
        ObjectNode found = api.find(DEFINITIONS, "", definition).orElseThrow();
        String group = Json.textAt(found, "spec", "group");
        for (JsonNode version : Json.listAt(found, "spec", "versions")) {
            awaitThere(SERVICES, "", Json.textAt(version, "name") + "." + group);
        }
    }

    /** Roles that are made of others have all their rules. */
    private boolean areAggregated() {
        List<ObjectNode> roles = api.list(ROLES, "", KubeApi.View.WHOLE).items();
        return roles.stream().allMatch(role -> {
            Set<JsonNode> rules = new HashSet<>();
            Json.listAt(role, "rules").forEach(rules::add);
            return roles.stream()
                    .filter(part -> isPart(part, role))
                    .allMatch(part -> Json.listAt(part, "rules").valueStream().allMatch(rules::contains));
        });
    }

    private static boolean isPart(ObjectNode part, ObjectNode role) {
        return Json.listAt(role, "aggregationRule", "clusterRoleSelectors")
                .valueStream()
                .anyMatch(selector -> selector.path("matchLabels").properties().stream()
                        .allMatch(label -> Json.textAt(part, "metadata", "labels", label.getKey())
                                .equals(label.getValue().asText())));
    }

    /** Waits until nodes can be used. */
    void awaitReady(String... nodes) throws InterruptedException {
        for (String node : nodes) {
            await(
                    NODES,
                    "",
                    node,
                    found -> found.filter(each -> has(each, "Ready")).isPresent());
        }
    }

    private static boolean has(ObjectNode object, String condition) {
        return Json.listAt(object, "status", "conditions")
                .valueStream()
                .anyMatch(each -> Json.textAt(each, "type").equals(condition)
                        && Json.textAt(each, "status").equals("True"));
    }

    void awaitQueue(String name, String state) throws InterruptedException {
        await(
                QUEUES,
                "",
                name,
                found -> found.isPresent()
                        && Json.textAt(found.get(), "status", "state").equals(state));
    }

    static AllInOne start(Home home) throws Exception {
        return AllInOne.start(home, loopback(0));
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
    }

    void restart() throws Exception {
        restart(0);
    }

    void restart(int port) throws Exception {
        cluster.close();
        begin(port);
    }

    @Override
    public void close() throws IOException {
        cluster.close();
    }

    static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }

    static ObjectNode owned(String name, ObjectNode owner) {
        ObjectNode object = named(name);
        ObjectNode reference = Json.ensureObject(object, "metadata")
                .withArray("ownerReferences")
                .addObject();
        reference.put("apiVersion", "v1").put("kind", "ConfigMap");
        reference.put("name", Json.textAt(owner, "metadata", "name"));
        reference.put("uid", Json.textAt(owner, "metadata", "uid"));
        reference.put("blockOwnerDeletion", true);
        return object;
    }

    ObjectNode create(ObjectNode map) {
        return api.create(MAPS, "default", map);
    }

    void delete(String name, String policy) {
        api.delete(MAPS, "default", name, new KubeApi.Deletion(null, null, policy));
    }

    /** Waits, by watching, until an object is as wanted; absent ones are shown as empty. */
    void await(KubeApi.Kind kind, String namespace, String name, Predicate<Optional<ObjectNode>> wanted)
            throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long revision = api.list(kind, namespace, KubeApi.View.METADATA, _ -> {});
        try (KubeApi.Watch watch = api.watch(kind, revision, KubeApi.View.METADATA)) {
            while (!wanted.test(api.find(kind, namespace, name))) {
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                assertThat(left.isPositive())
                        .as("%s %s/%s in time", kind, namespace, name)
                        .isTrue();
                watch.next(left.compareTo(LOOK) < 0 ? left : LOOK);
            }
        }
    }

    void awaitGone(KubeApi.Kind kind, String namespace, String name) throws InterruptedException {
        await(kind, namespace, name, Optional::isEmpty);
    }

    /** Waits until custom kinds can be used. */
    void awaitServed(String... definitions) throws InterruptedException {
        for (String definition : definitions) {
            await(
                    DEFINITIONS,
                    "",
                    definition,
                    found -> found.filter(each -> has(each, "Established")).isPresent());
        }
    }

    void awaitThere(KubeApi.Kind kind, String namespace, String name) throws InterruptedException {
        await(kind, namespace, name, Optional::isPresent);
    }
}
