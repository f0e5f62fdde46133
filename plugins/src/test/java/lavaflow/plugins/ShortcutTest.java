package lavaflow.plugins;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import lavaflow.gang.Decision;
import lavaflow.gang.GangCore;
import lavaflow.placement.ScheduledPod;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Looking only at what changed decides the same as looking at everything in every round, and as a copy that knows nothing of earlier rounds. */
class ShortcutTest {
    private static final String OWNED =
            "{\"metadata\":{\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"a\",\"uid\":\"job-a\",\"controller\":true}]}}";

    private final TestingGangs quick = new TestingGangs();
    private final TestingGangs thorough = new TestingGangs();
    /** Pods that are there, and the gang of each. */
    private final Map<String, String> pods = new TreeMap<>();
    /** Where pods are. */
    private final Map<String, String> nodes = new TreeMap<>();

    /** Pods that were told to go. */
    private final List<String> going = new ArrayList<>();

    private final List<String> groups = new ArrayList<>();
    private int made;

    private void both(Consumer<TestingGangs> change) {
        change.accept(quick);
        change.accept(thorough);
    }

    static int[] seeds() {
        return IntStream.range(0, 100).toArray();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shortcutsDecideTheSame(int seed) {
        Random random = new Random(seed);
        thorough.core.lookAtAll();
        String actions =
                seed % 3 == 0 ? "enqueue, allocate, backfill" : "enqueue, allocate, backfill, preempt, reclaim";
        String file = """
                actions: "%s"
                tiers:
                - plugins:
                  - name: priority
                  - name: gang
                  - name: conformance
                - plugins:
                  - name: overcommit
                  - name: drf
                    enablePreemptable: false
                  - name: predicates
                  - name: %s
                  - name: nodeorder
                  - name: binpack
                """.formatted(actions, seed % 2 == 0 ? "proportion" : "capacity");
        both(each -> each.configured(file));
        both(each -> each.core.onPriority("high", 100, false));
        both(each ->
                each.queue("a", "{\"spec\":{\"weight\":2}}").queue("b", "{\"spec\":{\"capability\":{\"cpu\":\"9\"}}}"));
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            int processors = 2 + random.nextInt(5);
            String name = "n" + i;
            both(each -> each.node(name, processors));
        }
        for (int step = 0; step < 60; step++) {
            int changes = random.nextInt(3);
            for (int i = 0; i < changes; i++) {
                change(random);
            }
            compare("seed " + seed + " step " + step);
        }
    }

    private void compare(String where) {
        GangCore copy = quick.core.snapshot(quick.now).restore(Plugins::make);
        List<String> copied = told(copy.decide(quick.now));
        List<Decision> decisions = quick.decide();
        List<String> expected = told(thorough.decide());
        assertThat(told(decisions)).as(where).isEqualTo(expected);
        assertThat(phases(quick.core)).as(where).isEqualTo(phases(thorough.core));
        assertThat(copied).as("%s, copied", where).isEqualTo(told(decisions));
        assertThat(phases(copy)).as("%s, copied", where).isEqualTo(phases(quick.core));
        for (Decision decision : decisions) {
            if (decision instanceof Decision.Bind bind) {
                nodes.put(bind.member().spec().pod().name(), bind.node());
            } else if (decision instanceof Decision.Evict evict) {
                going.add(evict.member().spec().pod().name());
            }
        }
    }

    private static List<String> told(List<Decision> decisions) {
        List<String> told = new ArrayList<>();
        for (Decision decision : decisions) {
            if (decision instanceof Decision.Bind bind) {
                told.add(bind.member().spec().pod().name() + "@" + bind.node());
            } else if (decision instanceof Decision.Evict evict) {
                told.add("-" + evict.member().spec().pod().name());
            }
        }
        return told;
    }

    private static String phases(GangCore core) {
        return Arrays.toString(
                core.gangs().stream().map(Object::toString).sorted().toArray());
    }

    private void change(Random random) {
        switch (random.nextInt(13)) {
            case 0, 1, 2 -> makeGang(random);
            case 3, 4 -> confirm(random);
            case 5, 6 -> end(random);
            case 7 -> takeAway(random);
            case 8, 9 -> die(random);
            case 10 -> expect(random);
            case 11 -> {
                int seconds = random.nextInt(20);
                both(each -> each.now = each.now.plusSeconds(seconds));
            }
            case 12 -> {
                if (random.nextInt(4) == 0) {
                    String name = "n" + random.nextInt(6);
                    int processors = 1 + random.nextInt(6);
                    both(each -> each.node(name, processors));
                }
            }
            default -> {
                if (!groups.isEmpty()) {
                    String gone = groups.remove(random.nextInt(groups.size()));
                    pods.entrySet().removeIf(each -> {
                        boolean its = each.getValue().equals(gone);
                        if (its) {
                            both(gangs -> gangs.core.onPodGone("pod-" + each.getKey()));
                            nodes.remove(each.getKey());
                        }
                        return its;
                    });
                    both(each -> each.core.onGroupGone("ns/" + gone));
                }
            }
        }
    }

    private void makeGang(Random random) {
        String name = "g" + made++;
        int size = 1 + random.nextInt(4);
        int least = 1 + random.nextInt(size);
        String queue = List.of("default", "a", "b").get(random.nextInt(3));
        String priority = random.nextInt(4) == 0 ? "high" : "";
        String told = random.nextBoolean()
                ? "{\"spec\":{\"queue\":\"%s\",\"priorityClassName\":\"%s\",\"minResources\":{\"cpu\":\"%d\"}},\"status\":{\"phase\":\"Pending\"}}"
                        .formatted(queue, priority, least)
                : "{\"spec\":{\"queue\":\"%s\",\"priorityClassName\":\"%s\"}}".formatted(queue, priority);
        both(each -> each.group(name, least, told));
        groups.add(name);
        int processors = random.nextInt(3);
        String request = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%d\"}}}]}}"
                .formatted(processors);
        for (int i = 0; i < size; i++) {
            String pod = name + "-" + i;
            pods.put(pod, name);
            both(each -> each.pod(pod, name, OWNED, request));
        }
    }

    /** A pod that was bound runs. */
    private void confirm(Random random) {
        if (!nodes.isEmpty()) {
            String pod = new ArrayList<>(nodes.keySet()).get(random.nextInt(nodes.size()));
            String group = pods.getOrDefault(pod, "");
            String node = nodes.getOrDefault(pod, "");
            String phase = random.nextBoolean() ? "Running" : "Pending";
            both(each -> each.pod(
                    pod,
                    group,
                    OWNED,
                    "{\"spec\":{\"nodeName\":\"" + node + "\"},\"status\":{\"phase\":\"" + phase + "\"}}"));
        }
    }

    /** Any pod goes, also one that waits: what its queue asks for becomes less, and what others may have more. */
    private void takeAway(Random random) {
        if (!pods.isEmpty()) {
            String pod = new ArrayList<>(pods.keySet()).get(random.nextInt(pods.size()));
            pods.remove(pod);
            nodes.remove(pod);
            both(each -> each.core.onPodGone("pod-" + pod));
        }
    }

    /** A pod fails, and another is made in its place: for a while its room is kept for that. */
    private void die(Random random) {
        if (!nodes.isEmpty()) {
            String pod = new ArrayList<>(nodes.keySet()).get(random.nextInt(nodes.size()));
            String group = pods.remove(pod);
            String node = nodes.remove(pod);
            both(each ->
                    each.pod(pod, group, OWNED, TestingGangs.running(node), "{\"status\":{\"phase\":\"Failed\"}}"));
            if (random.nextBoolean()) {
                String next = pod + "x";
                pods.put(next, group);
                both(each -> each.pod(next, group, OWNED));
            }
        }
    }

    /** Others make room for a pod that belongs to no gang. */
    private void expect(Random random) {
        ScheduledPod plain = ScheduledPod.of(TestingGangs.json("""
                {"metadata":{"namespace":"ns","name":"plain","uid":"plain-%d"},
                 "spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}""".formatted(random.nextInt(3))));
        String node = random.nextBoolean() ? "" : "n" + random.nextInt(4);
        both(each -> each.cluster.nominate(plain, node));
    }

    private void end(Random random) {
        if (!going.isEmpty() && random.nextBoolean()) {
            String pod = going.remove(random.nextInt(going.size()));
            String node = nodes.getOrDefault(pod, "");
            String group = pods.getOrDefault(pod, "");
            if (node.isEmpty()) {
                return;
            }
            if (random.nextBoolean()) {
                going.add(pod);
                both(each -> each.pod(
                        pod,
                        group,
                        "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T00:00:00Z\"},\"spec\":{\"nodeName\":\""
                                + node + "\"},\"status\":{\"phase\":\"Running\"}}"));
            } else {
                pods.remove(pod);
                nodes.remove(pod);
                both(each -> each.core.onPodGone("pod-" + pod));
            }
        } else if (!nodes.isEmpty()) {
            String pod = new ArrayList<>(nodes.keySet()).get(random.nextInt(nodes.size()));
            pods.remove(pod);
            nodes.remove(pod);
            both(each -> each.core.onPodGone("pod-" + pod));
        }
    }
}
