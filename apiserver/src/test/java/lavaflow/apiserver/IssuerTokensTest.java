package lavaflow.apiserver;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import lavaflow.access.AuthenticationConfiguration;
import lavaflow.access.IssuerFile;
import lavaflow.access.IssuerTokens;
import lavaflow.access.TokenAuthenticator;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tokens of an issuer on this machine, over TLS of its own. */
class IssuerTokensTest {
    private static final List<String> API = List.of("api");

    private static final KeyPair PAIR = newKey();

    private final AtomicInteger asked = new AtomicInteger();
    private HttpsServer issuer;
    private String url;
    private IssuerTokens tokens;
    private String authorityPem;

    private static KeyPair newKey() {
        try {
            return KeyPairGenerator.getInstance("RSA").generateKeyPair();
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void start() throws Exception {
        CertificateAuthority authority = CertificateAuthority.create("issuer", Instant.now());
        Identity identity = authority.issueServer("issuer", List.of("localhost"), List.of("127.0.0.1"), Instant.now());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry(
                "server", identity.key(), new char[0], new java.security.cert.Certificate[] {identity.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, new char[0]);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        issuer = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        issuer.setHttpsConfigurator(new HttpsConfigurator(tls));
        url = "https://localhost:" + issuer.getAddress().getPort();
        issuer.createContext("/.well-known/openid-configuration", exchange -> {
            asked.incrementAndGet();
            answer(exchange, Json.object().put("issuer", url).put("jwks_uri", url + "/keys"));
        });
        issuer.createContext("/keys", exchange -> answer(exchange, keySet()));
        issuer.start();
        authorityPem = authority.identity().certificatePem();
        tokens = reader("""
                {"claimMappings": {"username": {"claim": "email", "prefix": "oidc:"},
                  "groups": {"claim": "groups", "prefix": "oidc:"}, "uid": {"claim": "sub"}},
                 "claimValidationRules": [{"claim": "hd", "requiredValue": "example.com"}]}""");
    }

    private IssuerTokens reader(String entry) {
        ObjectNode configuration = Json.object();
        configuration.put("apiVersion", "apiserver.config.k8s.io/v1").put("kind", "AuthenticationConfiguration");
        ObjectNode jwt = Json.parseObject(entry.getBytes(StandardCharsets.UTF_8));
        ObjectNode settings = jwt.putObject("issuer").put("url", url).put("certificateAuthority", authorityPem);
        settings.putArray("audiences").add("lava");
        configuration.putArray("jwt").add(jwt);
        return new IssuerTokens(
                AuthenticationConfiguration.parse(Json.string(configuration))
                        .issuers()
                        .getFirst(),
                InstantSource.fixed(Instant.now()));
    }

    @Test
    void expressionsMakeTheUser() throws Exception {
        tokens = reader("""
                {"claimMappings": {"username": {"expression": "'oidc:' + claims.email.split('@')[0]"},
                  "groups": {"expression": "claims.groups.filter(g, g != 'ops').map(g, 'team-' + g)"},
                  "uid": {"expression": "claims.sub + '/' + claims.hd"},
                  "extra": [{"key": "example.com/domain", "valueExpression": "claims.hd"},
                            {"key": "example.com/roles", "valueExpression": "claims.?roles.orValue([])"}]},
                 "claimValidationRules": [{"expression": "claims.?email_verified.orValue(true) == true", "message": "m"}]}""");
        assertThat(tokens.authenticate(signed(claims(), "k1", PAIR), API))
                .isInstanceOfSatisfying(TokenAuthenticator.Good.class, good -> {
                    assertThat(good.user().name()).isEqualTo("oidc:ann");
                    assertThat(good.user().uid()).isEqualTo("7/example.com");
                    assertThat(good.user().groups()).containsExactly("team-dev", "system:authenticated");
                    assertThat(good.user().extra()).isEqualTo(Map.of("example.com/domain", List.of("example.com")));
                });
    }

    @Test
    void expressionsRefuseTokensAndUsers() throws Exception {
        tokens = reader("""
                {"claimMappings": {"username": {"expression": "claims.who"}},
                 "claimValidationRules": [{"expression": "claims.hd == 'example.com'", "message": "only our domain"}],
                 "userValidationRules": [
                  {"expression": "!user.username.startsWith('system:')", "message": "reserved"},
                  {"expression": "user.groups.size() == 0"}]}""");
        assertThat(tokens.authenticate(signed(claims().put("who", "ann"), "k1", PAIR), API))
                .isInstanceOf(TokenAuthenticator.Good.class);
        refused(
                claims().put("hd", "evil.example.com"),
                "oidc: error evaluating claim validation expression: validation expression"
                        + " 'claims.hd == 'example.com'' failed: only our domain");
        refused(
                claims().put("who", "system:admin"),
                "oidc: error evaluating user info validation rule: validation expression"
                        + " '!user.username.startsWith('system:')' failed: reserved");
        refused(
                claims(),
                "oidc: error evaluating username claim expression: expression 'claims.who' resulted in error: no such key: who");
        refused(claims().put("who", 5), "must return a string");
        refused(claims().put("who", ""), "empty username via CEL expression is not allowed");
    }

    @Test
    void anExpressionThatNeverEndsIsGivenUp() throws Exception {
        tokens = reader("""
                {"claimMappings": {"username": {"expression":
                  "claims.groups.map(a, claims.groups.map(b, claims.groups.map(c, a + b + c))).size() > 0 ? 'x' : 'y'"}}}""");
        ObjectNode large = claims();
        for (int i = 0; i < 300; i++) {
            large.withArray("groups").add("g" + i);
        }
        refused(large, "cost limit exceeded");
    }

    /** The file of a server that runs, whose issuer is at an address, or nowhere. */
    private String file(String address, String anonymous) {
        ObjectNode configuration = Json.object();
        configuration.put("apiVersion", "apiserver.config.k8s.io/v1").put("kind", "AuthenticationConfiguration");
        ObjectNode jwt = configuration.putArray("jwt").addObject();
        jwt.putObject("issuer")
                .put("url", address)
                .put("certificateAuthority", authorityPem)
                .putArray("audiences")
                .add("lava");
        jwt.putObject("claimMappings")
                .putObject("username")
                .put("claim", "email")
                .put("prefix", "oidc:");
        configuration.set("anonymous", Json.parse(anonymous));
        return Json.string(configuration);
    }

    private static TestingServer server(Path directory, IssuerFile users) throws Exception {
        AccessSettings access = new AccessSettings(
                AccessSettings.ofProcess().tokenKeys(),
                List.of(users),
                false,
                Objects.requireNonNull(users.configuration().anonymous()));
        return new TestingServer(directory, usual -> usual.withAccess(access));
    }

    private static int version(TestingServer server, String token) throws Exception {
        return server.send(server.anonymous(), "GET", "/version", "", "Authorization", "Bearer " + token)
                .code();
    }

    @Test
    void aRunningServerTakesOverWhatItsFileSays(@TempDir Path directory) throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        Path config = directory.resolve("authentication.json");
        Files.writeString(config, file("https://localhost:1", "{\"enabled\":false}"));
        try (TestingServer server = server(directory.resolve("data"), new IssuerFile(config, now::get))) {
            String token = signed(claims(), "k1", PAIR);
            assertThat(version(server, token)).isEqualTo(401);

            Files.writeString(config, file(url, "{\"enabled\":true}"));
            assertThat(version(server, token)).as("not looked at yet").isEqualTo(401);
            now.updateAndGet(time -> time.plusSeconds(11));
            assertThat(version(server, token)).isEqualTo(200);
            assertThat(server.send(
                                    server.anonymous(),
                                    "POST",
                                    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                                    "{}",
                                    "Authorization",
                                    "Bearer " + token,
                                    "Content-Type",
                                    "application/json")
                            .json()
                            .at("/status/userInfo/username")
                            .asText())
                    .isEqualTo("oidc:ann@example.com");
            assertThat(server.send(server.anonymous(), "GET", "/livez", "").code())
                    .as("anonymous counts from the next start")
                    .isEqualTo(401);

            Files.writeString(config, "{\"kind\":");
            now.updateAndGet(time -> time.plusSeconds(11));
            assertThat(version(server, token))
                    .as("a broken file changes nothing")
                    .isEqualTo(200);

            Files.writeString(config, file("https://localhost:1", "{\"enabled\":false}"));
            now.updateAndGet(time -> time.plusSeconds(11));
            assertThat(version(server, token)).as("its issuer is gone").isEqualTo(401);
        }
    }

    @Test
    void whoSaysNothingMayAskForThePathsThatAreNamed(@TempDir Path directory) throws Exception {
        Path config = directory.resolve("authentication.json");
        Files.writeString(
                config, file(url, "{\"enabled\":true,\"conditions\":[{\"path\":\"/livez\"},{\"path\":\"/api\"}]}"));
        try (TestingServer server = server(directory.resolve("data"), new IssuerFile(config, InstantSource.system()))) {
            HttpClient nobody = server.anonymous();

            assertThat(server.send(nobody, "GET", "/livez", "").code()).isEqualTo(200);
            assertThat(server.send(nobody, "GET", "/livez?verbose", "").code()).isEqualTo(200);
            for (String path : List.of("/readyz", "/version", "/livez/", "/livez/ping", "/apis", "/api/v1/pods")) {
                assertThat(server.send(nobody, "GET", path, "").code()).as(path).isEqualTo(401);
            }
            // Known to be nobody, who may not.
            TestingServer.Reply refused = server.send(nobody, "GET", "/api", "");
            assertThat(refused.code()).isEqualTo(403);
            assertThat(refused.message()).isEqualTo("forbidden: User \"system:anonymous\" cannot get path \"/api\"");
            // A bad token is not nothing.
            assertThat(server.send(nobody, "GET", "/livez", "", "Authorization", "Bearer x")
                            .code())
                    .isEqualTo(401);
        }
    }

    @AfterEach
    void stop() {
        issuer.stop(0);
    }

    private static void answer(HttpExchange exchange, ObjectNode document) throws java.io.IOException {
        byte[] body = Json.bytes(document);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private ObjectNode keySet() {
        RSAPublicKey key = (RSAPublicKey) PAIR.getPublic();
        ObjectNode set = Json.object();
        set.putArray("keys")
                .addObject()
                .put("kty", "RSA")
                .put("kid", "k1")
                .put("n", base64(key.getModulus().toByteArray()))
                .put("e", base64(key.getPublicExponent().toByteArray()));
        return set;
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private ObjectNode claims() {
        ObjectNode claims = Json.object();
        claims.put("iss", url).put("aud", "lava").put("sub", "7").put("email", "ann@example.com");
        claims.put("hd", "example.com").put("exp", Instant.now().getEpochSecond() + 600);
        claims.putArray("groups").add("dev").add("ops");
        return claims;
    }

    private String signed(ObjectNode claims, String keyId, KeyPair by) throws Exception {
        String head = base64(Json.bytes(Json.object().put("alg", "RS256").put("kid", keyId)));
        String text = head + "." + base64(Json.bytes(claims));
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(by.getPrivate());
        signature.update(text.getBytes(StandardCharsets.US_ASCII));
        return text + "." + base64(signature.sign());
    }

    private void refused(ObjectNode claims, String why) throws Exception {
        assertThat(tokens.authenticate(signed(claims, "k1", PAIR), API))
                .isInstanceOfSatisfying(
                        TokenAuthenticator.Bad.class,
                        bad -> assertThat(bad.why()).contains(why));
    }

    @Test
    void aGoodTokenGivesUserAndGroups() throws Exception {
        assertThat(tokens.authenticate(signed(claims(), "k1", PAIR), API))
                .isInstanceOfSatisfying(TokenAuthenticator.Good.class, good -> {
                    assertThat(good.user().name()).isEqualTo("oidc:ann@example.com");
                    assertThat(good.user().uid()).isEqualTo("7");
                    assertThat(good.user().groups()).containsExactly("oidc:dev", "oidc:ops", "system:authenticated");
                });
    }

    @Test
    void whatDoesNotFitIsRefused() throws Exception {
        refused(claims().put("exp", 1), "expired");
        ObjectNode eternal = claims();
        eternal.remove("exp");
        refused(eternal, "expired");
        refused(claims().put("aud", "other"), "audience");
        refused(claims().put("hd", "evil.example.com"), "required claim hd");
        refused(claims().put("email_verified", false), "not verified");
        refused(claims().put("nbf", Instant.now().getEpochSecond() + 600), "not valid yet");
        ObjectNode nameless = claims();
        nameless.remove("email");
        refused(nameless, "username");
        assertThat(tokens.authenticate(signed(claims().put("iss", "https://other"), "k1", PAIR), API))
                .isInstanceOf(TokenAuthenticator.NotMine.class);
    }

    @Test
    void madeUpKeysDoNotMakeTheServerAskAgainAndAgain() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(tokens.authenticate(signed(claims(), "made-up-" + i, newKeyOnce()), API))
                    .isInstanceOf(TokenAuthenticator.Bad.class);
        }
        assertThat(asked).hasValue(1);
        assertThat(tokens.authenticate(signed(claims(), "k1", newKeyOnce()), API))
                .isInstanceOf(TokenAuthenticator.Bad.class);
        assertThat(tokens.authenticate(signed(claims(), "k1", PAIR), API)).isInstanceOf(TokenAuthenticator.Good.class);
    }

    private final KeyPair other = newKey();

    private KeyPair newKeyOnce() {
        return other;
    }
}
