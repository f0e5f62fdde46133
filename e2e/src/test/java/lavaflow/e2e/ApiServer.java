package lavaflow.e2e;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.yaml.snakeyaml.Yaml;

/** One Kubernetes API server as its users see it: an address, a way to be admin there, requests and answers. */
final class ApiServer implements AutoCloseable {
    /** What goes over the wire; everything is given literally so that cases can be wrong on purpose. */
    record Request(
            String method, String path, Map<String, String> headers, Optional<byte[]> body, boolean certificate) {
        /** As the administrator, who shows a certificate. */
        Request(String method, String path, Map<String, String> headers, Optional<byte[]> body) {
            this(method, path, headers, body, true);
        }
    }

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String name;
    private final Path kubeconfig;
    private final URI address;
    private final SSLContext tls;
    private final HttpClient client;
    /** Shows no certificate, for those who come with a token or with nothing. */
    private final HttpClient stranger;

    private final SSLContext bare;

    private ApiServer(String name, Path kubeconfig, URI address, SSLContext tls, SSLContext bare) {
        this.name = name;
        this.kubeconfig = kubeconfig;
        this.address = address;
        this.tls = tls;
        this.bare = bare;
        this.client = client(tls);
        this.stranger = client(bare);
    }

    private static HttpClient client(SSLContext tls) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(tls)
                .connectTimeout(Duration.ofMinutes(1))
                .build();
    }

    static ApiServer of(String name, Path kubeconfig) throws IOException, GeneralSecurityException {
        Map<?, ?> config = new Yaml().load(Files.readString(kubeconfig));
        Map<?, ?> cluster = (Map<?, ?>) first(config, "clusters").get("cluster");
        Map<?, ?> user = (Map<?, ?>) first(config, "users").get("user");
        byte[] authority = bytes(cluster, "certificate-authority", kubeconfig);
        SSLContext tls =
                tls(authority, bytes(user, "client-certificate", kubeconfig), bytes(user, "client-key", kubeconfig));
        return new ApiServer(name, kubeconfig, URI.create((String) cluster.get("server")), tls, bare(authority));
    }

    String name() {
        return name;
    }

    /** The file that makes other clients admin of this server. */
    Path kubeconfig() {
        return kubeconfig;
    }

    /** Host and port, as they appear in answers. */
    String authority() {
        return address.getAuthority();
    }

    Answer send(Request request) throws IOException, InterruptedException {
        if (!isPlainUri(request.path())) {
            return RawHttp.send(request.certificate() ? tls : bare, address, request);
        }
        HttpResponse<byte[]> response = whole(request);
        return new Answer(response.statusCode(), response.headers().map(), response.body());
    }

    /** The client's own timeout ends with the headers; a body that never ends would hold the suite for ever. */
    private HttpResponse<byte[]> whole(Request request) throws IOException, InterruptedException {
        try {
            return (request.certificate() ? client : stranger)
                    .sendAsync(prepare(request), HttpResponse.BodyHandlers.ofByteArray())
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(request.method() + " " + request.path() + " of " + name + ": " + e, e);
        }
    }

    /** Sends a request whose answer does not end; the caller closes the stream. */
    HttpResponse<InputStream> open(Request request) throws IOException, InterruptedException {
        return client.send(prepare(request), HttpResponse.BodyHandlers.ofInputStream());
    }

    private HttpRequest prepare(Request request) {
        HttpRequest.BodyPublisher body = request.body()
                .map(HttpRequest.BodyPublishers::ofByteArray)
                .orElseGet(HttpRequest.BodyPublishers::noBody);
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(address + request.path()))
                .method(request.method(), body)
                .timeout(PATIENCE);
        // A header that occurs several times is written with its values in lines.
        request.headers().forEach((name, value) -> value.lines().forEach(line -> builder.header(name, line)));
        return builder.build();
    }

    private boolean isPlainUri(String path) {
        try {
            return URI.create(address + path).getRawPath() != null;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        stranger.shutdownNow();
    }

    private static Map<?, ?> first(Map<?, ?> config, String list) {
        return (Map<?, ?>) ((List<?>) config.get(list)).getFirst();
    }

    private static byte[] bytes(Map<?, ?> from, String key, Path kubeconfig) throws IOException {
        Object inline = from.get(key + "-data");
        return inline != null
                ? Base64.getDecoder().decode((String) inline)
                : Files.readAllBytes(kubeconfig.resolveSibling((String) from.get(key)));
    }

    private static SSLContext bare(byte[] authority) throws IOException, GeneralSecurityException {
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trusting(authority).getTrustManagers(), null);
        return tls;
    }

    private static TrustManagerFactory trusting(byte[] authority) throws IOException, GeneralSecurityException {
        CertificateFactory certificates = CertificateFactory.getInstance("X.509");
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        int count = 0;
        for (Certificate each : certificates.generateCertificates(new ByteArrayInputStream(authority))) {
            trusted.setCertificateEntry("authority" + count++, each);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust;
    }

    private static SSLContext tls(byte[] authority, byte[] certificate, byte[] key)
            throws IOException, GeneralSecurityException {
        CertificateFactory certificates = CertificateFactory.getInstance("X.509");
        Certificate[] chain = certificates
                .generateCertificates(new ByteArrayInputStream(certificate))
                .toArray(Certificate[]::new);
        KeyStore own = KeyStore.getInstance(KeyStore.getDefaultType());
        own.load(null, null);
        own.setKeyEntry("client", privateKey(key, chain[0].getPublicKey().getAlgorithm()), new char[0], chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, new char[0]);

        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), trusting(authority).getTrustManagers(), null);
        return tls;
    }

    /** Java reads only PKCS#8; an elliptic key in the older form is wrapped into it. */
    private static PrivateKey privateKey(byte[] pem, String algorithm) throws GeneralSecurityException {
        String text = new String(pem, StandardCharsets.US_ASCII);
        byte[] der = Base64.getDecoder()
                .decode(text.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", ""));
        byte[] encoded = text.contains("BEGIN EC PRIVATE KEY") ? wrapped(der) : der;
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
    }

    private static byte[] wrapped(byte[] key) {
        // Version 0, an elliptic key on the curve P-256, and the key itself as a string of bytes.
        byte[] kind = HexFormat.of().parseHex("020100301306072a8648ce3d020106082a8648ce3d030107");
        return element(0x30, joined(kind, element(0x04, key)));
    }

    private static byte[] element(int tag, byte[] content) {
        byte[] head = content.length < 0x80
                ? new byte[] {(byte) tag, (byte) content.length}
                : new byte[] {(byte) tag, (byte) 0x81, (byte) content.length};
        return joined(head, content);
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
