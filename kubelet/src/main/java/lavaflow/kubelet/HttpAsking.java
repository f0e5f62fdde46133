package lavaflow.kubelet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Asks a container over HTTP how it is. Nobody's certificate is looked at, as kubelets do. */
final class HttpAsking {
    private static final int MOST = 10 * 1024;
    private static final int MOST_REDIRECTS = 10;
    private static @Nullable HttpClient shared;

    /** What came back: a code, or none with the reason why not. */
    record Answer(int code, String body, String message) {
        boolean isFailure() {
            return code < 200 || code >= 400;
        }
    }

    private HttpAsking() {}

    /** Trusts everybody, and looks at no names. */
    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    private static synchronized HttpClient client() {
        HttpClient present = shared;
        if (present != null) {
            return present;
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Anybody()}, new SecureRandom());
            HttpClient made = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .sslContext(context)
                    .build();
            shared = made;
            return made;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The port a probe or hook names, by number or by name; 0 if the container has none such. */
    static int port(@Nullable JsonNode port, PodView.Container container) {
        if (port == null) {
            return 0;
        }
        if (port.isNumber()) {
            return port.asInt();
        }
        for (JsonNode each : Json.listAt(container.spec(), "ports")) {
            if (Json.textAt(each, "name").equals(port.asText())) {
                return (int) Json.longAt(each, 0, "containerPort");
            }
        }
        try {
            return Integer.parseInt(port.asText());
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    static Answer get(JsonNode http, PodView.Container container, String podAddress, Duration patience, String agent)
            throws InterruptedException {
        String given = Json.textAt(http, "host");
        String host = given.isEmpty() ? podAddress : given;
        String scheme = Json.textAt(http, "scheme").toLowerCase(Locale.ROOT);
        String path = Json.textAt(http, "path");
        String url = (scheme.isEmpty() ? "http" : scheme) + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + port(Json.at(http, "port"), container) + (path.startsWith("/") ? path : "/" + path);
        try {
            return follow(URI.create(url), Json.listAt(http, "httpHeaders"), patience, agent);
        } catch (HttpTimeoutException e) {
            return new Answer(
                    0,
                    "",
                    "Get \"" + url + "\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
        } catch (IOException e) {
            return new Answer(0, "", "Get \"" + url + "\": " + words(e, host, container, http));
        } catch (IllegalArgumentException e) {
            return new Answer(0, "", "Get \"" + url + "\": " + e.getMessage());
        }
    }

    private static String words(IOException problem, String host, PodView.Container container, JsonNode http) {
        if (problem instanceof java.net.ConnectException) {
            return "dial tcp " + host + ":" + port(Json.at(http, "port"), container) + ": connect: connection refused";
        }
        return String.valueOf(problem.getMessage());
    }

    /** Goes where it is sent on the same host; being sent elsewhere is success enough. */
    private static Answer follow(URI first, JsonNode headers, Duration patience, String agent)
            throws IOException, InterruptedException {
        URI at = first;
        long deadline = System.nanoTime() + patience.toNanos();
        for (int i = 0; i <= MOST_REDIRECTS; i++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(at)
                    .timeout(Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime())))
                    .header("User-Agent", agent)
                    .header("Accept", "*/*");
            for (JsonNode header : headers) {
                set(request, Json.textAt(header, "name"), Json.textAt(header, "value"));
            }
            HttpResponse<java.io.InputStream> response =
                    client().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            String body;
            try (var in = response.body()) {
                body = new String(in.readNBytes(MOST), StandardCharsets.UTF_8);
            }
            int code = response.statusCode();
            String location = response.headers().firstValue("Location").orElse("");
            boolean redirect = code >= 300 && code < 400 && !location.isEmpty();
            if (!redirect) {
                return new Answer(code, body, "HTTP probe failed with statuscode: " + code);
            }
            URI next = at.resolve(location);
            if (!String.valueOf(next.getHost()).equals(first.getHost())) {
                return new Answer(code, body, "Probe terminated redirects, Response body: " + body);
            }
            at = next;
        }
        return new Answer(0, "", "Get \"" + at + "\": stopped after 10 redirects");
    }

    private static void set(HttpRequest.Builder request, String name, String value) {
        try {
            request.setHeader(name, value);
        } catch (IllegalArgumentException e) {
            // The client forbids some, Host among them; a probe without it is better than none.
            return;
        }
    }
}
