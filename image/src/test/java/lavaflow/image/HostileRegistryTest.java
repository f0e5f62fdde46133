package lavaflow.image;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Registries that break off, lie, redirect and ask for tokens. */
class HostileRegistryTest {
    private interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    @TempDir
    Path home;

    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Handler> special = new ConcurrentHashMap<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private TestingImage image;
    private HttpServer server;
    private ImageStore images;
    private String host;

    @BeforeEach
    void start() throws IOException {
        byte[] noise = new byte[300_000];
        new java.util.Random(7).nextBytes(noise);
        byte[] layer = new TestingTar().entry("noise", '0', "", noise).bytes();
        image = TestingImage.of(List.of(layer), List.of(layer), Platform.own().architecture());
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
        host = "127.0.0.1:" + server.getAddress().getPort();
        Files.writeString(home.resolve("images.yaml"), "- {image: \"*\", registry: \"" + host + "\", plainHttp: true}");
        images = open(Duration.ofSeconds(60));
    }

    /** @param patience with a registry that says nothing for a while */
    private ImageStore open(Duration patience) {
        return ImageStore.open(
                home,
                LayerLimits.USUAL,
                new RegistryClient.Patience(Duration.ofSeconds(60), patience, 3, Duration.ofMillis(1)));
    }

    @AfterEach
    void stop() {
        end.countDown();
        images.close();
        server.stop(0);
    }

    private Image pull(Credential... credentials) throws ImageException {
        return images.pull("some/app", List.of(credentials), _ -> {});
    }

    private String layer() {
        return "/v2/some/app/blobs/" + Digest.of(image.layers.getFirst());
    }

    private void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        asked.add(exchange.getRequestMethod() + " " + path);
        try (exchange) {
            Handler handler = special.get(path);
            if (handler == null) {
                handler = special.getOrDefault("*", this::serve);
            }
            handler.handle(exchange);
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        byte[] bytes = path.contains("/manifests/")
                ? image.manifest
                : image.blobs.getOrDefault(path.substring(path.lastIndexOf('/') + 1), new byte[0]);
        String range = exchange.getRequestHeaders().getFirst("Range");
        int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
        exchange.sendResponseHeaders(range == null ? 200 : 206, bytes.length - from);
        exchange.getResponseBody().write(bytes, from, bytes.length - from);
    }

    /** Promises everything and sends a part. */
    private Handler cut(int after, boolean ranges) {
        byte[] bytes = image.layers.getFirst();
        return exchange -> {
            String range = ranges ? exchange.getRequestHeaders().getFirst("Range") : null;
            int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
            exchange.sendResponseHeaders(range == null ? 200 : 206, bytes.length - from);
            OutputStream out = exchange.getResponseBody();
            out.write(bytes, from, Math.min(after, bytes.length - from));
            out.flush();
            if (after < bytes.length - from) {
                throw new IOException("cut");
            }
        };
    }

    @Test
    void aDownloadThatBreaksOffGoesOnWhereItWas() throws Exception {
        special.put(layer(), cut(100_000, true));
        assertThat(pull().id()).isEqualTo(image.id());
        assertThat(asked.stream().filter(line -> line.endsWith(layer()))).hasSize(4);
    }

    @Test
    void aRegistryThatCannotGoOnStartsAgain() throws Exception {
        int[] count = {0};
        special.put(
                layer(), exchange -> (count[0]++ == 0 ? cut(100_000, false) : cut(1 << 20, false)).handle(exchange));
        assertThat(pull().id()).isEqualTo(image.id());
    }

    @Test
    void anotherProcessGoesOnWhereTheFirstWas() throws Exception {
        byte[] bytes = image.layers.getFirst();
        String name = Digest.hex(Digest.of(bytes)) + ".part";
        Files.createDirectories(home.resolve("images/downloads"));
        Files.write(home.resolve("images/downloads").resolve(name), java.util.Arrays.copyOf(bytes, 200_000));
        String[] range = {null};
        special.put(layer(), exchange -> {
            range[0] = exchange.getRequestHeaders().getFirst("Range");
            serve(exchange);
        });
        pull();
        assertThat(range[0]).isEqualTo("bytes=200000-");
    }

    @Test
    void whatWasLeftAndIsWrongIsFetchedAnew() throws Exception {
        String name = Digest.hex(Digest.of(image.layers.getFirst())) + ".part";
        Files.createDirectories(home.resolve("images/downloads"));
        Files.write(home.resolve("images/downloads").resolve(name), new byte[1000]);
        assertThatThrownBy(this::pull).hasMessageContaining("when asked for");
        assertThat(pull().id()).isEqualTo(image.id());
    }

    @Test
    void aRegistryThatStallsIsGivenUp() {
        images.close();
        images = open(Duration.ofMillis(500));
        special.put(layer(), exchange -> {
            exchange.sendResponseHeaders(200, image.layers.getFirst().length);
            exchange.getResponseBody().flush();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThatThrownBy(this::pull).hasMessageContaining("nothing came for");
    }

    @Test
    void contentThatIsNotWhatItShouldBeIsRefused() {
        byte[] other = image.layers.getFirst().clone();
        other[600] ^= 1;
        special.put(layer(), exchange -> {
            exchange.sendResponseHeaders(200, other.length);
            exchange.getResponseBody().write(other);
        });
        assertDamaged("when asked for " + Digest.of(image.layers.getFirst()));
    }

    @Test
    void moreThanWasSaidIsRefused() {
        special.put(layer(), exchange -> {
            exchange.sendResponseHeaders(200, 0);
            for (int i = 0; i < 100; i++) {
                exchange.getResponseBody().write(new byte[100_000]);
            }
        });
        assertDamaged("sends more than the");
    }

    @Test
    void aConfigurationThatIsNotWhatItShouldBeIsRefused() {
        special.put("/v2/some/app/blobs/" + image.id(), exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
        });
        assertDamaged("when asked for " + image.id());
    }

    private void assertDamaged(String why) {
        assertThatThrownBy(this::pull)
                .isInstanceOfSatisfying(
                        ImageException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ImageException.Kind.DAMAGED))
                .hasMessageContaining(why);
        assertThat(images.find("some/app")).isEmpty();
    }

    @Test
    void manifestsOfAnyKindButImagesAreRefused() {
        for (String manifest : List.of(
                "{\"schemaVersion\":1,\"fsLayers\":[]}",
                "{}",
                "[]",
                "no json",
                "{\"manifests\":[]}",
                "{\"config\":{},\"layers\":[]}",
                "{\"config\":{\"digest\":\"sha256:../../x\",\"size\":1},\"layers\":[]}")) {
            special.put("/v2/some/app/manifests/latest", exchange -> {
                exchange.sendResponseHeaders(200, manifest.length());
                exchange.getResponseBody().write(manifest.getBytes(StandardCharsets.UTF_8));
            });
            assertThatThrownBy(this::pull).as(manifest).isInstanceOf(ImageException.class);
        }
    }

    @Test
    void troubleOnTheOtherSideIsTriedAgain() throws Exception {
        int[] count = {0};
        special.put("/v2/some/app/manifests/latest", exchange -> {
            if (count[0]++ < 2) {
                exchange.sendResponseHeaders(503, -1);
            } else {
                serve(exchange);
            }
        });
        pull();
        assertThat(count[0]).isEqualTo(3);
        special.put("/v2/other/x/manifests/latest", exchange -> exchange.sendResponseHeaders(500, -1));
        assertThatThrownBy(() -> images.pull("docker.io/other/x", List.of(), _ -> {}))
                .isInstanceOf(ImageException.class);
    }

    @Test
    void tokensAreFetchedForWhatIsAsked() throws Exception {
        List<String> queries = Collections.synchronizedList(new ArrayList<>());
        special.put("*", exchange -> {
            if (!"Bearer t0ken".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders()
                        .add("WWW-Authenticate", "Bearer realm=\"http://" + host + "/token\",service=\"the service\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            serve(exchange);
        });
        special.put("/token", exchange -> {
            queries.add(exchange.getRequestURI().getRawQuery() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] answer = "{\"token\":\"t0ken\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        });
        pull(new Credential(host, "user", "pass", ""));
        String secret = Base64.getEncoder().encodeToString("user:pass".getBytes(StandardCharsets.UTF_8));
        assertThat(queries).containsExactly("service=the+service&scope=repository%3Asome%2Fapp%3Apull Basic " + secret);
    }

    @Test
    void anImageThatOpensWithATokenForAnybodyIsForAnybody() throws Exception {
        special.put("*", exchange -> {
            if (!"Bearer for-anybody".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders().add("WWW-Authenticate", "Bearer realm=\"http://" + host + "/token\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            serve(exchange);
        });
        special.put("/token", exchange -> {
            if (exchange.getRequestHeaders().getFirst("Authorization") != null) {
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            byte[] answer = "{\"token\":\"for-anybody\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        });
        pull(new Credential(host, "user", "not known there", ""));
        assertThat(images.findFor("some/app", List::of)).isPresent();
    }

    @Test
    void whoMayOnlyReadTheManifestMayNotUseTheImage() throws Exception {
        special.put("*", exchange -> {
            boolean content = exchange.getRequestURI().getPath().contains("/blobs/");
            if (content && exchange.getRequestHeaders().getFirst("Authorization") == null) {
                exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"test\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            exchange.getResponseHeaders().add("Docker-Content-Digest", image.digest());
            serve(exchange);
        });
        Credential user = new Credential(host, "user", "pass", "");
        pull(user);
        assertThat(images.findFor("some/app", List::of)).isEmpty();
        assertThatThrownBy(this::pull).hasMessageContaining("pull access denied");
        assertThat(images.findFor("some/app", List::of)).isEmpty();
        assertThat(pull(user).id()).isEqualTo(image.id());
    }

    @Test
    void identityTokensAreExchanged() throws Exception {
        special.put("*", exchange -> {
            if (exchange.getRequestHeaders().getFirst("Authorization") == null) {
                exchange.getResponseHeaders().add("WWW-Authenticate", "Bearer realm=\"http://" + host + "/token\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            serve(exchange);
        });
        String[] form = {""};
        special.put("/token", exchange -> {
            form[0] = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            byte[] answer = "{\"access_token\":\"t\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        });
        pull(new Credential(host, "", "", "refresh me"));
        assertThat(form[0]).contains("grant_type=refresh_token").contains("refresh_token=refresh+me");
        assertThat(images.findFor("some/app", List::of)).isEmpty();
        assertThat(images.findFor("some/app", () -> List.of(new Credential(host, "", "", "refresh me"))))
                .isPresent();
    }

    @Test
    void redirectsDoNotShowSecretsToOthers() throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        HttpServer elsewhere = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        elsewhere.createContext("/", exchange -> {
            try (exchange) {
                seen.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
                byte[] bytes = image.layers.getFirst();
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        elsewhere.start();
        try {
            special.put("*", exchange -> {
                if (exchange.getRequestHeaders().getFirst("Authorization") == null) {
                    exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"x\"");
                    exchange.sendResponseHeaders(401, -1);
                    return;
                }
                serve(exchange);
            });
            special.put(layer(), exchange -> {
                exchange.getResponseHeaders()
                        .add(
                                "Location",
                                "http://127.0.0.1:" + elsewhere.getAddress().getPort() + "/x");
                exchange.sendResponseHeaders(307, -1);
            });
            pull(new Credential(host, "user", "pass", ""));
            assertThat(seen).containsExactly("null");
        } finally {
            elsewhere.stop(0);
        }
    }

    @Test
    void redirectsInACircleEnd() {
        special.put(layer(), exchange -> {
            exchange.getResponseHeaders().add("Location", layer());
            exchange.sendResponseHeaders(307, -1);
        });
        assertThatThrownBy(this::pull).hasMessageContaining("leads on and on");
    }

    @Test
    void oneDownloadServesManyPulls() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = java.util.stream.IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> images.pull("some/app:" + i % 2, List.of(), _ -> {})))
                    .toList();
            for (var one : all) {
                assertThat(one.get().id()).isEqualTo(image.id());
            }
        }
        assertThat(asked.stream().filter(line -> line.endsWith(layer()))).hasSize(1);
    }
}
