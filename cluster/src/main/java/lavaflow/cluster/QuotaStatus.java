package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kinds.QuotaScopes;
import lavaflow.kinds.QuotaUsage;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the objects of a namespace take of its quotas, and gives back what is not taken any more. Namespaces
 * without quotas cost nothing.
 *
 * <p>Admission notes in the quota what a write takes before the write is there to be counted. What was noted since the
 * last look is therefore not given back before the next one.
 */
final class QuotaStatus implements ChangeListener {
    private static final KubeApi.Kind QUOTAS = KubeApi.Kind.core("resourcequotas");
    /** Not counted, as upstream does not. */
    private static final Set<String> IGNORED = Set.of("events");
    /** Kinds of which more counts than that they are there. */
    private static final Set<KubeApi.Kind> MEASURED = Set.of(
            KubeApi.Kind.core("pods"),
            KubeApi.Kind.core("services"),
            KubeApi.Kind.core("persistentvolumeclaims"),
            DeviceClaim.KIND);

    /** Objects come and go in groups, one count serves all; and a write that was admitted has arrived after this. */
    static final Duration SETTLE = Duration.ofMillis(100);

    /** What a pod takes also depends on the time: one that does not end in time takes nothing. */
    static final Duration RESYNC = Duration.ofMinutes(5);

    private final KubeApi api;
    private final InstantSource clock;
    private final ControllerRunner<String> runner;
    /** The kinds that the quotas of a namespace count. */
    private final Map<String, Set<KubeApi.Kind>> counted = new ConcurrentHashMap<>();
    /** What each quota said was used when it was looked at last, by uid. */
    private final Map<String, Map<String, Quantity>> lastSeen = new ConcurrentHashMap<>();

    QuotaStatus(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.runner = new ControllerRunner<>("quota-status", followers, 2, this::reconcile, nanoTime);
        runner.followAll(QuotaStatus::isCounted, this);
    }

    private static boolean isCounted(KubeApi.Kind kind) {
        return kind.namespaced() && !IGNORED.contains(kind.resource());
    }

    /** Quotas may have named the kind before it was there. */
    @Override
    public void onNewKind(KubeApi.Kind kind) {
        counted.keySet().forEach(runner.queue()::add);
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    @Override
    public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
        String namespace = Objects.namespace(object);
        if (kind.equals(QUOTAS)) {
            if (deleted) {
                lastSeen.remove(Objects.uid(object));
            } else if (!lastSeen.containsKey(Objects.uid(object))) {
                // Nothing is admitted under a new quota until it has been counted.
                runner.queue().add(namespace);
                return;
            }
            runner.queue().addAfter(namespace, SETTLE);
        } else if (counted.getOrDefault(namespace, Set.of()).contains(kind)) {
            runner.queue().addAfter(namespace, SETTLE);
        }
    }

    @Override
    public void onRelist(KubeApi.Kind kind, Set<String> uids) {
        if (kind.equals(QUOTAS)) {
            lastSeen.keySet().retainAll(uids);
        }
        counted.keySet().forEach(runner.queue()::add);
    }

    private Optional<Duration> reconcile(String namespace) {
        List<ObjectNode> quotas =
                api.list(QUOTAS, namespace, KubeApi.View.WHOLE).items();
        if (quotas.isEmpty()) {
            counted.remove(namespace);
            return Optional.empty();
        }
        Map<KubeApi.Kind, Set<String>> concerned = concerned(quotas);
        // Before counting, so that what comes or goes meanwhile causes another count.
        counted.put(namespace, Set.copyOf(concerned.keySet()));
        List<Map<String, Quantity>> usage = count(namespace, quotas, concerned);
        boolean settled = true;
        for (int i = 0; i < quotas.size(); i++) {
            settled &= report(quotas.get(i), usage.get(i));
        }
        return Optional.of(settled ? RESYNC : SETTLE);
    }

    /** The kinds that matter to the quotas, each with the names under which it is counted. */
    private Map<KubeApi.Kind, Set<String>> concerned(List<ObjectNode> quotas) {
        Set<String> names = new LinkedHashSet<>();
        quotas.forEach(quota -> names.addAll(limits(quota).keySet()));
        Map<KubeApi.Kind, Set<String>> concerned = new LinkedHashMap<>();
        for (KubeApi.Kind kind : api.kinds()) {
            if (!isCounted(kind)) {
                continue;
            }
            Set<String> counts = new LinkedHashSet<>(names);
            counts.removeIf(name -> !QuotaUsage.concerns(kind.group(), kind.resource(), name));
            if (!counts.isEmpty()) {
                concerned.put(kind, counts);
            }
        }
        return concerned;
    }

    private static Map<String, Quantity> limits(ObjectNode quota) {
        return quantities(Json.objectAt(quota, "spec", "hard"));
    }

    private static Map<String, Quantity> quantities(@Nullable ObjectNode list) {
        Map<String, Quantity> amounts = new TreeMap<>();
        if (list != null) {
            list.properties().forEach(entry -> amounts.put(entry.getKey(), Quantity.at(list, entry.getKey())));
        }
        return amounts;
    }

    /** What is used of each quota, under every name it limits and somebody counts. */
    private List<Map<String, Quantity>> count(
            String namespace, List<ObjectNode> quotas, Map<KubeApi.Kind, Set<String>> concerned) {
        Instant now = clock.instant();
        List<Map<String, Quantity>> totals =
                quotas.stream().<Map<String, Quantity>>map(_ -> new TreeMap<>()).toList();
        concerned.forEach((kind, names) -> {
            for (int i = 0; i < quotas.size(); i++) {
                Set<String> limited = limits(quotas.get(i)).keySet();
                Map<String, Quantity> total = totals.get(i);
                names.stream().filter(limited::contains).forEach(name -> total.put(name, Quantity.ZERO));
            }
            KubeApi.View view = MEASURED.contains(kind) ? KubeApi.View.WHOLE : KubeApi.View.METADATA;
            api.list(kind, namespace, view, object -> {
                Map<String, Quantity> taken = QuotaUsage.of(kind.group(), kind.resource(), object, now);
                for (int i = 0; i < quotas.size(); i++) {
                    if (QuotaScopes.covers(quotas.get(i), kind.group(), kind.resource(), object)) {
                        Map<String, Quantity> total = totals.get(i);
                        taken.forEach((name, amount) -> total.computeIfPresent(name, (_, sum) -> sum.plus(amount)));
                    }
                }
            });
        });
        return totals;
    }

    /** Writes the status if it changed; false if something may have to be given back at the next look. */
    private boolean report(ObjectNode quota, Map<String, Quantity> counts) {
        Map<String, Quantity> said = quantities(Json.objectAt(quota, "status", "used"));
        Map<String, Quantity> before = lastSeen.getOrDefault(Objects.uid(quota), said);
        Set<String> limited = limits(quota).keySet();
        Map<String, Quantity> used = new TreeMap<>(said);
        used.keySet().retainAll(limited);
        boolean settled = true;
        for (Map.Entry<String, Quantity> entry : counts.entrySet()) {
            String name = entry.getKey();
            Quantity now = settled(entry.getValue(), said.get(name), before.get(name));
            used.put(name, now);
            settled &= now.compareTo(entry.getValue()) == 0;
        }
        write(quota, used);
        lastSeen.put(Objects.uid(quota), used);
        return settled;
    }

    /** What to call used, given what was counted, what the quota says now and what it said when it was looked at last. */
    static Quantity settled(Quantity counted, @Nullable Quantity said, @Nullable Quantity before) {
        if (said == null || before == null || counted.compareTo(said) >= 0) {
            return counted;
        }
        Quantity noted = said.minus(before);
        if (noted.signum() <= 0) {
            return counted;
        }
        Quantity expected = counted.plus(noted);
        return expected.compareTo(said) < 0 ? expected : said;
    }

    private void write(ObjectNode quota, Map<String, Quantity> used) {
        ObjectNode status = Json.object();
        ObjectNode hard = Json.objectAt(quota, "spec", "hard");
        status.set("hard", hard == null ? Json.object() : hard.deepCopy());
        ObjectNode amounts = status.putObject("used");
        used.forEach((name, amount) -> amounts.put(name, amount.toString()));
        if (!status.equals(Json.at(quota, "status"))) {
            ObjectNode next = quota.deepCopy();
            next.set("status", status);
            api.update(QUOTAS, "status", next);
        }
    }
}
