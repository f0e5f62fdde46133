package lavaflow;

import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import lavaflow.kube.ApiException;
import lavaflow.remote.RemoteKubeApi;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews what a node shows to the API server of the cluster it joined, as long as it runs. */
final class ClientCertificate implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientCertificate.class);
    /** Machines sleep and clocks are set: a long wait is many short ones. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final Duration RETRY = Duration.ofMinutes(1);

    private final Home home;
    private final NodeJoining joining;
    private final RemoteKubeApi api;
    private final InstantSource clock;
    private final Thread looking;
    private @Nullable X509Certificate current;

    /**
     * @param api made with the settings of the joining
     */
    ClientCertificate(Home home, NodeJoining joining, RemoteKubeApi api, InstantSource clock) throws IOException {
        this.home = home;
        this.joining = joining;
        this.api = api;
        this.clock = clock;
        this.current = NodeJoining.certificate(home, joining.settings());
        this.looking = Thread.ofVirtual().name("client certificate").start(this::look);
    }

    private void look() {
        try {
            while (current != null) {
                Thread.sleep(step(current));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when to look again. */
    private Duration step(X509Certificate shown) throws InterruptedException {
        Instant now = clock.instant();
        if (NodeJoining.lasts(shown, now)) {
            Duration left = Duration.between(now, NodeJoining.renewal(shown));
            return left.compareTo(LONGEST) < 0 ? left : LONGEST;
        }
        try {
            X509Certificate next = NodeJoining.renew(home, api, joining.name());
            api.renewCredentials();
            current = next;
            LOG.info(
                    "node {} has another client certificate, until {}",
                    joining.name(),
                    next.getNotAfter().toInstant());
            return Duration.ZERO;
        } catch (IOException | ApiException | IllegalArgumentException e) {
            LOG.warn(
                    "node {} has no other client certificate yet, the present one ends at {}: {}",
                    joining.name(),
                    shown.getNotAfter().toInstant(),
                    e.getMessage());
            return RETRY;
        }
    }

    @Override
    public void close() {
        looking.interrupt();
    }
}
