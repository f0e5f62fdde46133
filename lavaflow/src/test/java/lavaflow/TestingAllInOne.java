package lavaflow;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import lavaflow.access.User;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/** The whole program in this process, on a directory of its own and a free port. */
final class TestingAllInOne implements AutoCloseable {
    static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    static final KubeApi.Kind QUOTAS = KubeApi.Kind.core("resourcequotas");
    private static final KubeApi.Kind DEFINITIONS =
            new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false);
    private static final User ADMIN = new User("admin", List.of("system:masters"));
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final Home home;
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
        home = Home.of(directory);
        cluster = AllInOne.start(home, loopback(0), options);
        api = cluster.api(ADMIN);
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
        cluster = AllInOne.start(home, loopback(port));
        api = cluster.api(ADMIN);
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
                watch.next(left);
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
                    found -> found.stream()
                            .flatMap(each ->
                                    Json.listAt(each, "status", "conditions").valueStream())
                            .anyMatch(
                                    condition -> Json.textAt(condition, "type").equals("Established")
                                            && Json.textAt(condition, "status").equals("True")));
        }
    }

    void awaitThere(KubeApi.Kind kind, String namespace, String name) throws InterruptedException {
        await(kind, namespace, name, Optional::isPresent);
    }
}
