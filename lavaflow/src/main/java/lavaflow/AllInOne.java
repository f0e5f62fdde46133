package lavaflow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

import lavaflow.access.ServiceAccounts;
import lavaflow.access.User;
import lavaflow.admission.OutsideAdmission;
import lavaflow.admission.PolicyTypes;
import lavaflow.apiserver.AccessSettings;
import lavaflow.apiserver.AdmissionSwitches;
import lavaflow.apiserver.ApiServer;
import lavaflow.apiserver.Bootstrap;
import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.FrontProxy;
import lavaflow.apiserver.KindSchemas;
import lavaflow.apiserver.ServerVersion;
import lavaflow.cluster.CoreControllers;
import lavaflow.cluster.Identities;
import lavaflow.controller.KubeApi;
import lavaflow.node.SimShape;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

/** The role of {@code lava up}: store, API server and controllers in one process. */
final class AllInOne implements AutoCloseable {
    private static final User CONTROLLERS = new User("system:kube-controller-manager", List.of(User.AUTHENTICATED));

    private final Home home;
    private final Store store;
    private final ApiServer server;
    private final CoreControllers controllers;
    private final NodesAndScheduler nodes;
    private final String url;

    /** Opens the store first: its lock keeps a second server off the keys as well. */
    static AllInOne start(Home home, InetSocketAddress listen) throws Exception {
        return start(home, listen, Options.usual(true, List.of()));
    }

    /**
     * What may differ between clusters.
     *
     * @param workloads whether to make pods of what asks for them
     * @param users who has tokens beside service accounts
     * @param bootstrapTokens whether secrets in kube-system may be tokens for joining nodes
     * @param requests how requests are written down and rationed
     * @param admission which plugins of admission are on
     * @param simulated nodes to simulate
     */
    record Options(
            boolean workloads,
            UserFiles users,
            boolean bootstrapTokens,
            RequestOptions requests,
            AdmissionSwitches admission,
            List<SimShape> simulated) {
        /** As {@code lava up} starts without any. */
        static Options usual(boolean workloads, List<SimShape> simulated) {
            return new Options(
                    workloads, UserFiles.NONE, false, RequestOptions.DEFAULT, AdmissionSwitches.USUAL, simulated);
        }
    }

    static AllInOne start(Home home, InetSocketAddress listen, Options options) throws Exception {
        home.create();
        Store store = Store.open(home.store(), StoreOptions.defaults());
        try {
            return new AllInOne(home, store, listen, options);
        } catch (Exception e) {
            store.close();
            throw e;
        }
    }

    private AllInOne(Home home, Store store, InetSocketAddress listen, Options options) throws Exception {
        InstantSource clock = InstantSource.system();
        // The first start makes ten keys and certificates: half of them aside, together with what else takes time and
        // needs no key.
        FutureTask<FrontProxy> frontProxy = new FutureTask<>(() -> {
            FrontProxy made = Credentials.frontProxy(home, clock.instant());
            ApiServer.prepare();
            return made;
        });
        Thread.ofPlatform().daemon().name("front proxy").start(frontProxy);
        Credentials credentials = Credentials.loadOrCreate(home, listen.getHostString(), clock.instant());
        this.home = home;
        this.store = store;
        this.server = new ApiServer(
                new ApiServer.Settings(
                                listen,
                                credentials.server(),
                                credentials.authority().certificate(),
                                ServerVersion.of(Lava.version()),
                                clock,
                                new OutsideAdmission(),
                                new AccessSettings(
                                        () -> Credentials.tokenKeys(home),
                                        options.users().tokens(),
                                        options.bootstrapTokens(),
                                        options.users().anonymous()))
                        .withRequests(
                                options.requests().auditor(), options.requests().seats())
                        .withAdmission(options.admission())
                        .withFrontProxy(result(frontProxy)),
                store);
        LocalKubeApi local = new LocalKubeApi(server.local(), CONTROLLERS);
        this.controllers = new CoreControllers(
                identities(local),
                new CoreControllers.Judges(
                        new CoreControllers.Access(
                                server.accountTokens(),
                                server.authorizer(),
                                (request, usages, lifetime) -> CertificateAuthority.of(credentials.authority())
                                        .signRequest(request, usages, lifetime, clock.instant()),
                                credentials.authority().certificatePem()),
                        policy -> new PolicyTypes(new KindSchemas(server.local()::catalogue)).warnings(policy),
                        home.volumes()),
                clock,
                name -> options.workloads() || CoreControllers.isOfTheApi(name));
        this.nodes = NodesAndScheduler.of(options, local, controllers.followers(), clock);
        server.alsoMeasure(controllers::metrics);
        server.health().readyWhen("controllers-synced", controllers::areSynced);
        try {
            server.start();
            this.url = "https://" + host(listen) + ":" + server.port();
            new Bootstrap(server.local(), advertised(listen), server.port()).run();
            server.awaitObjects();
            controllers.start();
            nodes.start();
            home.writePrivate(home.kubeconfig(), credentials.kubeconfig(url));
            home.announce(new Home.Running(
                    ProcessHandle.current().pid(), url, clock.instant().toString()));
        } catch (Exception e) {
            nodes.close();
            controllers.close();
            server.close();
            throw e;
        }
    }

    private static <T> T result(FutureTask<T> task) throws Exception {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static Identities identities(LocalKubeApi api) {
        return new Identities() {
            @Override
            public KubeApi reader() {
                return api;
            }

            @Override
            public KubeApi as(Function<KubeApi.Kind, String> account) {
                return api.writingAs(kind -> ServiceAccounts.user("kube-system", account.apply(kind)));
            }
        };
    }

    /** Clients cannot dial the address that means all addresses. */
    private static String host(InetSocketAddress listen) {
        String host = listen.getHostString();
        if (host.equals("0.0.0.0") || host.equals("::")) {
            return "127.0.0.1";
        }
        return host.contains(":") ? "[" + host + "]" : host;
    }

    /** What others reach a server at that listens at all addresses: the one this machine would speak from. */
    private static String advertised(InetSocketAddress listen) {
        String host = listen.getHostString();
        if (!host.equals("0.0.0.0") && !host.equals("::")) {
            return host;
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            // Choosing a route sends nothing; the address is reserved for documentation.
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 9));
            return socket.getLocalAddress().getHostAddress();
        } catch (IOException | UncheckedIOException e) {
            return "127.0.0.1"; // no network
        }
    }

    String url() {
        return url;
    }

    /** The API as a user in this process sees it. */
    KubeApi api(User user) {
        return new LocalKubeApi(server.local(), user);
    }

    /** Stops in the order of use: who writes, who is asked, what is written to. */
    @Override
    public void close() throws IOException {
        try {
            home.withdraw();
        } finally {
            nodes.close();
            controllers.close();
            server.close();
            store.close();
        }
    }
}
