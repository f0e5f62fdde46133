package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.ACCOUNTS;
import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.NAMESPACES;
import static org.assertj.core.api.Assertions.assertThat;

class NamespaceDefaultsTest {
    private static final String ROOT_CA = "kube-root-ca.crt";

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        cluster.run(new NamespaceDefaults(api, cluster.followers, true, "the certificate", cluster.nanoTime())
                .controller());
    }

    private void namespace() {
        cluster.namespace("team");
        cluster.settle();
        api.takeWrites();
    }

    @Test
    void aNamespaceGetsAnAccountAndTheRootCertificate() {
        namespace();

        assertThat(api.has(ACCOUNTS, "team", "default")).isTrue();
        ObjectNode map = api.get(MAPS, "team", ROOT_CA);
        assertThat(map.path("data")).isEqualTo(Json.object().put("ca.crt", "the certificate"));
        assertThat(Json.textAt(map, "metadata", "annotations", "kubernetes.io/description"))
                .isNotEmpty();
    }

    @Test
    void namespacesThatWereThereBeforeTheStartGetThemToo() {
        cluster.namespace("early");
        cluster.settle();

        assertThat(api.has(ACCOUNTS, "early", "default")).isTrue();
        assertThat(api.has(MAPS, "early", ROOT_CA)).isTrue();
    }

    @Test
    void whatUsersDeleteComesBack() {
        namespace();
        cluster.delete(ACCOUNTS, "team", "default", "Background");
        cluster.delete(MAPS, "team", ROOT_CA, "Background");
        cluster.settle();

        assertThat(api.has(ACCOUNTS, "team", "default")).isTrue();
        assertThat(api.has(MAPS, "team", ROOT_CA)).isTrue();
    }

    @Test
    void whatUsersChangeIsPutRight() {
        namespace();
        api.edit(MAPS, "team", ROOT_CA, map -> {
            Json.ensureObject(map, "data").put("ca.crt", "another").put("more", "text");
            Json.ensureObject(map, "metadata").remove("annotations");
            Json.ensureObject(map, "metadata", "labels").put("mine", "yes");
            return map;
        });
        cluster.settle();

        ObjectNode map = api.get(MAPS, "team", ROOT_CA);
        assertThat(map.path("data")).isEqualTo(Json.object().put("ca.crt", "the certificate"));
        assertThat(Json.textAt(map, "metadata", "annotations", "kubernetes.io/description"))
                .isNotEmpty();
        assertThat(Json.textAt(map, "metadata", "labels", "mine")).isEqualTo("yes");
    }

    @Test
    void whatIsRightIsNotWrittenAgain() {
        namespace();
        api.edit(NAMESPACES, "", "team", namespace -> {
            Json.ensureObject(namespace, "metadata", "labels").put("a", "b");
            return namespace;
        });
        api.takeWrites();
        cluster.settle();

        assertThat(api.takeWrites()).isEmpty();
    }

    @Test
    void aNamespaceThatGoesIsNotFurnished() {
        namespace();
        cluster.delete(NAMESPACES, "", "team", "Background");
        cluster.delete(MAPS, "team", ROOT_CA, "Background");
        api.takeWrites();
        cluster.settle();

        assertThat(api.takeWrites()).isEmpty();
        assertThat(api.has(MAPS, "team", ROOT_CA)).isFalse();
    }

    @Test
    void aRefusalBecauseTheNamespaceGoesIsTheEndOfIt() {
        cluster.namespace("team");
        ApiException refusal = ApiException.forbidden("", "serviceaccounts", "default", "it is being terminated")
                .cause("NamespaceTerminating", "namespace team is being terminated", "");
        api.fail("create serviceaccounts team/default", refusal);
        cluster.settle();
        api.takeWrites();
        cluster.pass(Duration.ofHours(1));

        assertThat(api.takeWrites()).isEmpty();
    }

    @Test
    void anyOtherRefusalIsTriedAgain() {
        cluster.namespace("team");
        api.fail(
                "create configmaps team/" + ROOT_CA,
                ApiException.forbidden("", "configmaps", ROOT_CA, "exceeded quota: small"));
        cluster.settle();
        cluster.pass(Duration.ofMillis(5));

        assertThat(api.has(MAPS, "team", ROOT_CA)).isTrue();
    }

    @Test
    void othersMayHaveMadeThemFirst() {
        api.fail("create serviceaccounts team/default", ApiException.alreadyExists("", "serviceaccounts", "default"));
        namespace();

        assertThat(api.has(MAPS, "team", ROOT_CA)).isTrue();
    }

    @Test
    void otherMapsOfTheNamespaceAreNoConcern() {
        namespace();
        api.create(MAPS, "team", TestingCluster.named("settings"));
        api.takeWrites();
        cluster.settle();

        assertThat(api.requestCount()).isZero();
    }
}
