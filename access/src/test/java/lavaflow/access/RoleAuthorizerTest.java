package lavaflow.access;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

import lavaflow.store.Mutation;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RoleAuthorizerTest {
    private static final User BOB = new User("bob", List.of("dev", User.AUTHENTICATED));

    private TestingRoles cluster;
    private RoleAuthorizer roles;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        cluster = new TestingRoles(directory);
        roles = new RoleAuthorizer(new Roles(cluster.store));
    }

    @AfterEach
    void close() throws Exception {
        cluster.close();
    }

    private static Attributes get(String namespace, String resource) {
        return Attributes.ofResource("get", "", "v1", resource, "", namespace, "x");
    }

    @Test
    void aRoleCountsInItsNamespaceOnly() {
        cluster.role("one/reader", TestingRoles.rule("get", "", "pods"));
        cluster.bind("one/b", "Role", "reader", TestingRoles.user("bob"));
        assertThat(roles.decide(BOB, get("one", "pods")).allowed()).isTrue();
        assertThat(roles.decide(BOB, get("two", "pods")).allowed()).isFalse();
        assertThat(roles.decide(BOB, get("", "pods")).allowed()).isFalse();
        assertThat(roles.decide(BOB, get("one", "secrets")).allowed()).isFalse();
    }

    @Test
    void aClusterRoleCountsWhereItIsBound() {
        cluster.role("reader", TestingRoles.rule("get", "", "pods"));
        cluster.bind("one/b", "ClusterRole", "reader", "{\"kind\":\"Group\",\"name\":\"dev\"}");
        assertThat(roles.decide(BOB, get("one", "pods")).allowed()).isTrue();
        assertThat(roles.decide(BOB, get("two", "pods")).allowed()).isFalse();
        cluster.bind("everywhere", "ClusterRole", "reader", TestingRoles.user("bob"));
        assertThat(roles.decide(BOB, get("two", "pods")).reason())
                .isEqualTo("RBAC: allowed by ClusterRoleBinding \"everywhere\" of ClusterRole \"reader\" to User"
                        + " \"bob\"");
    }

    @Test
    void aRoleOfTheSameNameElsewhereIsAnotherRole() {
        cluster.role("two/reader", TestingRoles.rule("*", "*", "*"));
        cluster.bind("one/b", "Role", "reader", TestingRoles.user("bob"));
        assertThat(roles.decide(BOB, get("one", "pods")).reason())
                .isEqualTo("RBAC: role.rbac.authorization.k8s.io \"reader\" not found");
    }

    /** A change must not be seen in parts by whoever asks meanwhile. */
    @Test
    void whoStaysBoundIsNeverWithoutWhileTheBindingIsWritten() throws Exception {
        cluster.role("reader", TestingRoles.rule("get", "", "pods"));
        String bob = TestingRoles.user("bob");
        cluster.bind("b", "ClusterRole", "reader", bob);
        assertThat(roles.decide(BOB, get("one", "pods")).allowed()).isTrue();
        AtomicBoolean done = new AtomicBoolean();
        List<FutureTask<Integer>> askers = new ArrayList<>();
        for (int asker = 0; asker < 3; asker++) {
            FutureTask<Integer> refusals = new FutureTask<>(() -> {
                int refused = 0;
                while (!done.get()) {
                    refused += roles.decide(BOB, get("one", "pods")).allowed() ? 0 : 1;
                }
                return refused;
            });
            Thread.ofPlatform().start(refusals);
            askers.add(refusals);
        }
        for (int i = 0; i < 1_000; i++) {
            cluster.bind("b", "ClusterRole", "reader", bob + "," + TestingRoles.user("u" + i));
        }
        done.set(true);
        for (FutureTask<Integer> refusals : askers) {
            assertThat(refusals.get()).isZero();
        }
        cluster.bind("b", "ClusterRole", "reader", TestingRoles.user("eve"));
        assertThat(roles.decide(BOB, get("one", "pods")).allowed()).isFalse();
    }

    @Test
    void aUserIsNotAGroupOfThatName() {
        cluster.role("reader", TestingRoles.rule("get", "", "pods"));
        cluster.bind("b", "ClusterRole", "reader", "{\"kind\":\"Group\",\"name\":\"bob\"}");
        assertThat(roles.decide(BOB, get("one", "pods")).allowed()).isFalse();
    }

    @Test
    void changesCountAtOnce() {
        cluster.role("one/reader", TestingRoles.rule("get", "", "pods"));
        cluster.bind("one/b", "Role", "reader", TestingRoles.user("bob"));
        assertThat(roles.decide(BOB, get("one", "pods")).allowed()).isTrue();
        cluster.role("one/reader", TestingRoles.rule("get", "", "secrets"));
        assertThat(roles.decide(BOB, get("one", "pods")).allowed()).isFalse();
        assertThat(roles.decide(BOB, get("one", "secrets")).allowed()).isTrue();
        cluster.bind("one/b", "Role", "reader", TestingRoles.user("eve"));
        assertThat(roles.decide(BOB, get("one", "secrets")).allowed()).isFalse();
        var stored = cluster.store.get("rbac.authorization.k8s.io/rolebindings", "one/b");
        cluster.store.commit(new Mutation.Delete(
                "rbac.authorization.k8s.io/rolebindings",
                "one/b",
                Mutation.ANY,
                new lavaflow.store.Content(stored.bytes().clone(), -1),
                false));
        assertThat(roles.decide(new User("eve", List.of()), get("one", "secrets"))
                        .allowed())
                .isFalse();
    }

    @Test
    void aServiceAccountWithoutNamespaceIsOfTheBinding() {
        cluster.role("one/reader", TestingRoles.rule("get", "", "pods"));
        cluster.bind("one/b", "Role", "reader", "{\"kind\":\"ServiceAccount\",\"name\":\"app\"}");
        User app = ServiceAccounts.user("one", "app");
        assertThat(roles.decide(app, get("one", "pods")).reason()).endsWith("to ServiceAccount \"app/one\"");
        assertThat(roles.decide(ServiceAccounts.user("two", "app"), get("one", "pods"))
                        .allowed())
                .isFalse();
    }
}
