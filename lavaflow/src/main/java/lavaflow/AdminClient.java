package lavaflow;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import lavaflow.apiserver.Identity;

/** Talks to the running server of a data directory as its administrator. */
final class AdminClient {
    private static final char[] PASSWORD = "unused".toCharArray();

    private final HttpClient http;
    private final String url;

    private AdminClient(HttpClient http, String url) {
        this.http = http;
        this.url = url;
    }

    static AdminClient of(Home home) throws IOException {
        Home.Running running = home.running()
                .orElseThrow(() -> new CommandFailure(
                        Lava.UNREACHABLE, "the cluster is not running; start it with: lava up --detach"));
        HttpClient http = HttpClient.newBuilder()
                .sslContext(tls(home))
                .connectTimeout(Duration.ofSeconds(30))
                .build();
        return new AdminClient(http, running.url());
    }

    private static SSLContext tls(Home home) throws IOException {
        Path pki = home.pki();
        try {
            KeyStore trust = KeyStore.getInstance("PKCS12");
            trust.load(null, null);
            trust.setCertificateEntry("ca", Identity.parseCertificate(Files.readString(pki.resolve("ca.crt"))));
            Identity admin = Identity.parse(
                    Files.readString(pki.resolve("admin.crt")), Files.readString(pki.resolve("admin.key")));
            // The newer PKCS 12 spends a third of a second on encrypting a key that never leaves memory.
            KeyStore identity = KeyStore.getInstance("JKS");
            identity.load(null, null);
            identity.setKeyEntry(
                    "admin", admin.key(), PASSWORD, new java.security.cert.Certificate[] {admin.certificate()});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(identity, PASSWORD);
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(trust);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot use the credentials in " + pki, e);
        }
    }

    /** Sends a request and returns the answer's code; the body is read and dropped. */
    int send(String method, String path, String contentType, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", contentType)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    /** What is at a path, whatever the answer's code. */
    String read(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(60))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    /** Streams a consistent copy of the store into a file that does not exist yet. */
    void backup(Path target) throws IOException, InterruptedException {
        Path partial = target.resolveSibling(target.getFileName() + ".partial");
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/lavaflow/backup"))
                .timeout(Duration.ofMinutes(10))
                .build();
        HttpResponse<Path> response = http.send(request, HttpResponse.BodyHandlers.ofFile(partial));
        if (response.statusCode() != 200) {
            Files.deleteIfExists(partial);
            throw new CommandFailure(Lava.FAILED, "the server refused the backup: HTTP " + response.statusCode());
        }
        Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
    }
}
