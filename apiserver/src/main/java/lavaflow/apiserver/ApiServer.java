package lavaflow.apiserver;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import lavaflow.access.AccountTokenReader;
import lavaflow.access.AccountTokens;
import lavaflow.access.Authorizer;
import lavaflow.access.BearerTokens;
import lavaflow.access.BootstrapTokens;
import lavaflow.access.ClientCertificates;
import lavaflow.access.Impersonation;
import lavaflow.access.NodeAuthorizer;
import lavaflow.access.RoleAuthorizer;
import lavaflow.access.Roles;
import lavaflow.access.TokenAuthenticator;
import lavaflow.fairness.FlowControl;
import lavaflow.store.Store;

/** A Kubernetes API server over a store: wires the pipeline and listens. */
public final class ApiServer implements AutoCloseable {
    private final HttpTransport transport;
    private final Watches watches;
    private final Health health;
    private final RequestMetrics metrics;
    private final LocalApi local;
    private final AccountTokens accountTokens;
    private final Authorizer authorizer;
    private final WebhookClient webhooks;
    private final CustomResources custom;
    private final FlowControl flowControl;
    private final Store store;
    private final ServerSettings settings;
    private final ResourceTable table;
    private final Aggregation aggregation;
    private final NodeConnections nodes;
    private final CompletableFuture<FlowObjects> flowObjects = new CompletableFuture<>();
    private final CompletableFuture<ApiServiceObjects> apiServices = new CompletableFuture<>();

    /** Reads the tables every server needs; for callers who have something else to do meanwhile. */
    public static void prepare() {
        ResourceTable.builtin();
        new FlowControl(FlowControl.DEFAULT_SEATS);
    }

    public ApiServer(ServerSettings settings, Store store) {
        this(settings, store, new SecureRandom());
    }

    /**
     * @param random where uids, generated names and addresses come from
     */
    public ApiServer(ServerSettings settings, Store store, RandomGenerator random) {
        this.store = store;
        flowControl = new FlowControl(settings.seats(), settings.queueTime());
        this.settings = settings;
        table = ResourceTable.builtin();
        aggregation = new Aggregation(store, new RemoteServers(new Stored(store), settings.frontProxy()));
        accountTokens = new AccountTokens(settings.access().tokenKeysOnce(), settings.clock());
        BearerTokens bearerTokens = bearerTokens(settings, accountTokens, store, new LegacyTokenUse(this::local));
        RoleAuthorizer roles = new RoleAuthorizer(new Roles(store));
        authorizer = Authorizer.chain(List.of(Authorizer.masters(), new NodeAuthorizer(store), roles));
        BuiltinHooks hooks =
                new BuiltinHooks(new ServiceAllocator(store, random), new EscalationCheck(authorizer, roles));
        Stored stored = new Stored(store);
        webhooks = new WebhookClient(store);
        Admission admission = new Admission(plugins(settings, store, random));
        FieldOwnership ownership = new FieldOwnership();
        Reads reads = new Reads(store);
        Writes writes = new Writes(store, admission, ownership, hooks, random);
        Deletes deletes = new Deletes(store, admission, hooks);
        watches = new Watches(store, table, settings.clock(), random);
        Patches patches = new Patches(writes, ownership);
        Authorization authorization = new Authorization(authorizer);
        nodes = new NodeConnections(stored, settings.nodeClient(), authorization);
        Subresources subresources = new Subresources(
                reads,
                writes,
                patches,
                ownership,
                new Bindings(store),
                new Evictions(store, writes, deletes, ownership, table),
                new Reviews(new AccessReviews(authorizer, roles), bearerTokens),
                new TokenRequests(accountTokens, stored, admission),
                admission,
                nodes);
        ResourceHandler resources =
                new ResourceHandler(table, reads, writes, deletes, watches, patches, subresources, settings.clock());
        health = new Health();
        health.readyWhen("poststarthook/priority-and-fairness-config-producer", flowObjects::isDone);
        metrics = new RequestMetrics(store, watches, flowControl);
        InetSocketAddress listen = settings.listen();
        Endpoints endpoints = new Endpoints(
                new Discovery(table, () -> listen.getHostString() + ":" + port(), aggregation),
                new OpenApi(table, settings.version(), aggregation),
                health,
                metrics,
                settings.version(),
                new BackupEndpoint(store),
                new IssuerDiscovery(accountTokens, () -> listen.getHostString() + ":" + port()));
        Authentication authentication = new Authentication(
                List.of(new ClientCertificates(settings.clientAuthority(), settings.clock()), bearerTokens),
                settings.frontProxy(),
                settings.access().anonymous(),
                settings.clock());
        ApiHandler handler = new ApiHandler(
                authentication,
                new Impersonating(new Impersonation(authorizer)),
                authorization,
                new RequestAudit(settings.auditor()),
                new FlowFilter(flowControl, store, table),
                resources,
                endpoints,
                aggregation,
                metrics,
                settings.clock());
        transport =
                new HttpTransport(listen, settings.outside(), settings.identity(), new JettyHandler(handler::handle));
        local = new LocalApi(
                table, reads, writes, deletes, store, authorization, settings.clock(), patches, subresources, handler);
        custom = new CustomResources(
                store,
                table,
                local,
                new CustomCleanup(store, local, deletes, settings.clock()),
                definition -> WebhookConversion.of(webhooks, definition),
                settings.clock());
    }

    /** In upstream's order. */
    private List<Admission.Plugin> plugins(ServerSettings settings, Store store, RandomGenerator random) {
        AdmissionSwitches on = settings.switches();
        Stored stored = new Stored(store);
        List<Admission.Plugin> plugins = new ArrayList<>();
        add(plugins, on, "NamespaceLifecycle", () -> new NamespaceLifecycle(store));
        add(plugins, on, "LimitRanger", () -> new LimitRanges(stored));
        add(plugins, on, "PodSecurity", () -> new PodSecurityAdmission(stored));
        plugins.add(new PodAdmission(stored, random, on));
        plugins.add(new DefaultClasses(stored, on));
        add(
                plugins,
                on,
                AdmissionSwitches.OWNERS,
                () -> new OwnerPermissions(authorizer, new OwnerKinds(table, aggregation)));
        add(plugins, on, "PersistentVolumeClaimResize", () -> new ClaimResize(stored));
        add(plugins, on, "PodTopologyLabels", () -> new NodeTopology(stored));
        plugins.add(new ObjectProtection(on));
        add(plugins, on, "NodeRestriction", () -> new NodeRestriction(stored, authorizer));
        plugins.add(new CertificateAdmission(authorizer, on));
        plugins.add(new DeviceAdminAccess(stored));
        plugins.addAll(
                settings.admission().plugins(new AdmissionExtension.Context(store, table, webhooks, authorizer, on)));
        // Last: what is refused by anybody else must not count.
        add(plugins, on, "ResourceQuota", () -> new Quotas(store, stored));
        return plugins;
    }

    private static void add(
            List<Admission.Plugin> plugins, AdmissionSwitches on, String name, Supplier<Admission.Plugin> plugin) {
        if (on.has(name)) {
            plugins.add(plugin.get());
        }
    }

    private static BearerTokens bearerTokens(
            ServerSettings settings, AccountTokens tokens, Store store, AccountTokenReader.LegacyUse legacyUse) {
        List<TokenAuthenticator> readers = new ArrayList<>(settings.access().tokens());
        readers.add(new AccountTokenReader(tokens, store, settings.clock(), legacyUse));
        if (settings.access().bootstrapTokens()) {
            readers.add(new BootstrapTokens(store, settings.clock()));
        }
        return new BearerTokens(readers, List.of(AccountTokens.ISSUER));
    }

    public void start() throws Exception {
        custom.start();
        transport.start();
        Thread.ofVirtual().name("flow objects").start(this::startFlowObjects);
        Thread.ofVirtual().name("api services").start(this::startApiServices);
    }

    /** Serves the custom resources that are defined by now, in a server that is not started. */
    public void serveDefined() {
        custom.serveDefined();
    }

    /** Beside everything else: they are many, and nobody needs them before the server is ready. */
    private void startFlowObjects() {
        try {
            flowObjects.complete(new FlowObjects(local, flowControl, store));
        } catch (RuntimeException e) {
            flowObjects.completeExceptionally(e);
        }
    }

    private void startApiServices() {
        try {
            apiServices.complete(new ApiServiceObjects(local, store, table, aggregation));
        } catch (RuntimeException e) {
            apiServices.completeExceptionally(e);
        }
    }

    /** Waits for the objects that are made beside the start, and makes those that need namespaces. */
    public void awaitObjects() {
        AuthenticationConfig.publish(local, Identity.certificatePem(settings.clientAuthority()), settings.frontProxy());
        LegacyTokenTracking.publish(local, settings.clock().instant());
        flowObjects.join();
        apiServices.join();
    }

    public int port() {
        return transport.port();
    }

    /** How many watches are being served. */
    int openWatches() {
        return watches.count();
    }

    /** Readiness checks; add to it before {@link #start}. */
    public Health health() {
        return health;
    }

    /** Shows measurements of other components beside the server's own, in Prometheus' text format. */
    public void alsoMeasure(Supplier<String> text) {
        metrics.alsoPrint(text);
    }

    /** Serves metrics.k8s.io from what nodes tell of themselves; for clusters whose nodes do. */
    public void serveResourceMetrics() {
        serveResourceMetrics(NodeUsages.PATIENCE, System::nanoTime);
    }

    void serveResourceMetrics(Duration patience, LongSupplier nanos) {
        Stored stored = new Stored(store);
        NodeUsages usages = new NodeUsages(nodes.nodes(), nodes.connections(), patience, nanos);
        OwnGroup group = new ResourceMetrics(stored, usages).group();
        aggregation.serve(group);
        apiServices.join().ensureOwn(group);
        MetricsReaders.publish(local);
    }

    /** Serves explain.lavaflow.dev; for clusters whose scheduler runs beside the server. */
    public void serveExplanations(Explanations explanations) {
        OwnGroup group = new ExplanationGroup(explanations, authorizer).group();
        aggregation.serve(group);
        apiServices.join().ensureOwn(group);
        ExplanationGroup.READERS.publish(local);
    }

    /** What decides about every request, for components that ask in the name of others. */
    public Authorizer authorizer() {
        return authorizer;
    }

    /** What makes the tokens of service accounts, for the controller that puts them into secrets. */
    public AccountTokens accountTokens() {
        return accountTokens;
    }

    /** The same API without HTTP, for components in this process. */
    public LocalApi local() {
        return local;
    }

    /** Stops accepting, ends watches cleanly, closes connections. The store stays open. */
    @Override
    public void close() {
        transport.stopAccepting();
        watches.close();
        custom.close();
        var _ = flowObjects.thenAccept(FlowObjects::close);
        var _ = apiServices.thenAccept(ApiServiceObjects::close);
        transport.close();
        webhooks.close();
        aggregation.servers().close();
        nodes.close();
    }
}
