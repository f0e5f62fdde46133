package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import lavaflow.access.AccountTokens;
import lavaflow.access.User;
import lavaflow.audit.Auditor;
import lavaflow.fairness.FlowControl;
import lavaflow.kube.Json;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A real server on a free port with a store in a directory, and a client that speaks plain HTTP to it. */
final class TestingServer implements AutoCloseable {
    /** What came back. */
    record Reply(int code, String body, HttpResponse<String> response) {
        ObjectNode json() {
            return Json.parseObject(body.getBytes(StandardCharsets.UTF_8));
        }

        String reason() {
            return Json.textAt(json(), "reason");
        }

        String message() {
            return Json.textAt(json(), "message");
        }

        String resourceVersion() {
            return Json.textAt(json(), "metadata", "resourceVersion");
        }
    }

    private static final char[] PASSWORD = "unused".toCharArray();

    private final Store store;
    private final ApiServer server;
    private final CertificateAuthority authority;
    private final CertificateAuthority frontAuthority;
    private final HttpClient admin;

    TestingServer(Path directory) throws Exception {
        this(directory, Auditor.NONE, FlowControl.DEFAULT_SEATS);
    }

    /** With an audit log, and with room for so many requests at once. */
    TestingServer(Path directory, Auditor auditor, int seats) throws Exception {
        this(directory, settings -> settings.withRequests(auditor, seats));
    }

    /** With settings other than the usual ones. */
    TestingServer(Path directory, UnaryOperator<ServerSettings> changed) throws Exception {
        authority = CertificateAuthority.create("testing", Instant.now());
        Identity identity = authority.issueServer("testing", List.of("localhost"), List.of("127.0.0.1"), Instant.now());
        frontAuthority = CertificateAuthority.create("front", Instant.now());
        FrontProxy frontProxy = new FrontProxy(
                frontAuthority.certificate(),
                frontAuthority.issueClient("front-proxy-client", List.of(), Instant.now()),
                "front-proxy-client");
        store = Store.open(directory, StoreOptions.defaults());
        ServerSettings settings = new ServerSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        identity,
                        authority.certificate(),
                        ServerVersion.of("testing"),
                        InstantSource.system())
                .withFrontProxy(frontProxy);
        server = new ApiServer(changed.apply(settings), store);
        server.start();
        new Bootstrap(server.local(), "127.0.0.1", server.port()).run();
        server.awaitObjects();
        ensureAccount();
        admin = client(authority.issueClient("admin", List.of("system:masters"), Instant.now()));
    }

    /** No controllers run here; pods need their account. */
    private void ensureAccount() {
        User testing = new User("testing", List.of("system:masters"));
        LocalApi.Path accounts = new LocalApi.Path("", "v1", "serviceaccounts");
        if (server.local().find(testing, accounts, "default", "default").isEmpty()) {
            ObjectNode account = Json.object();
            account.putObject("metadata").put("name", "default");
            server.local().create(testing, accounts, "default", account);
        }
    }

    /** The API as components in this process use it. */
    LocalApi local() {
        return server.local();
    }

    /** The server itself. */
    ApiServer server() {
        return server;
    }

    Store store() {
        return store;
    }

    HttpClient admin() {
        return admin;
    }

    /** How many watches are open. */
    int watches() {
        return server.openWatches();
    }

    /** Signs front proxies. */
    CertificateAuthority frontAuthority() {
        return frontAuthority;
    }

    /** What makes tokens of service accounts. */
    AccountTokens tokens() {
        return server.accountTokens();
    }

    CertificateAuthority authority() {
        return authority;
    }

    /** A client with a certificate, which need not be one of this server's. */
    HttpClient client(Identity identity) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry(
                "client", identity.key(), PASSWORD, new java.security.cert.Certificate[] {identity.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        return client(managers);
    }

    /** A client without any certificate. */
    HttpClient anonymous() throws Exception {
        return client((KeyManagerFactory) null);
    }

    private HttpClient client(KeyManagerFactory managers) throws Exception {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("ca", authority.certificate());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(trust);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers == null ? null : managers.getKeyManagers(), trusted.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    int port() {
        return server.port();
    }

    URI uri(String path) {
        return URI.create("https://127.0.0.1:" + server.port() + path);
    }

    Reply send(HttpClient client, String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .timeout(Duration.ofMinutes(5))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Reply(response.statusCode(), response.body(), response);
    }

    Reply get(String path, String... headers) throws IOException, InterruptedException {
        return send(admin, "GET", path, "", headers);
    }

    Reply post(String path, String body) throws IOException, InterruptedException {
        return send(admin, "POST", path, body, "Content-Type", "application/json");
    }

    Reply put(String path, String body) throws IOException, InterruptedException {
        return send(admin, "PUT", path, body, "Content-Type", "application/json");
    }

    Reply delete(String path) throws IOException, InterruptedException {
        return send(admin, "DELETE", path, "");
    }

    Reply delete(String path, String options) throws IOException, InterruptedException {
        return send(admin, "DELETE", path, options, "Content-Type", "application/json");
    }

    Reply patch(String path, String type, String body) throws IOException, InterruptedException {
        return send(admin, "PATCH", path, body, "Content-Type", type);
    }

    Reply apply(String path, String manager, String body) throws IOException, InterruptedException {
        return patch(path + "?fieldManager=" + manager, "application/apply-patch+yaml", body);
    }

    /** Opens a stream; the caller closes it. */
    InputStream stream(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return admin.send(request.build(), HttpResponse.BodyHandlers.ofInputStream())
                .body();
    }

    /** Opens a stream over HTTP/1.1, on a connection of its own; the caller closes it. */
    InputStream oldStream(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        return admin.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
    }

    @Override
    public void close() throws IOException {
        server.close();
        store.close();
    }

    /** A config map; {@code extra} follows its name. */
    static String map(String name, String extra) {
        return """
                {"metadata":{"name":"%s"%s},"data":{"k":"v"}}""".formatted(name, extra);
    }
}
