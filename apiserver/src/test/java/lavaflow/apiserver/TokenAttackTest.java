package lavaflow.apiserver;

import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import lavaflow.access.AccountTokens;
import lavaflow.kube.Json;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tokens that should not be believed, and the refusals they meet. */
final class TokenAttackTest {
    private static final String ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
    private static final String WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

    @TempDir
    private static Path directory;

    private static TestingServer server;
    private static HttpClient stranger;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory);
        stranger = server.anonymous();
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"theirs\"}}");
        server.post(
                "/api/v1/namespaces/theirs/secrets",
                "{\"metadata\":{\"name\":\"s\"},\"stringData\":{\"k\":\"hidden\"}}");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }
    /** How a bearer of a token is answered. */
    private static int code(String token) throws Exception {
        return server.send(
                        stranger,
                        "POST",
                        WHO,
                        "{}",
                        "Authorization",
                        "Bearer " + token,
                        "Content-Type",
                        "application/json")
                .code();
    }

    private static String token() throws Exception {
        return Json.textAt(server.post(ACCOUNTS + "/default/token", "{}").json(), "status", "token");
    }

    private static String part(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String claims(String token) {
        return new String(Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]), StandardCharsets.UTF_8);
    }

    private static String header(String token) {
        return new String(Base64.getUrlDecoder().decode(token.split("\\.", -1)[0]), StandardCharsets.UTF_8);
    }

    private static AccountTokens.Content content(String namespace, String uid, long seconds, String audience) {
        return new AccountTokens.Content(
                namespace,
                new AccountTokens.Reference("default", uid),
                null,
                null,
                null,
                List.of(audience),
                seconds,
                null);
    }

    private static String uid() throws Exception {
        return Json.textAt(server.get(ACCOUNTS + "/default").json(), "metadata", "uid");
    }

    @Test
    void aGoodTokenIsGood() throws Exception {
        assertThat(code(token())).isEqualTo(201);
    }

    @Test
    void anExpiredTokenIsRefused() throws Exception {
        String expired = server.tokens().issue(content("default", uid(), -10, AccountTokens.ISSUER));
        assertThat(code(expired)).isEqualTo(401);
    }

    @Test
    void aTokenForOthersIsRefused() throws Exception {
        assertThat(code(server.tokens().issue(content("default", uid(), 600, "vault"))))
                .isEqualTo(401);
    }

    @Test
    void aTokenOfAnAccountOfAnotherUidIsRefused() throws Exception {
        assertThat(code(server.tokens().issue(content("default", "other", 600, AccountTokens.ISSUER))))
                .isEqualTo(401);
        assertThat(code(server.tokens().issue(content("theirs", uid(), 600, AccountTokens.ISSUER))))
                .isEqualTo(401);
    }

    @Test
    void aTokenOfADeletedAccountIsRefused() throws Exception {
        server.post(ACCOUNTS, "{\"metadata\":{\"name\":\"gone\"}}");
        String token = Json.textAt(server.post(ACCOUNTS + "/gone/token", "{}").json(), "status", "token");
        assertThat(code(token)).isEqualTo(201);
        server.delete(ACCOUNTS + "/gone");
        assertThat(code(token)).isEqualTo(401);
    }

    @Test
    void aTokenOfADeletedPodIsRefused() throws Exception {
        String pods = "/api/v1/namespaces/default/pods";
        server.post(
                pods, "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
        String token = Json.textAt(
                server.post(
                                ACCOUNTS + "/default/token",
                                "{\"spec\":{\"boundObjectRef\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\"}}}")
                        .json(),
                "status",
                "token");
        assertThat(code(token)).isEqualTo(201);
        server.delete(pods + "/p?gracePeriodSeconds=0");
        assertThat(code(token)).isEqualTo(401);
    }

    @Test
    void changedClaimsAreRefused() throws Exception {
        String token = token();
        String[] parts = token.split("\\.", -1);
        String other = claims(token).replace("default", "kube-system");
        assertThat(code(parts[0] + "." + part(other) + "." + parts[2])).isEqualTo(401);
        assertThat(code(parts[0] + "." + parts[1] + ".")).isEqualTo(401);
        assertThat(code(parts[0] + "." + parts[1] + "." + parts[2].substring(4)))
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "None", "NONE", "", "HS256", "RS384", "PS256", "ES256", "EdDSA"})
    void anotherAlgorithmIsRefused(String algorithm) throws Exception {
        String token = token();
        String[] parts = token.split("\\.", -1);
        String head = part(header(token).replace("RS256", algorithm));
        assertThat(code(head + "." + parts[1] + "." + parts[2])).isEqualTo(401);
        assertThat(code(head + "." + parts[1] + ".")).isEqualTo(401);
    }

    @Test
    void thePublicKeyIsNoSecret() throws Exception {
        String token = token();
        ObjectNode key =
                (ObjectNode) server.tokens().keys().keySet().path("keys").get(0);
        String head = part(header(token).replace("RS256", "HS256"));
        String signed = head + "." + token.split("\\.", -1)[1];
        for (byte[] secret : List.of(
                Base64.getUrlDecoder().decode(Json.textAt(key, "n")),
                Json.bytes(key),
                Json.textAt(key, "n").getBytes(StandardCharsets.US_ASCII))) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            byte[] signature = mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII));
            assertThat(code(signed + "."
                            + Base64.getUrlEncoder().withoutPadding().encodeToString(signature)))
                    .isEqualTo(401);
        }
    }

    @Test
    void anotherKeyIsRefusedWhateverItCallsItself() throws Exception {
        String token = token();
        KeyPair pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        for (String head : List.of(
                header(token),
                "{\"alg\":\"RS256\"}",
                "{\"alg\":\"RS256\",\"kid\":\"x\"}",
                "{\"alg\":\"RS256\",\"jwk\":{\"kty\":\"RSA\"}}",
                "{\"alg\":\"RS256\",\"crit\":[\"exp\"]}")) {
            String signed = part(head) + "." + token.split("\\.", -1)[1];
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(pair.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            assertThat(code(signed + "."
                            + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign())))
                    .isEqualTo(401);
        }
    }

    @Test
    void anotherIssuerIsRefused() throws Exception {
        String token = token();
        String[] parts = token.split("\\.", -1);
        String other = claims(token).replace(AccountTokens.ISSUER, "https://evil.example.com");
        assertThat(code(parts[0] + "." + part(other) + "." + parts[2])).isEqualTo(401);
    }

    @Test
    void aBadTokenIsNotServedAsNobody() throws Exception {
        assertThat(server.send(stranger, "GET", "/livez", "", "Authorization", "Bearer x")
                        .code())
                .isEqualTo(401);
    }

    @Test
    void aSecondAuthorizationDoesNotCount() throws Exception {
        assertThat(server.send(
                                stranger,
                                "GET",
                                "/api",
                                "",
                                "Authorization",
                                "Bearer nonsense",
                                "Authorization",
                                "Bearer " + token())
                        .code())
                .isEqualTo(401);
    }

    @Test
    void secretsDoNotGetIntoLogs() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger("lavaflow.requests");
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                lines.add(event.getFormattedMessage());
            }
        };
        Level before = root.getLevel();
        log.start();
        root.addAppender(log);
        root.setLevel(Level.TRACE);
        try {
            String token = token();
            code(token);
            code(token.substring(0, token.length() - 8) + "AAAAAAAA");
            server.get("/api/v1/namespaces/theirs/secrets/s");
            // The line of a request comes after its answer.
            await().atMost(Duration.ofMinutes(1)).until(() -> lines.size() >= 4);
            for (String line : lines) {
                assertThat(line)
                        .doesNotContain(token.substring(20, 60))
                        .doesNotContain("hidden")
                        .doesNotContain(Base64.getEncoder().encodeToString("hidden".getBytes(StandardCharsets.UTF_8)));
            }
        } finally {
            root.setLevel(before);
            root.detachAppender(log);
        }
    }
}
