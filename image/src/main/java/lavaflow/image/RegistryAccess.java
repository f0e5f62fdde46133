package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Who asks a registry. Tries the credentials it was given one after the other, then, where tokens are wanted, goes without.
 * Secrets are sent to the registry, and to where it says tokens come from, over encrypted connections or on this machine only.
 */
final class RegistryAccess {
    private static final int TOKEN_LIMIT = 1 << 20;

    private final HttpClient http;
    private final Repository repository;
    private final RegistryClient.Patience patience;
    private final Deque<Optional<Credential>> untried = new ArrayDeque<>();
    private Optional<Credential> current = Optional.empty();
    private boolean renewed;
    private @Nullable String authorization;

    RegistryAccess(
            HttpClient http, Repository repository, List<Credential> credentials, RegistryClient.Patience patience) {
        this.http = http;
        this.repository = repository;
        this.patience = patience;
        credentials.forEach(credential -> untried.add(Optional.of(credential)));
        untried.add(Optional.empty());
    }

    synchronized Optional<String> authorization() {
        return Optional.ofNullable(authorization);
    }

    /** Who the registry has let in last; nobody where it lets everybody in. */
    synchronized Optional<Credential> opener() {
        return current.filter(credential -> !credential.isAnonymous());
    }

    /** Answers what a registry wants to know; false if there is nothing more to say. */
    synchronized boolean answer(HttpResponse<InputStream> response, String scheme) throws IOException {
        List<Challenge> challenges = response.headers().allValues("WWW-Authenticate").stream()
                .flatMap(header -> Challenge.parse(header).stream())
                .toList();
        // a token that worked may have run out in the middle of a long pull
        if (authorization != null && !renewed && response.statusCode() == 401) {
            renewed = true;
            untried.addFirst(current);
        }
        while (!untried.isEmpty()) {
            Optional<Credential> next = untried.removeFirst();
            for (Challenge challenge : challenges) {
                Optional<String> said = answer(challenge, next, scheme);
                if (said.isPresent() && !said.get().equals(authorization)) {
                    current = next;
                    authorization = said.get();
                    return true;
                }
            }
        }
        return false;
    }

    private Optional<String> answer(Challenge challenge, Optional<Credential> credential, String scheme)
            throws IOException {
        boolean safe = scheme.equals("https") || Repository.isLoopback(repository.host());
        return switch (challenge.scheme()) {
            case "basic" -> safe ? credential.flatMap(RegistryAccess::basic) : Optional.empty();
            case "bearer" -> token(challenge, credential).map(token -> "Bearer " + token);
            default -> Optional.empty();
        };
    }

    private static Optional<String> basic(Credential credential) {
        if (credential.user().isEmpty() && credential.password().isEmpty()) {
            return Optional.empty();
        }
        byte[] both = (credential.user() + ":" + credential.password()).getBytes(StandardCharsets.UTF_8);
        return Optional.of("Basic " + Base64.getEncoder().encodeToString(both));
    }

    private Optional<String> token(Challenge challenge, Optional<Credential> credential) throws IOException {
        URI realm;
        try {
            realm = URI.create(challenge.parameter("realm"));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        boolean encrypted = "https".equals(realm.getScheme());
        boolean local = "http".equals(realm.getScheme())
                && realm.getAuthority() != null
                && (Repository.isLoopback(realm.getAuthority())
                        || repository.schemes().equals(List.of("http")));
        if (!encrypted && !local) {
            return Optional.empty();
        }
        String scope = challenge.parameter("scope");
        String service = "service=" + encoded(challenge.parameter("service"));
        String wanted = "scope=" + encoded(scope.isEmpty() ? "repository:" + repository.path() + ":pull" : scope);
        String identity = credential.map(Credential::token).orElse("");
        HttpRequest.Builder request;
        if (!identity.isEmpty()) {
            request = HttpRequest.newBuilder(realm)
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "grant_type=refresh_token&client_id=lavaflow&refresh_token=" + encoded(identity) + "&"
                                    + service + "&" + wanted));
        } else {
            String query = realm.getRawQuery() == null ? "?" : "&";
            request = HttpRequest.newBuilder(URI.create(realm + query + service + "&" + wanted));
            credential.flatMap(RegistryAccess::basic).ifPresent(value -> request.header("Authorization", value));
        }
        return ask(request.timeout(patience.answer()).build());
    }

    private Optional<String> ask(HttpRequest request) throws IOException {
        HttpResponse<InputStream> response = RegistryClient.send(http, request, patience);
        try (InputStream in = response.body()) {
            if (response.statusCode() == 200) {
                JsonNode answer = Json.parseUntrusted(in.readNBytes(TOKEN_LIMIT));
                String token = Json.textAt(answer, "token");
                token = token.isEmpty() ? Json.textAt(answer, "access_token") : token;
                return token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c > '~')
                        ? Optional.empty()
                        : Optional.of(token);
            }
            if (response.statusCode() >= 500) {
                throw new IOException("the server of its tokens answers " + response.statusCode());
            }
            return Optional.empty();
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
