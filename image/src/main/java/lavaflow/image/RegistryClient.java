package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Asks one repository of a registry, version 2 of the protocol. Says who asks when it is wanted, follows redirects, tries again. */
final class RegistryClient {
    private static final int REDIRECTS = 5;

    private final HttpClient http;
    private final Repository repository;
    private final RegistryAccess access;
    private final Patience patience;
    private @Nullable String scheme;

    /**
     * How long to wait for what.
     *
     * @param answer for the beginning of an answer
     * @param stall for more of a body
     * @param attempts at the same thing
     * @param pause before the second attempt; longer before every other
     */
    record Patience(Duration answer, Duration stall, int attempts, Duration pause) {
        static final Patience USUAL =
                new Patience(Duration.ofSeconds(30), Duration.ofSeconds(60), 4, Duration.ofMillis(300));
    }

    RegistryClient(HttpClient http, Repository repository, List<Credential> credentials, Patience patience) {
        this.http = http;
        this.repository = repository;
        this.access = new RegistryAccess(http, repository, credentials, patience);
        this.patience = patience;
    }

    /** With which credential it has answered last; none where it answers everybody. */
    Optional<Credential> opener() {
        return access.opener();
    }

    /** What the registry has under a tag or digest. */
    record Found(Manifest manifest, String digest) {}

    /** The digest of a tag, if the registry tells it without sending the manifest. */
    Optional<String> digestOf(String tag) throws ImageException {
        HttpResponse<InputStream> response = send("HEAD", "/manifests/" + tag, -1);
        close(response);
        return response.headers().firstValue("Docker-Content-Digest").filter(Digest::isValid);
    }

    Found manifest(String wanted) throws ImageException {
        HttpResponse<InputStream> response = send("GET", "/manifests/" + wanted, -1);
        byte[] bytes = body(response, Manifest.LIMIT);
        String digest =
                Digest.isValid(wanted) ? Digest.named(Digest.algorithmOf(wanted).digest(bytes)) : Digest.of(bytes);
        if (Digest.isValid(wanted) && !digest.equals(wanted)) {
            throw new ImageException(
                    ImageException.Kind.DAMAGED, repository.host() + " sent " + digest + " when asked for " + wanted);
        }
        return new Found(Manifest.parse(bytes), digest);
    }

    /** Something small by its digest, checked. */
    byte[] blob(Descriptor descriptor, int limit) throws ImageException {
        byte[] bytes = body(blob(descriptor.digest(), 0).response(), limit);
        String found = Digest.named(Digest.algorithmOf(descriptor.digest()).digest(bytes));
        if (!found.equals(descriptor.digest())) {
            throw new ImageException(
                    ImageException.Kind.DAMAGED,
                    repository.host() + " sent " + found + " when asked for " + descriptor.digest());
        }
        return bytes;
    }

    /** A body from some byte on; from the beginning where the registry cannot do that. */
    record Part(HttpResponse<InputStream> response, long from) {}

    Part blob(String digest, long from) throws ImageException {
        HttpResponse<InputStream> response = send("GET", "/blobs/" + digest, from);
        if (response.statusCode() == 416) {
            close(response);
            response = send("GET", "/blobs/" + digest, -1);
        }
        return new Part(response, response.statusCode() == 206 ? from : 0);
    }

    private byte[] body(HttpResponse<InputStream> response, int limit) throws ImageException {
        try (InputStream in = response.body()) {
            byte[] bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new ImageException(
                        ImageException.Kind.TOO_LARGE, repository.host() + " sent more than " + limit + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private ImageException unreachable(IOException problem) {
        String message = problem.getMessage() == null ? problem.getClass().getSimpleName() : problem.getMessage();
        String what = message;
        if (has(problem, UnresolvedAddressException.class)) {
            what = "nobody knows this name";
        } else if (has(problem, HttpConnectTimeoutException.class)) {
            what = "it does not answer";
        } else if (has(problem, CertificateException.class)) {
            what = "its certificate is not trusted; a rule of the image table can name who signed it (caFile)";
        } else if (has(problem, ConnectException.class)) {
            what = problem.getMessage() == null ? "nobody listens there" : message;
        }
        return new ImageException(
                ImageException.Kind.UNREACHABLE,
                "registry " + repository.host() + " cannot be reached: " + what,
                problem);
    }

    /** Sends until there is an answer that means something; anything but success is an exception. */
    private HttpResponse<InputStream> send(String method, String rest, long from) throws ImageException {
        for (int attempt = 1; ; attempt++) {
            try {
                HttpResponse<InputStream> response = authorized(method, rest, from);
                int status = response.statusCode();
                if (status == 200 || status == 206 || (status == 416 && from > 0)) {
                    return response;
                }
                if (attempt < patience.attempts() && (status == 429 || status >= 500)) {
                    close(response);
                    pause(attempt, response.headers().firstValue("Retry-After").orElse(""));
                    continue;
                }
                throw refused(rest, response);
            } catch (IOException e) {
                if (attempt >= attemptsAfter(e) || Thread.currentThread().isInterrupted()) {
                    throw unreachable(e);
                }
                pause(attempt, "");
            }
        }
    }

    /**
     * Trying again changes nothing about a name that nobody knows or a certificate that nobody trusts, and little about a server
     * that does not listen; whoever wants the image will ask again later.
     */
    private int attemptsAfter(IOException problem) {
        if (has(problem, UnresolvedAddressException.class) || has(problem, SSLException.class)) {
            return 1;
        }
        boolean unheard = has(problem, ConnectException.class) || has(problem, HttpConnectTimeoutException.class);
        return unheard ? Math.min(2, patience.attempts()) : patience.attempts();
    }

    private static boolean has(Throwable problem, Class<? extends Exception> type) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    private HttpResponse<InputStream> authorized(String method, String rest, long from)
            throws IOException, ImageException {
        HttpResponse<InputStream> response = exchange(method, rest, from);
        while (response.statusCode() == 401 || response.statusCode() == 403) {
            boolean another = access.answer(response, String.valueOf(scheme));
            if (!another) {
                return response;
            }
            close(response);
            response = exchange(method, rest, from);
        }
        return response;
    }

    /** The first scheme that works is kept. */
    private HttpResponse<InputStream> exchange(String method, String rest, long from) throws IOException {
        String known = scheme;
        List<String> schemes = known == null ? repository.schemes() : List.of(known);
        for (int i = 0; ; i++) {
            String path = "/v2/" + repository.path() + rest;
            try {
                HttpResponse<InputStream> response =
                        follow(method, URI.create(schemes.get(i) + "://" + repository.host() + path), from);
                scheme = schemes.get(i);
                return response;
            } catch (IOException e) {
                // somebody who speaks no TLS; one with a certificate we do not trust is no reason to go without
                boolean plain = has(e, SSLException.class) && !has(e, CertificateException.class);
                if (i + 1 >= schemes.size() || !plain) {
                    throw e;
                }
            }
        }
    }

    private HttpResponse<InputStream> follow(String method, URI first, long from) throws IOException {
        URI uri = first;
        for (int i = 0; i <= REDIRECTS; i++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                    .timeout(patience.answer())
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .header("User-Agent", "lavaflow");
            Manifest.MEDIA_TYPES.forEach(type -> request.header("Accept", type));
            request.header("Accept", "*/*");
            if (from > 0) {
                request.header("Range", "bytes=" + from + "-");
            }
            if (sameServer(first, uri)) {
                access.authorization().ifPresent(value -> request.header("Authorization", value));
            }
            HttpResponse<InputStream> response = send(http, request.build(), patience);
            int status = response.statusCode();
            String location = response.headers().firstValue("Location").orElse("");
            if (status < 300 || status >= 400 || status == 304 || location.isEmpty()) {
                return response;
            }
            close(response);
            URI next = uri.resolve(location);
            String nextScheme = String.valueOf(next.getScheme()).toLowerCase(Locale.ROOT);
            boolean weaker = nextScheme.equals("http") && !uri.getScheme().equals("http");
            if (weaker || (!nextScheme.equals("http") && !nextScheme.equals("https"))) {
                throw new IOException("it leads to " + nextScheme + ":, where nothing is encrypted");
            }
            uri = next;
        }
        throw new IOException("it leads on and on to other places");
    }

    private static boolean sameServer(URI one, URI other) {
        return one.getScheme().equals(other.getScheme()) && one.getAuthority().equals(other.getAuthority());
    }

    static HttpResponse<InputStream> send(HttpClient http, HttpRequest request, Patience patience) throws IOException {
        try {
            return http.send(request, _ -> new GuardedBody(patience.stall()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    static void close(HttpResponse<InputStream> response) {
        try {
            response.body().close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void pause(int attempt, String retryAfter) throws ImageException {
        long millis = patience.pause().toMillis() << (2 * (attempt - 1));
        if (retryAfter.matches("\\d{1,2}")) {
            millis = Math.max(millis, Math.min(30, Long.parseLong(retryAfter)) * 1000);
        }
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ImageException(ImageException.Kind.UNREACHABLE, "interrupted", e);
        }
    }

    private ImageException refused(String rest, HttpResponse<InputStream> response) {
        int status = response.statusCode();
        String told = told(response);
        String what = repository + rest.replaceFirst("^/(manifests|blobs)/", rest.contains("sha256:") ? "@" : ":");
        return switch (status) {
            case 401, 403 ->
                new ImageException(
                        ImageException.Kind.DENIED, "pull access denied for " + what + " (" + status + told + ")");
            case 404 ->
                new ImageException(ImageException.Kind.NOT_FOUND, what + " was not found in the registry" + told);
            default ->
                new ImageException(
                        ImageException.Kind.UNREACHABLE, "registry " + repository.host() + " answers " + status + told);
        };
    }

    /** What the registry says about it, as far as it is in the usual form. */
    private static String told(HttpResponse<InputStream> response) {
        try (InputStream in = response.body()) {
            JsonNode first = Json.parseUntrusted(in.readNBytes(16 * 1024)).at("/errors/0");
            String code = Json.textAt(first, "code");
            String message = Json.textAt(first, "message");
            String text = code + (code.isEmpty() || message.isEmpty() ? "" : ": ") + message;
            return text.isEmpty() ? "" : ", " + (text.length() > 200 ? text.substring(0, 200) : text);
        } catch (JsonProcessingException e) {
            return "";
        } catch (IOException e) {
            return "";
        }
    }
}
