package lavaflow.access;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class NodeAuthorizerTest {
    private static final User NODE = new User("system:node:n1", List.of("system:nodes", User.AUTHENTICATED));

    private static Attributes get(String resource, String name) {
        return Attributes.ofResource("get", "", "v1", resource, "", "ns", name);
    }

    @Test
    void aNodeSeesWhatItsPodsUse(@TempDir Path directory) throws Exception {
        try (TestingRoles cluster = new TestingRoles(directory)) {
            NodeAuthorizer nodes = new NodeAuthorizer(cluster.store);
            String pod = """
                    {"spec":{"nodeName":"%s","serviceAccountName":"app","imagePullSecrets":[{"name":"pull"}],
                    "volumes":[{"secret":{"secretName":"mounted"}},{"projected":{"sources":[{"configMap":{"name":"maps"}},
                    {"secret":{"name":"projected"}}]}},{"persistentVolumeClaim":{"claimName":"data"}}],
                    "containers":[{"env":[{"valueFrom":{"secretKeyRef":{"name":"key"}}}]}]}}""";
            cluster.put("pods", "ns/here", pod.formatted("n1"));
            for (String secret : List.of("pull", "mounted", "projected", "key")) {
                assertThat(nodes.decide(NODE, get("secrets", secret)).allowed())
                        .as(secret)
                        .isTrue();
            }
            assertThat(nodes.decide(NODE, get("configmaps", "maps")).allowed()).isTrue();
            assertThat(nodes.decide(NODE, get("persistentvolumeclaims", "data")).allowed())
                    .isTrue();
            assertThat(nodes.decide(NODE, get("pods", "here")).allowed()).isTrue();
            assertThat(nodes.decide(NODE, get("secrets", "other")).reason())
                    .isEqualTo("no relationship found between node 'n1' and this object");
            cluster.put("pods", "ns/here", pod.formatted("n2"));
            assertThat(nodes.decide(NODE, get("secrets", "mounted")).allowed()).isFalse();
        }
    }

    @Test
    void aMirrorPodOpensNothing(@TempDir Path directory) throws Exception {
        try (TestingRoles cluster = new TestingRoles(directory)) {
            NodeAuthorizer nodes = new NodeAuthorizer(cluster.store);
            cluster.put(
                    "pods",
                    "ns/mirror",
                    "{\"metadata\":{\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}},\"spec\":{\"nodeName\":"
                            + "\"n1\",\"volumes\":[{\"secret\":{\"secretName\":\"s\"}}]}}");
            assertThat(nodes.decide(NODE, get("secrets", "s")).allowed()).isFalse();
        }
    }

    @Test
    void aVolumeBelongsToTheNodeOfItsClaim(@TempDir Path directory) throws Exception {
        try (TestingRoles cluster = new TestingRoles(directory)) {
            NodeAuthorizer nodes = new NodeAuthorizer(cluster.store);
            cluster.put(
                    "pods",
                    "ns/p",
                    "{\"spec\":{\"nodeName\":\"n1\",\"volumes\":[{\"persistentVolumeClaim\":{\"claimName\":\"c\"}}]}}");
            cluster.put("persistentvolumeclaims", "ns/c", "{\"spec\":{\"volumeName\":\"v\"}}");
            cluster.put(
                    "persistentvolumes",
                    "v",
                    "{\"spec\":{\"claimRef\":{\"namespace\":\"ns\",\"name\":\"c\"},\"csi\":{\"nodeStageSecretRef\":"
                            + "{\"namespace\":\"vault\",\"name\":\"stage\"}}}}");
            assertThat(nodes.decide(NODE, Attributes.ofResource("get", "", "v1", "persistentvolumes", "", "", "v"))
                            .allowed())
                    .isTrue();
            assertThat(nodes.decide(NODE, Attributes.ofResource("get", "", "v1", "secrets", "", "vault", "stage"))
                            .allowed())
                    .isTrue();
        }
    }

    @Test
    void whoIsNoNodeIsNoConcernOfIts(@TempDir Path directory) throws Exception {
        try (TestingRoles cluster = new TestingRoles(directory)) {
            NodeAuthorizer nodes = new NodeAuthorizer(cluster.store);
            for (User user : List.of(
                    new User("system:node:n1", List.of()),
                    new User("n1", List.of("system:nodes")),
                    new User("system:node:", List.of("system:nodes")))) {
                assertThat(nodes.decide(user, Attributes.ofResource("list", "", "v1", "services", "", "", "")))
                        .isEqualTo(Authorizer.NO_OPINION);
            }
        }
    }
}
