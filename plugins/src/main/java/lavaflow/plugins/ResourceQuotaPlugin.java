package lavaflow.plugins;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.gang.Gang;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Surroundings.Quota;

import org.jspecify.annotations.Nullable;

/** Lets gangs in only as long as the quotas of their namespace will admit their pods. */
final class ResourceQuotaPlugin implements Plugin, Plugin.Entrance {
    private final Session session;
    /** What gangs were let in for in this round, by namespace. */
    private final Map<String, Map<String, Long>> admitted = new HashMap<>();

    ResourceQuotaPlugin(Session session) {
        this.session = session;
    }

    @Override
    public void open(Session opened) {
        admitted.clear();
    }

    @Override
    public Vote mayEnter(Gang gang, Refusals refusals) {
        Map<String, Long> least = gang.spec().minResources();
        if (least == null) {
            return Vote.YES;
        }
        String namespace = gang.spec().namespace();
        Map<String, Long> pending = admitted.getOrDefault(namespace, Map.of());
        for (Quota quota : session.surroundings().quotas(namespace)) {
            String refusal = refusal(quota, least, pending);
            if (refusal != null) {
                refusals.refused(gang, refusal);
                return Vote.NO;
            }
        }
        return Vote.YES;
    }

    private static @Nullable String refusal(Quota quota, Map<String, Long> least, Map<String, Long> pending) {
        Map<String, Long> requested = new TreeMap<>();
        Map<String, Long> used = new TreeMap<>();
        Map<String, Long> limited = new TreeMap<>();
        least.forEach((name, amount) -> {
            Long hard = quota.hard().get(name);
            long already = quota.used().getOrDefault(name, 0L) + pending.getOrDefault(name, 0L);
            if (hard != null && already + amount > hard) {
                requested.put(name, amount);
                used.put(name, already);
                limited.put(name, hard);
            }
        });
        return requested.isEmpty()
                ? null
                : "resource quota insufficient, requested: " + told(requested) + ", used: " + told(used) + ", limited: "
                        + told(limited);
    }

    /** As it is written in manifests. */
    private static String told(Map<String, Long> amounts) {
        Map<String, String> told = new LinkedHashMap<>();
        amounts.forEach((name, amount) -> {
            boolean milli = name.equals("cpu") || name.endsWith(".cpu");
            told.put(
                    name,
                    milli && amount % 1000 == 0 ? String.valueOf(amount / 1000) : milli ? amount + "m" : amount + "");
        });
        return told.toString();
    }

    @Override
    public void entered(Gang gang) {
        Map<String, Long> least = gang.spec().minResources();
        if (least != null) {
            Map<String, Long> sum = admitted.computeIfAbsent(gang.spec().namespace(), _ -> new HashMap<>());
            least.forEach((name, amount) -> sum.merge(name, amount, Long::sum));
        }
    }
}
