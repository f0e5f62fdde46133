package lavaflow.access;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** How long a decision takes; {@code bench/access} runs it. Prints one line for each kind of user. */
final class RoleBenchmark {
    private static final int NAMESPACES = 1_000;
    private static final int ROUNDS = 200_000;

    private RoleBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory("roles");
        try (TestingRoles cluster = new TestingRoles(directory)) {
            for (ObjectNode object : BootstrapRoles.all()) {
                String namespace = Json.textAt(object, "metadata", "namespace");
                String name = Json.textAt(object, "metadata", "name");
                cluster.put(
                        "rbac.authorization.k8s.io/" + BootstrapRoles.resource(object),
                        namespace.isEmpty() ? name : namespace + "/" + name,
                        Json.string(object));
            }
            for (int i = 0; i < NAMESPACES; i++) {
                cluster.role("ns" + i + "/r", TestingRoles.rule("get", "", "pods"));
                cluster.bind("ns" + i + "/b", "Role", "r", TestingRoles.user("user" + i));
            }
            Authorizer chain = Authorizer.chain(List.of(
                    Authorizer.masters(),
                    new NodeAuthorizer(cluster.store),
                    new RoleAuthorizer(new Roles(cluster.store))));
            Attributes get = Attributes.ofResource("get", "", "v1", "pods", "", "ns500", "p");
            measure("master", chain, new User("admin", List.of(User.MASTERS)), get);
            measure("bound in a namespace", chain, user("user500"), get);
            measure("not bound, refused", chain, user("stranger"), get);
            measure("controller", chain, ServiceAccounts.user("kube-system", "generic-garbage-collector"), get);
        }
    }

    private static User user(String name) {
        return new User(name, List.of("dev", "ops", User.AUTHENTICATED));
    }

    private static void measure(String title, Authorizer authorizer, User user, Attributes attributes) {
        long[] nanos = new long[ROUNDS];
        boolean allowed = false;
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            allowed |= authorizer.decide(user, attributes).allowed();
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        // The suite that runs this reads what it prints.
        Console.line("%-24s allowed %-5s p50 %6.2f us  p99 %6.2f us"
                .formatted(title, allowed, nanos[ROUNDS / 2] / 1e3, nanos[ROUNDS * 99 / 100] / 1e3));
    }

    private static final class Console {
        static void line(String text) {
            java.io.PrintWriter out = new java.io.PrintWriter(
                    new java.io.FileOutputStream(java.io.FileDescriptor.out),
                    true,
                    java.nio.charset.StandardCharsets.UTF_8);
            out.println(text);
        }
    }
}
