package lavaflow.apiserver;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;

import lavaflow.access.Authenticator;
import lavaflow.access.User;
import lavaflow.audit.AuditRecord;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoDuration;
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
    private final RequestAudit audit;
    private final FlowFilter flow;
    private final ResourceHandler resources;
    private final Endpoints endpoints;
    private final Aggregation aggregation;
    private final RequestMetrics metrics;
    private final InstantSource clock;

    ApiHandler(
            Authentication authentication,
            Impersonating impersonating,
            Authorization authorization,
            RequestAudit audit,
            FlowFilter flow,
            ResourceHandler resources,
            Endpoints endpoints,
            Aggregation aggregation,
            RequestMetrics metrics,
            InstantSource clock) {
        this.authentication = authentication;
        this.impersonating = impersonating;
        this.authorization = authorization;
        this.audit = audit;
        this.flow = flow;
        this.resources = resources;
        this.endpoints = endpoints;
        this.aggregation = aggregation;
        this.metrics = metrics;
        this.clock = clock;
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

    /** Upstream's order: who asks is written down, waits for a turn, and only then learns whether they may. */
    private void serve(Exchange plain, RequestInfo info) throws IOException {
        Instant received = clock.instant();
        String given = plain.header("Audit-Id");
        String id = given == null ? UUID.randomUUID().toString() : given;
        plain.setHeader("Audit-Id", id);
        plain.setHeader("Cache-Control", "no-cache, private");
        Exchange exchange = plain;
        ServedExchange served = null;
        try {
            checkPath(info);
            checkTimeout(plain, info);
            Authenticator.Authenticated known = authenticate(plain, info, id, received);
            User sender = known.user();
            AuditRecord record = audit.open(plain, info, sender, id, received);
            known.remarks().annotations().forEach(record::annotate);
            served = new ServedExchange(plain, record, FlowFilter.isLongRunning(info));
            exchange = served;
            User user = impersonate(served, info, sender);
            if (flow.admit(served, info, user)) {
                authorize(served, info, user);
                route(served, info, user, id);
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
            String what = e.getClass().getSimpleName();
            exchange.audit().panicked(what);
            fail(exchange, info, ApiException.internal("the request could not be served: " + what));
        } finally {
            if (served != null) {
                served.finish();
            }
        }
    }

    /** Answers a component of this process, who is known and waits for nobody. */
    void answer(LocalExchange exchange, User user) throws IOException {
        RequestInfo info = RequestInfo.parse(exchange.method(), exchange.rawPath(), exchange.query());
        authorization.check(user, info, exchange.query());
        route(exchange, info, user, UUID.randomUUID().toString());
    }

    private static void checkPath(RequestInfo info) {
        if (info.path().length() > MAX_PATH) {
            throw ApiException.of(414, "", "the path of the request is too long");
        }
        if (info.path().startsWith("//")) {
            throw new PathNotServed();
        }
    }

    /** How long a client wants to wait must at least be a time; nothing here takes so long that it matters otherwise. */
    private static void checkTimeout(Exchange exchange, RequestInfo info) {
        String timeout = exchange.query().has("timeout") ? exchange.query().first("timeout") : "";
        if (timeout.isEmpty() || FlowFilter.isLongRunning(info)) {
            return;
        }
        try {
            var _ = GoDuration.parse(timeout);
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest("invalid timeout specified in the request URL - " + e.getMessage());
        }
    }

    private Authenticator.Authenticated authenticate(Exchange exchange, RequestInfo info, String id, Instant received) {
        try {
            return authentication.authenticate(exchange, info);
        } catch (ApiException refusal) {
            audit.unauthenticated(exchange, info, id, received, refusal);
            throw refusal;
        }
    }

    private void route(Exchange exchange, RequestInfo info, User user, String id) throws IOException {
        RemoteService other = aggregation.find(info);
        if (other != null) {
            aggregation.pass(exchange, other, user, id, FlowFilter.isLongRunning(info));
        } else if (info.resourceRequest()) {
            resources.handle(exchange, info, user);
        } else {
            endpoints.handle(exchange, info);
        }
    }

    private User impersonate(Exchange exchange, RequestInfo info, User sender) {
        try {
            User user = impersonating.apply(exchange, info, sender);
            if (!user.equals(sender)) {
                exchange.audit().impersonates(RequestAudit.asker(user));
            }
            return user;
        } catch (ApiException e) {
            throw unsniffed(exchange, e);
        }
    }

    private void authorize(Exchange exchange, RequestInfo info, User user) {
        try {
            authorization.check(user, info, exchange.query(), exchange.audit());
        } catch (ApiException e) {
            throw unsniffed(exchange, e);
        }
    }

    /** Browsers shall not guess at the type of a refusal. */
    private static ApiException unsniffed(Exchange exchange, ApiException refusal) {
        exchange.setHeader("X-Content-Type-Options", "nosniff");
        return refusal;
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
        exchange.audit().response(document);
        exchange.send(200, choice.contentType(), Rendering.bytes(document, choice, Answer.pretty(exchange)));
    }
}
