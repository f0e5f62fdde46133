package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;

/** The clients of this process, one for each set of certificates to trust; made when first wanted. */
final class Web implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private final Map<String, HttpClient> clients = new HashMap<>();
    private final ProxySelector proxies = EnvironmentProxies.of(System.getenv());

    /** A client that trusts the usual authorities and those in a file. It follows no redirects: that would show secrets around. */
    synchronized HttpClient client(@Nullable Path authority) throws ImageException {
        String key = String.valueOf(authority);
        HttpClient known = clients.get(key);
        if (known != null) {
            return known;
        }
        HttpClient.Builder builder = HttpClient.newBuilder()
                .connectTimeout(CONNECT)
                .proxy(proxies)
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER);
        if (authority != null) {
            try {
                builder.sslContext(trusting(authority));
            } catch (IOException | GeneralSecurityException e) {
                throw new ImageException(
                        ImageException.Kind.UNREACHABLE,
                        "the certificates in " + authority + " cannot be used: " + e.getMessage(),
                        e);
            }
        }
        HttpClient client = builder.build();
        clients.put(key, client);
        return client;
    }

    private static SSLContext trusting(Path authority) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        TrustManagerFactory usual = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        usual.init((KeyStore) null);
        int count = 0;
        for (TrustManager manager : usual.getTrustManagers()) {
            if (manager instanceof X509TrustManager known) {
                for (X509Certificate certificate : known.getAcceptedIssuers()) {
                    trusted.setCertificateEntry("usual" + count++, certificate);
                }
            }
        }
        try (InputStream in = Files.newInputStream(authority)) {
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("given" + count++, certificate);
            }
        }
        TrustManagerFactory all = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        all.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, all.getTrustManagers(), null);
        return context;
    }

    @Override
    public synchronized void close() {
        clients.values().forEach(HttpClient::shutdownNow);
        clients.clear();
    }
}
