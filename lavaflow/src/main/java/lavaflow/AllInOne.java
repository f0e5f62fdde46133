package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;

import lavaflow.apiserver.ApiServer;
import lavaflow.apiserver.Bootstrap;
import lavaflow.apiserver.ServerVersion;
import lavaflow.apiserver.User;
import lavaflow.cluster.CoreControllers;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

/** The role of {@code lava up}: store, API server and controllers in one process. */
final class AllInOne implements AutoCloseable {
    /** Until access control knows roles, controllers are as mighty as administrators. */
    private static final User CONTROLLERS = new User("system:kube-controller-manager", List.of("system:masters"));

    private final Home home;
    private final Store store;
    private final ApiServer server;
    private final CoreControllers controllers;
    private final String url;

    private AllInOne(Home home, Store store, ApiServer server, CoreControllers controllers, String url) {
        this.home = home;
        this.store = store;
        this.server = server;
        this.controllers = controllers;
        this.url = url;
    }

    static AllInOne start(Home home, InetSocketAddress listen) throws Exception {
        InstantSource clock = InstantSource.system();
        home.create();
        Credentials credentials = Credentials.loadOrCreate(home, listen.getHostString(), clock.instant());
        Store store = Store.open(home.store(), StoreOptions.defaults());
        try {
            ApiServer server = new ApiServer(
                    new ApiServer.Settings(
                            listen,
                            credentials.server(),
                            credentials.authority().certificate(),
                            ServerVersion.of(Lava.version()),
                            clock),
                    store);
            CoreControllers controllers = new CoreControllers(
                    new LocalKubeApi(server.local(), CONTROLLERS),
                    credentials.authority().certificatePem(),
                    clock);
            server.health().readyWhen("controllers-synced", controllers::areSynced);
            server.start();
            new Bootstrap(server.local(), listen.getHostString(), server.port()).run();
            controllers.start();
            String url = "https://" + host(listen) + ":" + server.port();
            home.writePrivate(home.kubeconfig(), credentials.kubeconfig(url));
            home.announce(new Home.Running(
                    ProcessHandle.current().pid(), url, clock.instant().toString()));
            return new AllInOne(home, store, server, controllers, url);
        } catch (Exception e) {
            store.close();
            throw e;
        }
    }

    /** Clients cannot dial the address that means all addresses. */
    private static String host(InetSocketAddress listen) {
        String host = listen.getHostString();
        if (host.equals("0.0.0.0") || host.equals("::")) {
            return "127.0.0.1";
        }
        return host.contains(":") ? "[" + host + "]" : host;
    }

    String url() {
        return url;
    }

    Store store() {
        return store;
    }

    @Override
    public void close() throws IOException {
        home.withdraw();
        controllers.close();
        server.close();
        store.close();
    }
}
