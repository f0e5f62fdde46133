package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.Identity;
import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.ResourceGroups;
import lavaflow.kube.DecodingException;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role of {@code lava webhooks}: the webhooks of Volcano, the training operator, the Trainer and JobSet beside any API server. */
final class WebhooksRole implements Foreground.Role {
    private static final Logger LOG = LoggerFactory.getLogger(WebhooksRole.class);
    /**
     * A certificate somebody else made.
     *
     * @param authority who signed it, as API servers shall know
     */
    record GivenCertificate(Path certificate, Path key, Path authority) {}

    /**
     * What may differ between clusters.
     *
     * @param listen where it answers
     * @param callers how API servers reach it
     * @param webhooks which ones it has
     * @param schedulers whose pods belong to gangs, the usual one first
     * @param groups the file with groups of nodes; null for none
     * @param certificate null to make one
     */
    record Options(
            Settings connection,
            InetSocketAddress listen,
            WebhookRegistration.Callers callers,
            Set<? extends Webhook> webhooks,
            List<String> schedulers,
            @Nullable Path groups,
            @Nullable GivenCertificate certificate) {}

    private final RemoteKubeApi api;
    private final WebhookServer server;
    private final WebhookRegistration registration;

    private WebhooksRole(Options options, RemoteKubeApi api) throws IOException {
        this.api = api;
        WebhookRegistration.Callers callers = options.callers();
        Identity identity;
        String authority;
        GivenCertificate files = options.certificate();
        if (files != null) {
            identity = Identity.parse(Files.readString(files.certificate()), Files.readString(files.key()));
            authority = Files.readString(files.authority());
        } else {
            Instant now = Instant.now();
            CertificateAuthority made = CertificateAuthority.create("volcano-admission-ca", now);
            identity = made.issueServer("volcano-admission", callers.names(), callers.addresses(), now);
            authority = made.identity().certificatePem();
        }
        this.server = new WebhookServer(
                options.listen(), identity, options.webhooks(), new Asked(api, options.schedulers(), groups(options)));
        this.registration = new WebhookRegistration(api, callers.at(server.port()), authority, options.webhooks());
    }

    private static ResourceGroups groups(Options options) throws IOException {
        Path file = options.groups();
        if (file == null) {
            return ResourceGroups.NONE;
        }
        try {
            return ResourceGroups.parse(Files.readAllBytes(file));
        } catch (DecodingException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** Connects, however long the server takes to come up; other failures are the caller's. */
    static WebhooksRole connect(Options options) throws IOException, InterruptedException {
        return Foreground.connect(options.connection(), api -> new WebhooksRole(options, api));
    }

    /** Tells the API server to ask; whoever asks is answered from then on. */
    void register() {
        registration.register();
        LOG.info("{} asks here, port {}", api.server(), server.port());
    }

    /** Answers until it is interrupted. */
    @Override
    public boolean run() throws InterruptedException {
        register();
        while (true) {
            Thread.sleep(Duration.ofDays(1));
        }
    }

    int port() {
        return server.port();
    }

    /** Nobody is asked any more before nobody answers. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        registration.close();
        server.close();
        api.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The cluster as the API server tells it; asked each time, so that a queue made just now is there. */
    private record Asked(KubeApi api, List<String> names, ResourceGroups resourceGroups) implements Webhook.Cluster {
        @Override
        public List<ObjectNode> queues() {
            return api.list(Batch.QUEUES, "", KubeApi.View.WHOLE).items();
        }

        @Override
        public @Nullable ObjectNode find(KubeApi.Kind kind, String namespace, String name) {
            return api.find(kind, namespace, name).orElse(null);
        }

        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public Set<String> schedulers() {
            return Set.copyOf(names);
        }

        @Override
        public String scheduler() {
            return names.getFirst();
        }
    }
}
