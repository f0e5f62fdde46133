package lavaflow.apiserver;

import java.io.IOException;
import java.util.UUID;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.store.CompactedException;
import lavaflow.store.StoreUnavailableException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes every request: who asks, may they, what is it about; turns failures into Statuses and keeps count. */
final class ApiHandler {
    private static final Logger LOG = LoggerFactory.getLogger("lavaflow.requests");
    private static final int MAX_PATH = 8 * 1024;

    private final Authentication authentication;
    private final Impersonating impersonating;
    private final Authorization authorization;
    private final ResourceHandler resources;
    private final Endpoints endpoints;
    private final RequestMetrics metrics;

    ApiHandler(
            Authentication authentication,
            Impersonating impersonating,
            Authorization authorization,
            ResourceHandler resources,
            Endpoints endpoints,
            RequestMetrics metrics) {
        this.authentication = authentication;
        this.impersonating = impersonating;
        this.authorization = authorization;
        this.resources = resources;
        this.endpoints = endpoints;
        this.metrics = metrics;
    }

    void handle(Exchange exchange) {
        long start = System.nanoTime();
        RequestInfo info = RequestInfo.parse(exchange.method(), exchange.rawPath(), exchange.query());
        metrics.begin(info);
        try {
            serve(exchange, info);
        } catch (IOException e) {
            // The client is gone; there is nobody to tell.
            LOG.debug("{} {}: {}", exchange.method(), info.path(), e.getMessage());
        } finally {
            long nanos = System.nanoTime() - start;
            metrics.end(info, exchange.status(), nanos);
            LOG.debug("{} {} {} {} us", exchange.method(), info.path(), exchange.status(), nanos / 1_000);
        }
    }

    private void serve(Exchange exchange, RequestInfo info) throws IOException {
        String audit = exchange.header("Audit-Id");
        exchange.setHeader("Audit-Id", audit == null ? UUID.randomUUID().toString() : audit);
        exchange.setHeader("Cache-Control", "no-cache, private");
        try {
            if (info.path().length() > MAX_PATH) {
                throw ApiException.of(414, "", "the path of the request is too long");
            }
            if (info.path().startsWith("//")) {
                throw new PathNotServed();
            }
            User sender = authentication.authenticate(exchange, info);
            User user = admit(exchange, info, sender);
            if (info.resourceRequest()) {
                resources.handle(exchange, info, user);
            } else {
                endpoints.handle(exchange, info);
            }
        } catch (PathNotServed e) {
            exchange.setHeader("X-Content-Type-Options", "nosniff");
            Endpoints.plain(exchange, 404, e.getMessage() + "\n");
        } catch (ApiException e) {
            fail(exchange, info, e);
        } catch (StoreUnavailableException e) {
            LOG.warn("{} {}: {}", exchange.method(), info.path(), e.getMessage());
            fail(exchange, info, ApiException.of(503, "ServiceUnavailable", String.valueOf(e.getMessage())));
        } catch (CompactedException e) {
            fail(exchange, info, ApiException.expired("The resourceVersion for the provided list is too old."));
        } catch (RuntimeException | StackOverflowError e) {
            LOG.error("{} {} failed", exchange.method(), info.path(), e);
            fail(
                    exchange,
                    info,
                    ApiException.internal(
                            "the request could not be served: " + e.getClass().getSimpleName()));
        }
    }

    /** The user to serve, once it is certain that they may; browsers shall not guess at the type of a refusal. */
    private User admit(Exchange exchange, RequestInfo info, User sender) {
        try {
            User user = impersonating.apply(exchange, info, sender);
            authorization.check(user, info, exchange.query());
            return user;
        } catch (ApiException e) {
            exchange.setHeader("X-Content-Type-Options", "nosniff");
            throw e;
        }
    }

    private static void fail(Exchange exchange, RequestInfo info, ApiException failure) throws IOException {
        if (exchange.status() != 0) {
            LOG.debug("{}: failed after the answer began: {}", info.path(), failure.getMessage());
            return;
        }
        Answer.failure(exchange, failure);
    }

    /** A document that is not a resource. */
    static void send(Exchange exchange, ObjectNode document) throws IOException {
        Negotiation.Choice choice = Negotiation.choose(exchange.header("Accept"), false, false);
        exchange.send(200, choice.contentType(), Rendering.bytes(document, choice, Answer.pretty(exchange)));
    }
}
