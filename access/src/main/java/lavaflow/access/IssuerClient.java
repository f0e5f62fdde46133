package lavaflow.access;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Fetches what an issuer publishes: over TLS only, with bounds on time and size, without following redirects. */
final class IssuerClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_BYTES = 1 << 20;

    private final String issuer;
    private final String discovery;
    private final String authorityPem;
    private @Nullable HttpClient client;

    /**
     * @param discovery where the issuer describes itself; empty for the place its name tells
     * @param authorityPem whom to trust; empty for the authorities of this machine
     */
    IssuerClient(String issuer, String discovery, String authorityPem) {
        this.issuer = issuer;
        this.discovery = discovery;
        this.authorityPem = authorityPem;
    }

    synchronized IssuerKeys fetch() throws IOException, InterruptedException {
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        String where = discovery.isEmpty() ? base + "/.well-known/openid-configuration" : discovery;
        JsonNode description = get(where);
        if (!Json.textAt(description, "issuer").equals(issuer)) {
            throw new IOException("the issuer at " + where + " calls itself another name");
        }
        return IssuerKeys.of(get(Json.textAt(description, "jwks_uri")));
    }

    private JsonNode get(String address) throws IOException, InterruptedException {
        URI uri = URI.create(address);
        if (!"https".equals(uri.getScheme())) {
            throw new IOException("not an https address: " + address);
        }
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
        HttpResponse<InputStream> response = client().send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            byte[] bytes = body.readNBytes(MAX_BYTES + 1);
            if (response.statusCode() != 200 || bytes.length > MAX_BYTES) {
                throw new IOException(
                        address + " answered " + response.statusCode() + " with " + bytes.length + " bytes");
            }
            return Json.parseUntrusted(bytes);
        }
    }

    private HttpClient client() throws IOException {
        HttpClient known = client;
        if (known == null) {
            HttpClient.Builder builder =
                    HttpClient.newBuilder().connectTimeout(TIMEOUT).followRedirects(HttpClient.Redirect.NEVER);
            known = authorityPem.isEmpty()
                    ? builder.build()
                    : builder.sslContext(trusting()).build();
            client = known;
        }
        return known;
    }

    private SSLContext trusting() throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            InputStream pem = new ByteArrayInputStream(authorityPem.getBytes(StandardCharsets.US_ASCII));
            for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                trusted.setCertificateEntry("authority-" + count++, certificate);
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate authority of the issuer cannot be used", e);
        }
    }
}
