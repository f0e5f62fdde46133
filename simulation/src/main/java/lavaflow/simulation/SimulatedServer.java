package lavaflow.simulation;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;

import lavaflow.LocalKubeApi;
import lavaflow.WebhookAdmission;
import lavaflow.access.TokenKeys;
import lavaflow.access.User;
import lavaflow.admission.OutsideAdmission;
import lavaflow.apiserver.AccessSettings;
import lavaflow.apiserver.ApiServer;
import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.Identity;
import lavaflow.apiserver.ServerSettings;
import lavaflow.apiserver.ServerVersion;
import lavaflow.cluster.CoreControllers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The real API server without HTTP, over a store in memory. Everybody may do everything: who may what is tested elsewhere. */
final class SimulatedServer implements AutoCloseable {
    private static final User EVERYBODY = new User("system:simulation", List.of("system:masters"));
    private static final CertificateAuthority AUTHORITY = CertificateAuthority.create("simulation", VirtualClock.START);
    private static final Identity IDENTITY =
            AUTHORITY.issueServer("simulation", List.of("localhost"), List.of("127.0.0.1"), VirtualClock.START);
    /** Making keys would take longer than some runs. */
    private static final TokenKeys KEYS = TokenKeys.of(TokenKeys.newSigningKey(), List.of());

    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");

    private final Store store;
    private final ApiServer server;
    private final KubeApi api;
    private final Directories directories = new Directories();

    SimulatedServer(VirtualClock clock, RandomGenerator random) throws IOException {
        store = Store.open(
                Path.of("/simulation"), StoreOptions.defaults().withClock(clock).withDisk(new MemoryDisk()));
        server = new ApiServer(
                new ServerSettings(
                        InetSocketAddress.createUnresolved("localhost", 0),
                        IDENTITY,
                        AUTHORITY.certificate(),
                        ServerVersion.of("0.0.0"),
                        clock,
                        new WebhookAdmission(new OutsideAdmission(), clock),
                        new AccessSettings(() -> KEYS, List.of(), false)),
                store,
                random);
        api = new LocalKubeApi(server.local(), EVERYBODY);
        for (String name : List.of("default", "kube-system", "kube-node-lease")) {
            ObjectNode namespace = Json.object();
            namespace.putObject("metadata").put("name", name);
            api.create(NAMESPACES, "", namespace);
        }
    }

    KubeApi api() {
        return api;
    }

    /** Serves the custom resources that are defined by now. */
    void serveDefined() {
        server.serveDefined();
    }

    /** What controllers of credentials and policies need of a server. */
    CoreControllers.Judges judges() {
        return new CoreControllers.Judges(
                new CoreControllers.Access(
                        server.accountTokens(),
                        server.authorizer(),
                        (request, usages, lifetime) ->
                                AUTHORITY.signRequest(request, usages, lifetime, VirtualClock.START),
                        IDENTITY.certificatePem()),
                _ -> Json.array(),
                directories.root());
    }

    Directories directories() {
        return directories;
    }

    @Override
    public void close() throws IOException {
        server.close();
        store.close();
        directories.close();
    }
}
