package lavaflow.remote;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.kube.Json;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Against a server that gives out numbered tokens and writes down who asks for what. */
class AccountCredentialsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger tokens = new AtomicInteger();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Set<String> accounts = ConcurrentHashMap.newKeySet();
    private final Set<String> revoked = ConcurrentHashMap.newKeySet();
    private HttpServer server;
    private Connection owner;
    private AccountCredentials credentials;

    @BeforeEach
    void start(@TempDir Path directory) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        Path kubeconfig = Files.writeString(
                directory.resolve("config"), """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u}}]
                clusters: [{name: k, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: secret-of-the-owner}}]
                """.formatted(server.getAddress().getPort()));
        Settings settings = Settings.of(kubeconfig, "test/0");
        owner = new Connection(settings);
        credentials = new AccountCredentials(owner, () -> Connection.ofNobody(settings), nanos::get);
    }

    @AfterEach
    void stop() {
        credentials.close();
        owner.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String token = exchange.getRequestHeaders().getFirst("Authorization").replace("Bearer ", "");
        asked.add(token + " " + path.replace("/api/v1/namespaces/kube-system/", ""));
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (revoked.contains(token)) {
            send(exchange, 401, "{}");
        } else if (path.endsWith("/token")) {
            String account = path.replaceFirst("/token$", "").replaceFirst(".*/", "");
            boolean known = accounts.contains(account);
            send(exchange, known ? 201 : 404, "{\"status\":{\"token\":\"token-" + tokens.incrementAndGet() + "\"}}");
        } else {
            if (path.endsWith("/serviceaccounts")) {
                accounts.add(Json.textAt(Json.parse(body), "metadata", "name"));
            }
            send(exchange, 201, body);
        }
    }

    private static void send(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void write() {
        credentials.write("job-controller", "POST", "/pods", "application/json", Json.object());
    }

    @Test
    void anAccountThatIsMissingIsMadeAndAskedForOneTokenForAll() {
        write();
        write();
        assertThat(asked)
                .containsExactly(
                        "secret-of-the-owner serviceaccounts/job-controller/token",
                        "secret-of-the-owner serviceaccounts",
                        "secret-of-the-owner serviceaccounts/job-controller/token",
                        "token-2 /pods",
                        "token-2 /pods");
    }

    @Test
    void aTokenIsReplacedWhenAFifthOfItsLifeIsLeft() {
        accounts.add("job-controller");
        write();
        nanos.addAndGet(Duration.ofMinutes(47).toNanos());
        write();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        write();
        assertThat(asked.stream().filter(line -> line.endsWith("/pods")))
                .containsExactly("token-1 /pods", "token-1 /pods", "token-2 /pods");
    }

    @Test
    void aTokenTheServerDoesNotKnowAnyMoreIsReplacedOnce() {
        accounts.add("job-controller");
        write();
        revoked.add("token-1");
        write();
        assertThat(asked.stream().filter(line -> line.endsWith("/pods")))
                .containsExactly("token-1 /pods", "token-1 /pods", "token-2 /pods");
    }
}
