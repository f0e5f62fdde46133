package lavaflow.apiserver;

import java.time.InstantSource;
import java.util.List;

import lavaflow.access.AnonymousRequests;
import lavaflow.access.Authenticator;
import lavaflow.access.Presented;
import lavaflow.access.User;
import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says who a request is from, or refuses it: 401. Who shows nothing is anonymous, where that is allowed. */
final class Authentication {
    private static final Logger LOG = LoggerFactory.getLogger("lavaflow.requests");

    private final List<Authenticator> authenticators;
    private final @Nullable FrontProxy frontProxy;
    private final AnonymousRequests anonymous;
    private final InstantSource clock;

    Authentication(
            List<Authenticator> authenticators,
            @Nullable FrontProxy frontProxy,
            AnonymousRequests anonymous,
            InstantSource clock) {
        this.anonymous = anonymous;
        this.authenticators = List.copyOf(authenticators);
        this.frontProxy = frontProxy;
        this.clock = clock;
    }

    /** Any good credential will do, whatever else was shown. */
    Authenticator.Authenticated authenticate(Exchange exchange, RequestInfo info) {
        User fronted = frontProxy == null ? null : frontProxy.user(exchange, clock.instant());
        if (fronted != null) {
            return new Authenticator.Authenticated(fronted);
        }
        boolean refused = false;
        List<String> shown = exchange.headers("Authorization");
        try {
            String token = WebSocketToken.of(exchange);
            if (token != null && shown.isEmpty()) {
                shown = List.of("Bearer " + token);
            }
        } catch (WebSocketToken.Unusable e) {
            LOG.debug("{} {}: {}", exchange.method(), info.path(), e.getMessage());
            refused = true;
        }
        Presented presented = new Presented(exchange.clientCertificates(), shown);
        for (Authenticator authenticator : authenticators) {
            switch (authenticator.authenticate(presented)) {
                case Authenticator.Authenticated known -> {
                    known.remarks().warnings().forEach(warning -> Answer.warn(exchange, warning));
                    return known;
                }
                case Authenticator.Refused refusal -> {
                    LOG.debug("{} {}: {}", exchange.method(), info.path(), refusal.why());
                    refused = true;
                }
                case Authenticator.Absent _ -> {}
            }
        }
        if (refused || !anonymous.allow(info.path())) {
            throw ApiException.unauthorized();
        }
        return new Authenticator.Authenticated(User.ANONYMOUS);
    }
}
