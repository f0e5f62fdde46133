package lavaflow.remote;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of service accounts in kube-system, asked for when first needed and again before they end. As upstream, an account
 * that is missing is made. Thread-safe.
 */
final class AccountCredentials implements AutoCloseable {
    private static final String ACCOUNTS = "/api/v1/namespaces/kube-system/serviceaccounts";
    private static final String JSON = "application/json";
    private static final Duration LIFE = Duration.ofHours(1);
    /** As upstream: a token is replaced when a fifth of its life is left. */
    private static final Duration REPLACED_AFTER = LIFE.multipliedBy(4).dividedBy(5);

    private record Token(String value, long sinceNanos) {}

    private final Connection owner;
    private final Supplier<Connection> ofNobody;
    private final LongSupplier nanoTime;
    private final Map<String, Token> tokens = new ConcurrentHashMap<>();
    /** Guarded by this. */
    private @Nullable Connection nobody;

    /**
     * @param owner may ask for tokens
     * @param ofNobody opens a connection without credentials
     */
    AccountCredentials(Connection owner, Supplier<Connection> ofNobody, LongSupplier nanoTime) {
        this.owner = owner;
        this.ofNobody = ofNobody;
        this.nanoTime = nanoTime;
    }

    ObjectNode write(String account, String method, String path, String contentType, ObjectNode body) {
        Token token = token(account);
        try {
            return nobody().write(method, path, contentType, body, token.value());
        } catch (ApiException e) {
            if (e.code() != 401) {
                throw e;
            }
        }
        // The account may have been deleted and made again, or the keys of the server replaced.
        tokens.remove(account, token);
        return nobody().write(method, path, contentType, body, token(account).value());
    }

    private synchronized Connection nobody() {
        Connection present = nobody;
        if (present == null) {
            present = ofNobody.get();
            nobody = present;
        }
        return present;
    }

    private Token token(String account) {
        Token known = tokens.get(account);
        if (known != null && isFresh(known)) {
            return known;
        }
        // Whoever asks for the same at the same time gets one of their own, which does no harm.
        Token fresh = new Token(ask(account), nanoTime.getAsLong());
        tokens.put(account, fresh);
        return fresh;
    }

    private boolean isFresh(Token token) {
        return nanoTime.getAsLong() - token.sinceNanos() < REPLACED_AFTER.toNanos();
    }

    private String ask(String account) {
        try {
            return request(account);
        } catch (ApiException e) {
            if (e.code() != 404) {
                throw e;
            }
        }
        create(account);
        return request(account);
    }

    private String request(String account) {
        ObjectNode request = Json.object().put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        request.putObject("spec").put("expirationSeconds", LIFE.toSeconds());
        ObjectNode answer = owner.write("POST", ACCOUNTS + "/" + account + "/token", JSON, request);
        return Json.textAt(answer, "status", "token");
    }

    private void create(String account) {
        ObjectNode object = Json.object().put("kind", "ServiceAccount").put("apiVersion", "v1");
        object.putObject("metadata").put("name", account).put("namespace", "kube-system");
        try {
            owner.write("POST", ACCOUNTS, JSON, object);
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists")) {
                throw e;
            }
        }
    }

    @Override
    public synchronized void close() {
        if (nobody != null) {
            nobody.close();
        }
    }
}
