package lavaflow.network;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import lavaflow.linux.Netfilter;
import lavaflow.network.EndpointChoice.Target;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the kernel's rules as services and their endpoints are. One thread applies them; what changes meanwhile is
 * applied together afterwards.
 */
final class ServiceRules implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceRules.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** How often to look whether somebody took all rules away, as restarting a firewall does; a call of microseconds. */
    private static final Duration ROUND = Duration.ofSeconds(10);

    /** How many of these rounds without a change lie between two looks for a firewall, which cost milliseconds. */
    private static final int FIREWALL_ROUNDS = 6;

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final String KUBERNETES = "default/kubernetes";

    private final ClusterView view;
    private final BridgeNetwork network;
    private final String node;
    private final @Nullable Target apiServer;
    private final InstalledRules installed;
    private final HealthCheckPorts healthChecks;
    private final Netfilter netfilter;
    private final @Nullable OutsidePorts outside;
    /** Guarded by this. */
    private final Set<String> changed = new LinkedHashSet<>();

    private final Semaphore signal = new Semaphore(0);
    /** Whether what was taken from {@link #changed} is in the kernel. */
    private boolean applied;

    private boolean otherPolicies;
    private boolean closed;
    private boolean synced;
    /** Of the worker alone. */
    private long quietRounds;

    private final Thread worker;

    /**
     * @param node whose name endpoints have that are here
     * @param apiServer where the API server is while no endpoint says so, as one on the loopback cannot
     * @param outside opens ports of a machine that this network is not on; null where it is
     */
    ServiceRules(
            ClusterView view,
            BridgeNetwork network,
            String node,
            @Nullable Target apiServer,
            @Nullable OutsidePorts outside)
            throws IOException {
        this.view = view;
        this.network = network;
        this.node = node;
        this.apiServer = apiServer;
        this.installed = new InstalledRules(network.machine().table().name());
        this.healthChecks = new HealthCheckPorts();
        this.netfilter = Netfilter.open();
        this.outside = outside;
        network.onPortsChange(signal::release);
        view.onChange(this::changed);
        view.policies().onChange(this::policiesChanged);
        this.worker = Thread.ofPlatform().daemon().name("service-rules").unstarted(this::work);
    }

    private synchronized void policiesChanged() {
        if (synced) {
            otherPolicies = true;
            signal.release();
        }
    }

    private synchronized void changed(String service) {
        if (synced) {
            changed.add(service);
            signal.release();
        }
    }

    /** Call when everything that exists has been seen: before that, rules of the last run are better than too few. */
    void start() {
        synchronized (this) {
            synced = true;
        }
        worker.start();
    }

    /** True once the kernel has the rules of everything that was seen. */
    synchronized boolean isComplete() {
        return applied && changed.isEmpty() && !otherPolicies;
    }

    private void work() {
        boolean everything = true;
        try {
            while (!isClosed()) {
                try {
                    if (everything) {
                        replaceAll();
                        everything = false;
                    } else {
                        everything = turn();
                    }
                } catch (IOException | RuntimeException e) {
                    LOG.warn("rules of services: {}", e.getMessage());
                    everything = true;
                    Thread.sleep(RETRY);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Waits for a change and applies it; true where rules are gone. */
    private boolean turn() throws IOException, InterruptedException {
        if (signal.tryAcquire(ROUND.toMillis(), TimeUnit.MILLISECONDS)) {
            signal.drainPermits();
        }
        boolean policies = hasOtherPolicies();
        Set<String> services = take();
        if (policies) {
            applyPolicies();
        }
        if (services.isEmpty()) {
            boolean gone = !isClosed() && !netfilter.hasTable(network.settings().table());
            openPorts();
            lookForFirewalls();
            done();
            return gone;
        }
        Map<String, ServicePlan> before = new TreeMap<>();
        Map<String, ServicePlan> wanted = new TreeMap<>();
        for (String service : services) {
            before.put(service, installed.plan(service));
            wanted.put(service, plan(service));
        }
        apply(installed.change(wanted));
        forgetDatagrams(before, wanted);
        openPorts();
        done();
        return false;
    }

    /** A firewall may have been started after the node. */
    private void lookForFirewalls() {
        quietRounds++;
        if (quietRounds % FIREWALL_ROUNDS == 0 && !isClosed()) {
            network.machine().openFirewall();
        }
    }

    private synchronized boolean hasOtherPolicies() {
        return otherPolicies;
    }

    private void applyPolicies() throws IOException {
        apply(view.policies().update(network.machine().table().name()).orElse(""));
    }

    private synchronized Set<String> take() {
        Set<String> services = new LinkedHashSet<>(changed);
        changed.clear();
        otherPolicies = false;
        applied = false;
        return services;
    }

    private synchronized void done() {
        applied = true;
    }

    private void replaceAll() throws IOException {
        take();
        if (!netfilter.hasTable(network.settings().table())) {
            LOG.warn("the rules of this cluster are gone and are made anew");
            network.restoreRules();
        }
        Map<String, ServicePlan> wanted = new TreeMap<>();
        for (ServiceView service : view.services()) {
            wanted.put(service.key(), plan(service.key()));
        }
        RuleTable.Contents there = network.machine().table().contents();
        apply(installed.replace(wanted, there.chains(), there.sets()));
        forgetDatagrams(Map.of(), wanted);
        view.policies().forget();
        applyPolicies();
        openPorts();
        done();
    }

    /** Where this is not the machine's network, its ports have to be led here. */
    private void openPorts() {
        if (outside == null) {
            return;
        }
        Set<OutsidePorts.Port> wanted = new TreeSet<>();
        installed.keys("node_ports").forEach(key -> wanted.add(OutsidePorts.Port.ofKey(key)));
        network.hostPorts()
                .forEach(port ->
                        wanted.add(new OutsidePorts.Port(port.protocol().toLowerCase(Locale.ROOT), port.hostPort())));
        try {
            outside.keep(wanted);
        } catch (IOException e) {
            LOG.warn("ports of this machine do not lead to the cluster: {}", e.getMessage());
        }
    }

    private void apply(String script) throws IOException {
        if (!script.isBlank()) {
            network.machine().table().apply(script);
        }
    }

    private ServicePlan plan(String key) {
        ServiceView service = view.find(key);
        if (service == null) {
            healthChecks.remove(key);
            return ServicePlan.NOTHING;
        }
        List<SliceView> slices = view.slices(key);
        healthChecks.update(service, slices, node);
        return ServicePlan.of(service, network.range(), port -> choice(key, port, slices));
    }

    private EndpointChoice choice(String service, ServiceView.Port port, List<SliceView> slices) {
        EndpointChoice chosen = EndpointChoice.of(port, slices, node);
        if (!chosen.any() && service.equals(KUBERNETES) && apiServer != null) {
            return new EndpointChoice(List.of(apiServer), List.of(apiServer), true);
        }
        return chosen;
    }

    /** Packets without connections would go on to where the first of them went, also where nobody is any more. */
    private void forgetDatagrams(Map<String, ServicePlan> before, Map<String, ServicePlan> after) throws IOException {
        Map<Target, List<Target>> moved = new LinkedHashMap<>();
        after.forEach((service, plan) -> {
            Map<Target, List<Target>> old =
                    before.getOrDefault(service, ServicePlan.NOTHING).datagrams();
            plan.datagrams().forEach((place, targets) -> {
                boolean onlyMore =
                        old.containsKey(place) && !old.get(place).isEmpty() && targets.containsAll(old.get(place));
                if (!onlyMore) {
                    moved.put(place, targets);
                }
            });
            old.keySet().stream()
                    .filter(place -> !plan.datagrams().containsKey(place))
                    .forEach(place -> moved.put(place, List.of()));
        });
        if (!moved.isEmpty()) {
            netfilter.forget(flow -> {
                List<Target> targets =
                        moved.get(new Target(AddressRange.text(flow.destination()), flow.destinationPort()));
                return flow.protocol() == Netfilter.UDP
                        && targets != null
                        && !targets.contains(new Target(AddressRange.text(flow.answers()), flow.answersPort()));
            });
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        worker.interrupt();
        try {
            worker.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        healthChecks.close();
        netfilter.close();
    }
}
