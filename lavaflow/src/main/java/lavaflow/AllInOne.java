package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.IntConsumer;

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
import lavaflow.apiserver.ServerSettings;
import lavaflow.apiserver.ServerVersion;
import lavaflow.batch.BatchControllers;
import lavaflow.cluster.CoreControllers;
import lavaflow.cluster.Identities;
import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Timing;
import lavaflow.flows.FlowControllers;
import lavaflow.flows.NetworkProbes;
import lavaflow.jobs.JobControllers;
import lavaflow.node.SimShape;
import lavaflow.scheduler.ClusterTally;
import lavaflow.scheduler.Scheduler;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;
import lavaflow.trainer.TrainerControllers;
import lavaflow.training.Gang;
import lavaflow.training.Settings;
import lavaflow.training.TrainingControllers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role of {@code lava up}: store, API server and controllers in one process. */
final class AllInOne implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AllInOne.class);
    private static final User CONTROLLERS = new User("system:kube-controller-manager", List.of(User.AUTHENTICATED));

    /** Volcano's controllers, by the name of their account. */
    private static final User VOLCANO = ServiceAccounts.user("volcano-system", "volcano-controllers");

    /** Kubeflow's training operator, by the name of its account. */
    private static final User TRAINING = ServiceAccounts.user("kubeflow", "training-operator");

    /** The same of Kubeflow's Trainer. */
    private static final User TRAINER = ServiceAccounts.user("kubeflow-system", "kubeflow-trainer-controller-manager");

    private final Home home;
    private final Store store;
    private final ApiServer server;
    private final CoreControllers controllers;
    private final BatchControllers batch;
    private final JobControllers jobs;
    private final FlowControllers flows;
    private final TrainingControllers training;
    private final TrainerControllers trainer;
    private final NodesAndScheduler nodes;
    private final String url;
    private final Home.Running running;

    /** Opens the store first: its lock keeps a second server off the keys as well. */
    static AllInOne start(Home home, InetSocketAddress listen) throws Exception {
        return start(home, listen, Options.usual(true, List.of()));
    }

    /**
     * What may differ between clusters.
     *
     * @param workloads whether to make pods of what asks for them
     * @param scheduling whether to find nodes for them
     * @param users who has tokens beside service accounts
     * @param bootstrapTokens whether secrets in kube-system may be tokens for joining nodes
     * @param requests how requests are written down and rationed
     * @param admission which plugins of admission are on
     * @param simulated nodes to simulate
     * @param nodeTrust which certificates of nodes are believed
     * @param node the node on this machine; null for none
     * @param gangs which pods come in gangs, and how they are scheduled
     * @param training how training jobs are run
     */
    record Options(
            boolean workloads,
            boolean scheduling,
            UserFiles users,
            boolean bootstrapTokens,
            RequestOptions requests,
            AdmissionSwitches admission,
            List<SimShape> simulated,
            NodeTrust nodeTrust,
            WorkerNode.@Nullable Wish node,
            SchedulerOptions gangs,
            Settings training) {
        /** As {@code lava up --no-node} starts without any. */
        static Options usual(boolean workloads, List<SimShape> simulated) {
            return new Options(
                    workloads,
                    workloads,
                    UserFiles.NONE,
                    false,
                    RequestOptions.DEFAULT,
                    AdmissionSwitches.USUAL,
                    simulated,
                    new NodeTrust.OfTheCluster(),
                    null,
                    SchedulerOptions.USUAL,
                    Settings.USUAL.with(Gang.VOLCANO));
        }

        /** The same with a node on this machine. */
        Options withNode(String name) {
            return new Options(
                    workloads,
                    scheduling,
                    users,
                    bootstrapTokens,
                    requests,
                    admission,
                    simulated,
                    nodeTrust,
                    WorkerNode.Wish.of(name),
                    gangs,
                    training);
        }
    }

    static AllInOne start(Home home, InetSocketAddress listen, Options options) throws Exception {
        return start(home, new Door(listen, null), options);
    }

    static AllInOne start(Home home, Door door, Options options) throws Exception {
        home.create();
        Store store = Store.open(home.store(), StoreOptions.defaults());
        try {
            return new AllInOne(home, store, door, options);
        } catch (Exception e) {
            store.close();
            throw e;
        }
    }

    private AllInOne(Home home, Store store, Door door, Options options) throws Exception {
        InstantSource clock = InstantSource.system();
        // The first start makes ten keys and certificates: half of them aside, together with what else takes time and
        // needs no key.
        FutureTask<FrontProxy> frontProxy = new FutureTask<>(() -> {
            FrontProxy made = Credentials.frontProxy(home, clock.instant());
            ApiServer.prepare();
            return made;
        });
        Thread.ofPlatform().daemon().name("front proxy").start(frontProxy);
        Credentials credentials = Credentials.loadOrCreate(home, door.host(), clock.instant());
        this.home = home;
        this.store = store;
        this.server = new ApiServer(
                new ServerSettings(
                                door.inside(),
                                credentials.server(),
                                credentials.authority().certificate(),
                                ServerVersion.of(Lava.version()),
                                clock,
                                new WebhookAdmission(new OutsideAdmission(), clock),
                                new AccessSettings(
                                        () -> Credentials.tokenKeys(home),
                                        options.users().tokens(),
                                        options.bootstrapTokens(),
                                        options.users().anonymous()))
                        .withRequests(
                                options.requests().auditor(), options.requests().seats())
                        .withAdmission(options.admission())
                        .withFrontProxy(result(frontProxy))
                        .withNodeClient(credentials.nodeClient(home, clock, options.nodeTrust()))
                        .withOutside(door.outside()),
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
        this.batch = new BatchControllers(
                local.writingAs(_ -> VOLCANO),
                controllers.followers(),
                _ -> options.workloads(),
                options.gangs().schedulers(),
                clock,
                System::nanoTime);
        this.jobs = new JobControllers(
                local.writingAs(_ -> VOLCANO),
                controllers.followers(),
                _ -> options.workloads(),
                new Timing(clock, System::nanoTime, Fanout.parallel(JobControllers.WIDTH)));
        this.flows = new FlowControllers(
                local.writingAs(_ -> VOLCANO),
                controllers.followers(),
                _ -> options.workloads(),
                new NetworkProbes(),
                clock,
                System::nanoTime);
        this.training = new TrainingControllers(
                local.writingAs(_ -> TRAINING),
                controllers.followers(),
                _ -> options.workloads(),
                options.training(),
                new Timing(clock, System::nanoTime, Fanout.parallel(TrainingControllers.WIDTH)));
        this.trainer = new TrainerControllers(
                local.writingAs(_ -> TRAINER),
                controllers.followers(),
                _ -> options.workloads(),
                options.training().gang(),
                new Timing(clock, System::nanoTime, Fanout.parallel(TrainerControllers.WIDTH)));
        this.nodes = NodesAndScheduler.of(
                options,
                home,
                (name, address) -> credentials.node(home, name, address, clock.instant()),
                local,
                controllers.followers(),
                clock);
        server.alsoMeasure(controllers::metrics);
        server.alsoMeasure(batch::metrics);
        server.alsoMeasure(jobs::metrics);
        server.alsoMeasure(flows::metrics);
        server.alsoMeasure(nodes::metrics);
        server.alsoMeasure(training::metrics);
        server.health().readyWhen("controllers-synced", controllers::areSynced);
        try {
            server.start();
            this.url = door.url(server.port());
            new Bootstrap(server.local(), door.advertised(), server.port()).run();
            server.awaitObjects();
            if (options.node() != null) {
                server.serveResourceMetrics();
            }
            Scheduler scheduler = nodes.scheduler();
            if (scheduler != null) {
                server.serveExplanations(new SchedulerExplanations(scheduler::snapshot));
            }
            controllers.start();
            batch.start();
            jobs.start();
            flows.start();
            training.start();
            trainer.start();
            nodes.start(door.local(server.port()));
            home.writePrivate(home.kubeconfig(), credentials.kubeconfig(url));
            this.running = new Home.Running(
                    ProcessHandle.current().pid(), url, clock.instant().toString());
            home.announce(running);
        } catch (Exception e) {
            nodes.close();
            controllers.close();
            batch.close();
            jobs.close();
            flows.close();
            training.close();
            trainer.close();
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

    String url() {
        return url;
    }

    /** Waits for the kinds of jobs, queues and gangs, which a new cluster does not have from its first moment; false if it took longer. */
    boolean awaitKinds(Duration patience) throws InterruptedException {
        return nodes.awaitKinds(patience);
    }

    /** How much there is of everything; null without a scheduler. */
    @Nullable
    CompletableFuture<ClusterTally> tally() {
        Scheduler scheduler = nodes.scheduler();
        return scheduler == null ? null : scheduler.tally();
    }

    /** The API as a user in this process sees it. */
    KubeApi api(User user) {
        return new LocalKubeApi(server.local(), user);
    }

    /**
     * Who hears, once it stops, how many pods have not ended yet; {@code lava down} reads it from the data directory.
     */
    void whenEnding(IntConsumer listener) {
        nodes.whenEnding(pods -> {
            tellEnding(pods);
            listener.accept(pods);
        });
    }

    /** Pods that are ending have no grace any more. */
    void hurry() {
        nodes.hurry();
    }

    private synchronized void tellEnding(int pods) {
        try {
            home.announce(running.ending(pods));
        } catch (IOException e) {
            LOG.debug("nobody can see how far it is", e);
        }
    }

    /** Stops in the order of use: who writes, who is asked, what is written to. */
    @Override
    public void close() throws IOException {
        tellEnding(0);
        try {
            nodes.close();
            controllers.close();
            batch.close();
            jobs.close();
            flows.close();
            training.close();
            trainer.close();
            server.close();
            home.withdraw();
        } finally {
            // The last of all: whoever has the store may say that it runs.
            store.close();
        }
    }
}
