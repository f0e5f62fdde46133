package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import lavaflow.apiserver.Identity;
import lavaflow.kube.ApiException;
import lavaflow.remote.RemoteKubeApi;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node shows that joined a cluster whose authority is elsewhere. It vouches for itself until the cluster's signer does, which somebody
 * has to approve; API servers that do not ask who signed it speak to it meanwhile.
 */
final class ServingCertificate implements WorkerNode.Certificates {
    private static final Logger LOG = LoggerFactory.getLogger(ServingCertificate.class);
    private static final Duration RETRY = Duration.ofMinutes(5);

    private final Home home;
    private final RemoteKubeApi api;
    private final InstantSource clock;

    ServingCertificate(Home home, RemoteKubeApi api, InstantSource clock) {
        this.home = home;
        this.api = api;
        this.clock = clock;
    }

    @Override
    public Identity of(String node, String address) throws IOException {
        return Credentials.ownNode(home, node, address);
    }

    @Override
    public Thread improve(String node, String address, WorkerNode.Show show) {
        return Thread.ofVirtual().name("serving certificate").start(() -> {
            try {
                while (true) {
                    Thread.sleep(step(node, address, show));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns when to look again. */
    private Duration step(String node, String address, WorkerNode.Show show) throws InterruptedException {
        // Another cluster has another authority.
        String file = "kubelet-serving-" + Credentials.fileName(node + "-" + address + "-" + api.server());
        try {
            Identity current = Credentials.load(home, file);
            if (current == null || !NodeJoining.lasts(current.certificate(), clock.instant())) {
                current = new CertificateRequests(api)
                        .ask(CertificateRequests.Purpose.SERVER, node, List.of(node), List.of(address));
                Credentials.save(home, file, current);
                LOG.info("node {} has a certificate of the cluster", node);
            }
            show.show(current);
            return Duration.between(clock.instant(), NodeJoining.renewal(current.certificate()));
        } catch (IOException | ApiException e) {
            LOG.warn("node {} has no certificate of the cluster: {}", node, e.getMessage());
            return RETRY;
        }
    }
}
