package lavaflow.image;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/** Debian's registry server on a port of its own, and a way to fill it. */
final class TestingRegistry implements AutoCloseable {
    /** Of the user {@code user} with the password {@code secret}, and of {@code other} with {@code hidden}. */
    private static final String PASSWORDS = """
            user:$2b$04$ZXnYTc.qqbFSOwSvAloCie0S7LppQBpT7Hb7yXvufJrVfL6cMKNTC
            other:$2b$04$WVJk3lL2RS3Hq40OBCpWAOUxiFsvpuW/1upA68nB96yFBc08kKvKe
            """;

    private static final int MOST_ATTEMPTS = 5;

    private final HttpClient http = HttpClient.newHttpClient();
    private Process process;
    String host = "";
    private final boolean guarded;

    static boolean isInstalled() {
        for (String directory : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(directory, "docker-registry"))) {
                return true;
            }
        }
        return false;
    }

    TestingRegistry(Path directory, boolean guarded) throws IOException {
        this(directory, guarded, "");
    }

    /**
     * @param tls lines about certificates; with them nobody here can ask it
     */
    TestingRegistry(Path directory, boolean guarded, String tls) throws IOException {
        this.guarded = guarded;
        Files.createDirectories(directory);
        int attempt = 0;
        do {
            process = start(directory, tls);
            Awaitility.await()
                    .atMost(120, TimeUnit.SECONDS)
                    .until(() -> !process.isAlive() || (tls.isEmpty() ? answers() : listens()));
            attempt++;
            // Somebody else may have taken the port before it did.
        } while (!process.isAlive() && attempt < MOST_ATTEMPTS);
        assertThat(process.isAlive())
                .as("%s", Files.readString(directory.resolve("log")))
                .isTrue();
    }

    private Process start(Path directory, String tls) throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            host = "127.0.0.1:" + socket.getLocalPort();
        }
        Path passwords = Files.writeString(directory.resolve("passwords"), PASSWORDS);
        String access = guarded ? "auth: {htpasswd: {realm: test, path: " + passwords + "}}\n" : "";
        Path configuration = Files.writeString(directory.resolve("registry.yml"), """
                version: 0.1
                log: {level: error}
                storage: {filesystem: {rootdirectory: %s}, delete: {enabled: true}}
                http: {addr: "%s"%s}
                %s""".formatted(
                        directory.resolve("content"), host, tls.isEmpty() ? "" : ", tls: " + tls, access));
        return new ProcessBuilder("docker-registry", "serve", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    private boolean listens() {
        try (Socket _ = new Socket(
                InetAddress.getLoopbackAddress(), URI.create("http://" + host).getPort())) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean answers() throws InterruptedException {
        try {
            return send("GET", "/v2/", new byte[0], Map.of()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    HttpResponse<byte[]> send(String method, String path, byte[] body, Map<String, String> headers)
            throws IOException, InterruptedException {
        URI uri = path.startsWith("http") ? URI.create(path) : URI.create("http://" + host + path);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        if (guarded) {
            String secret = Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.UTF_8));
            request.header("Authorization", "Basic " + secret);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    void push(String repository, String tag, TestingImage image) throws IOException, InterruptedException {
        for (Map.Entry<String, byte[]> blob : image.blobs.entrySet()) {
            HttpResponse<byte[]> begun = send("POST", "/v2/" + repository + "/blobs/uploads/", new byte[0], Map.of());
            String location = begun.headers().firstValue("Location").orElseThrow();
            String query = location.contains("?") ? "&" : "?";
            HttpResponse<byte[]> sent = send(
                    "PUT",
                    location + query + "digest=" + blob.getKey(),
                    blob.getValue(),
                    Map.of("Content-Type", "application/octet-stream"));
            assertThat(sent.statusCode()).isEqualTo(201);
        }
        manifest(repository, tag, "application/vnd.oci.image.manifest.v1+json", image.manifest);
    }

    void manifest(String repository, String tag, String type, byte[] bytes) throws IOException, InterruptedException {
        HttpResponse<byte[]> sent =
                send("PUT", "/v2/" + repository + "/manifests/" + tag, bytes, Map.of("Content-Type", type));
        assertThat(sent.statusCode())
                .as(new String(sent.body(), StandardCharsets.UTF_8))
                .isEqualTo(201);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        http.close();
    }
}
