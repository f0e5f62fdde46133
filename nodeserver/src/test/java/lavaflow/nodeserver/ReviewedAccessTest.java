package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ReviewedAccessTest {
    @TempDir
    private static Path directory;

    private static KeyStore keys;

    private final List<ObjectNode> reviews = new ArrayList<>();
    private boolean allowing = true;
    private boolean hidden;
    private Instant now = Instant.now();
    private final ReviewedAccess access = new ReviewedAccess(api(), "here", () -> now);

    @BeforeAll
    static void makeKeys() throws Exception {
        keytool("ca", "CN=cluster", "-ext", "bc:c");
        keytool(
                "client",
                "CN=kube-apiserver-kubelet-client,O=system:masters",
                "-signer",
                "ca",
                "-ext",
                "EKU=clientAuth");
        keytool("server", "CN=somebody", "-signer", "ca", "-ext", "EKU=serverAuth");
        keytool("stranger", "CN=kube-apiserver-kubelet-client,O=system:masters", "-ext", "EKU=clientAuth");
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve("keys.p12"))) {
            keys.load(in, "testing".toCharArray());
        }
    }

    private static void keytool(String alias, String name, String... more) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-keyalg", "EC"));
        line.addAll(List.of("-groupname", "secp256r1", "-alias", alias, "-dname", name, "-storetype", "PKCS12"));
        line.addAll(List.of("-keystore", directory.resolve("keys.p12").toString(), "-storepass", "testing"));
        line.addAll(List.of(more));
        Process tool = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(tool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(said);
        }
    }

    private static X509Certificate certificate(String alias) throws Exception {
        return (X509Certificate) keys.getCertificate(alias);
    }

    /** An API that has the authority of the cluster, knows the token "good", and allows as the test says. */
    private KubeApi api() {
        return (KubeApi) Proxy.newProxyInstance(
                KubeApi.class.getClassLoader(),
                new Class<?>[] {KubeApi.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "find" -> {
                        if (hidden) {
                            throw ApiException.forbidden("", "configmaps", "extension-apiserver-authentication", "no");
                        }
                        yield Optional.of(published());
                    }
                    case "create" -> answer((ObjectNode) arguments[2]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static ObjectNode published() throws Exception {
        ObjectNode map = Json.object();
        map.putObject("data")
                .put(
                        "client-ca-file",
                        "-----BEGIN CERTIFICATE-----\n"
                                + Base64.getMimeEncoder()
                                        .encodeToString(certificate("ca").getEncoded())
                                + "\n-----END CERTIFICATE-----\n");
        return map;
    }

    private ObjectNode answer(ObjectNode review) {
        reviews.add(review);
        ObjectNode answer = Json.object();
        ObjectNode status = answer.putObject("status");
        if (Json.textAt(review, "kind").equals("TokenReview")) {
            status.put("authenticated", Json.textAt(review, "spec", "token").equals("good"));
            status.putObject("user")
                    .put("username", "scraper")
                    .putArray("groups")
                    .add("scrapers");
        } else {
            status.put("allowed", allowing);
        }
        return answer;
    }

    @Test
    void whereTheAuthorityMayNotBeReadTokensStillCount() throws Exception {
        hidden = true;

        assertThat(access.byCertificate(List.of(certificate("client"), certificate("ca"))))
                .isEmpty();
        assertThat(access.byToken("good")).isPresent();
    }

    @Test
    void clientsOfTheClusterAreKnownByTheirCertificates() throws Exception {
        var caller = access.byCertificate(List.of(certificate("client"), certificate("ca")));

        assertThat(caller).isPresent();
        assertThat(caller.get().name()).isEqualTo("kube-apiserver-kubelet-client");
        assertThat(caller.get().groups()).containsExactly("system:masters", "system:authenticated");
        assertThat(access.byCertificate(List.of(certificate("client")))).isPresent();
    }

    @Test
    void certificatesOfOthersOrForOtherThingsOrOfOtherTimesSayNothing() throws Exception {
        assertThat(access.byCertificate(List.of())).isEmpty();
        assertThat(access.byCertificate(List.of(certificate("stranger")))).isEmpty();
        assertThat(access.byCertificate(List.of(certificate("server")))).isEmpty();
        now = now.plus(Duration.ofDays(4000));
        assertThat(access.byCertificate(List.of(certificate("client")))).isEmpty();
    }

    @Test
    void tokensAreReviewedAndRememberedForAWhile() {
        assertThat(access.byToken("good")).map(NodeAccess.Caller::name).contains("scraper");
        assertThat(access.byToken("good")).isPresent();
        assertThat(reviews).hasSize(1);
        now = now.plus(Duration.ofMinutes(3));
        assertThat(access.byToken("good")).isPresent();
        assertThat(reviews).hasSize(2);
    }

    @Test
    void badTokensAreReviewedEachTime() {
        assertThat(access.byToken("bad")).isEmpty();
        assertThat(access.byToken("bad")).isEmpty();
        assertThat(reviews).hasSize(2);
    }

    @Test
    void rightsAreReviewedAndRememberedForAWhile() {
        NodeAccess.Caller caller = new NodeAccess.Caller("x", "", List.of("g"), Map.of("k", List.of("v")));
        NodeAccess.Wish wish = new NodeAccess.Wish("get", List.of("stats"));

        assertThat(access.allows(caller, wish)).isTrue();
        assertThat(access.allows(caller, wish)).isTrue();

        assertThat(reviews).hasSize(1);
        assertThat(Json.string(Json.at(reviews.getFirst(), "spec")))
                .isEqualTo("{\"resourceAttributes\":{\"verb\":\"get\",\"version\":\"v1\",\"resource\":\"nodes\","
                        + "\"subresource\":\"stats\",\"name\":\"here\"},\"user\":\"x\",\"groups\":[\"g\"],"
                        + "\"extra\":{\"k\":[\"v\"]}}");
    }

    @Test
    void aRefusalIsForgottenSooner() {
        NodeAccess.Caller caller = new NodeAccess.Caller("x", "", List.of(), Map.of());
        NodeAccess.Wish wish = new NodeAccess.Wish("get", List.of("pods", "proxy"));
        allowing = false;
        assertThat(access.allows(caller, wish)).isFalse();
        assertThat(reviews).as("each part was asked for").hasSize(2);
        allowing = true;
        assertThat(access.allows(caller, wish)).isFalse();
        now = now.plus(Duration.ofSeconds(31));
        assertThat(access.allows(caller, wish)).isTrue();
    }

    @Test
    void onlySoMuchIsRemembered() {
        for (int i = 0; i < 2_000; i++) {
            access.allows(
                    new NodeAccess.Caller("user " + i, "", List.of(), Map.of()),
                    new NodeAccess.Wish("get", List.of("stats")));
        }
        assertThat(reviews).hasSize(2_000);
        access.allows(
                new NodeAccess.Caller("user 0", "", List.of(), Map.of()), new NodeAccess.Wish("get", List.of("stats")));
        assertThat(reviews).as("the oldest was forgotten").hasSize(2_001);
    }
}
