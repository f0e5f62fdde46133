package lavaflow.plugins;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.asking;
import static lavaflow.plugins.TestingGangs.queued;
import static lavaflow.plugins.TestingGangs.spec;
import static org.assertj.core.api.Assertions.assertThat;

/** Shares of random queues and gangs against slow oracles that follow the definitions, in whole processors. */
class SharesPropertyTest {
    private static final int SEEDS = 150;

    /** A queue of a random cluster: pods that want one processor each. */
    private record Wish(String name, int weight, int capability, int guarantee, int deserved, int priority, int pods) {
        private static Wish random(Random random, String name, int spare) {
            int guarantee = random.nextInt(4) == 0 ? random.nextInt(spare + 1) : 0;
            return new Wish(
                    name,
                    1 + random.nextInt(5),
                    random.nextBoolean() ? Integer.MAX_VALUE : guarantee + random.nextInt(12) + 1,
                    guarantee,
                    random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(10),
                    random.nextInt(6) == 0 ? 1 : 0,
                    random.nextInt(15));
        }

        private String json(String parent) {
            List<String> fields = new ArrayList<>();
            fields.add("\"weight\":" + weight);
            fields.add("\"priority\":" + priority);
            if (capability < Integer.MAX_VALUE) {
                fields.add("\"capability\":{\"cpu\":\"" + capability + "\"}");
            }
            if (guarantee > 0) {
                fields.add("\"guarantee\":{\"resource\":{\"cpu\":\"" + guarantee + "\"}}");
            }
            if (deserved > 0) {
                fields.add("\"deserved\":{\"cpu\":\"" + deserved + "\"}");
            }
            if (!parent.isEmpty()) {
                fields.add("\"parent\":\"" + parent + "\"");
            }
            return spec("{" + String.join(",", fields) + "}");
        }
    }

    private static String only(String plugin, String actions) {
        return """
                actions: "%s"
                tiers:
                - plugins:
                  - name: gang
                    enablePreemptable: false
                  - name: predicates
                  - name: %s
                """.formatted(actions, plugin);
    }

    private static List<Wish> wishes(Random random, int total) {
        List<Wish> wishes = new ArrayList<>();
        int spare = total;
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            Wish wish = Wish.random(random, "q" + i, spare / 2);
            spare -= wish.guarantee;
            wishes.add(wish);
        }
        return wishes;
    }

    /** The pods of a queue as gangs of one, so that each may be placed or not. */
    private static void fill(TestingGangs gangs, Wish wish) {
        for (int i = 0; i < wish.pods; i++) {
            gangs.gang(wish.name + "-" + String.format("%02d", i), 1, queued(wish.name));
        }
    }

    private static Map<String, Integer> byQueue(Map<String, Integer> placed, List<Wish> wishes) {
        Map<String, Integer> sums = new TreeMap<>();
        wishes.forEach(wish -> sums.put(wish.name, 0));
        placed.forEach((gang, pods) -> sums.merge(gang.substring(0, gang.indexOf('-')), pods, Integer::sum));
        return sums;
    }

    private static void checkLimits(List<Wish> wishes, Map<String, Integer> placed, int total, String what) {
        int all = sum(placed);
        assertThat(all).as("%s: the cluster", what).isLessThanOrEqualTo(total);
        for (Wish wish : wishes) {
            int has = placed.getOrDefault(wish.name, 0);
            assertThat(has).as("%s: capability of %s", what, wish).isLessThanOrEqualTo(wish.capability);
            assertThat(all - has + wish.guarantee)
                    .as("%s: others leave what is guaranteed to %s", what, wish)
                    .isLessThanOrEqualTo(total);
        }
    }

    // ---- proportion ----

    /** What queues deserve by the definition: the highest level, found by trying, at which weights are served. */
    private static Map<String, Double> deserved(List<Wish> wishes, int total) {
        int guaranteed = wishes.stream().mapToInt(Wish::guarantee).sum();
        Map<String, Double> best = new LinkedHashMap<>();
        double low = 0;
        double high = 1000;
        for (int round = 0; round < 100; round++) {
            double level = (low + high) / 2;
            Map<String, Double> given = new LinkedHashMap<>();
            double sum = 0;
            for (Wish wish : wishes) {
                double limit = Math.min(Math.max(0, total - guaranteed) + wish.guarantee, wish.capability);
                double served = Math.min(Math.min(wish.weight * level, wish.pods), limit);
                given.put(wish.name, Math.max(served, wish.guarantee));
                sum += given.get(wish.name);
            }
            if (sum <= total + 1e-9) {
                best = given;
                low = level;
            } else {
                high = level;
            }
        }
        return best;
    }

    @Test
    void proportionGivesEveryQueueWhatItDeserves() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int total = 1 + random.nextInt(30);
            List<Wish> wishes = wishes(random, total);
            TestingGangs gangs = new TestingGangs()
                    .configured(only("proportion", "allocate"))
                    .node("n1", total);
            wishes.forEach(wish -> gangs.queue(wish.name, wish.json("")));
            wishes.forEach(wish -> fill(gangs, wish));
            Map<String, Integer> placed = byQueue(gangs.placed(), wishes);

            checkLimits(wishes, placed, total, "seed " + seed);
            Map<String, Double> deserved = deserved(wishes, total);
            Map<String, Integer> expected = new TreeMap<>();
            for (Wish wish : wishes) {
                double share = deserved.getOrDefault(wish.name, 0.0);
                expected.put(wish.name, Math.min(wish.pods, (int) Math.floor(share + 1e-4)));
            }
            if (sum(expected) == 0) {
                assertThat(sum(placed))
                        .as("seed %d: where no share is large enough for anything one begins", seed)
                        .isLessThanOrEqualTo(1);
            } else {
                assertThat(placed).as("seed %d: %s of %d", seed, wishes, total).isEqualTo(expected);
            }
        }
    }

    private static int sum(Map<String, Integer> pods) {
        return pods.values().stream().mapToInt(Integer::intValue).sum();
    }

    // ---- capacity ----

    /** The queue that has least of what it deserves gets a pod, until nobody may or can have another. */
    private static Map<String, Integer> served(List<Wish> wishes, int total) {
        Map<String, Integer> has = new TreeMap<>();
        wishes.forEach(wish -> has.put(wish.name, 0));
        List<Wish> waiting = new ArrayList<>(wishes);
        int guaranteed = wishes.stream().mapToInt(Wish::guarantee).sum();
        while (!waiting.isEmpty()) {
            Wish first = waiting.getFirst();
            for (Wish wish : waiting) {
                if (comesBefore(wish, first, has, total - guaranteed)) {
                    first = wish;
                }
            }
            int own = has.getOrDefault(first.name, 0);
            int kept = 0;
            int all = 0;
            for (Wish wish : wishes) {
                int its = has.getOrDefault(wish.name, 0);
                all += its;
                kept += wish.name.equals(first.name) ? 0 : Math.max(0, wish.guarantee - its);
            }
            int limit = Math.min(total - guaranteed + first.guarantee, first.capability);
            if (own < first.pods && own < limit && all + kept < total) {
                has.put(first.name, own + 1);
            } else {
                waiting.remove(first);
            }
        }
        return has;
    }

    private static boolean comesBefore(Wish one, Wish other, Map<String, Integer> has, int lendable) {
        if (one.priority != other.priority) {
            return one.priority > other.priority;
        }
        double its = share(one, has, lendable);
        double others = share(other, has, lendable);
        return its != others ? its < others : entitled(one, lendable) > 0 && entitled(other, lendable) == 0;
    }

    private static double entitled(Wish wish, int lendable) {
        double limit = Math.min(lendable + wish.guarantee, wish.capability);
        return Math.max(Math.min(wish.deserved, limit), wish.guarantee);
    }

    private static double share(Wish wish, Map<String, Integer> has, int lendable) {
        double deserved = entitled(wish, lendable);
        return deserved == 0 ? 1 : has.getOrDefault(wish.name, 0) / deserved;
    }

    @Test
    void capacityServesWhoHasLeastOfWhatItDeserves() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(1000 + seed);
            int total = 1 + random.nextInt(30);
            List<Wish> wishes = wishes(random, total);
            TestingGangs gangs =
                    new TestingGangs().configured(only("capacity", "allocate")).node("n1", total);
            wishes.forEach(wish -> gangs.queue(wish.name, wish.json("")));
            wishes.forEach(wish -> fill(gangs, wish));
            Map<String, Integer> placed = byQueue(gangs.placed(), wishes);

            checkLimits(wishes, placed, total, "seed " + seed);
            assertThat(placed).as("seed %d: %s of %d", seed, wishes, total).isEqualTo(served(wishes, total));
        }
    }

    @Test
    void noQueueOfATreeHasMoreThanAnyAboveItMayHave() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(2000 + seed);
            int total = 4 + random.nextInt(30);
            TestingGangs gangs = new TestingGangs()
                    .configured(only("capacity\n    enableHierarchy: true", "allocate"))
                    .queue("root")
                    .node("n1", total);
            Map<Wish, List<Wish>> teams = new LinkedHashMap<>();
            for (int i = 0; i < 1 + random.nextInt(3); i++) {
                Wish team = new Wish("t" + i, 1, 2 + random.nextInt(12), 0, 1 + random.nextInt(6), 0, 0);
                gangs.queue(team.name, team.json("root"));
                List<Wish> leaves = new ArrayList<>();
                for (int k = 0; k < 1 + random.nextInt(3); k++) {
                    Wish leaf = Wish.random(random, "t" + i + "l" + k, 0);
                    gangs.queue(leaf.name, leaf.json(team.name));
                    fill(gangs, leaf);
                    leaves.add(leaf);
                }
                teams.put(team, leaves);
            }
            Map<String, Integer> all = gangs.placed();
            for (Map.Entry<Wish, List<Wish>> team : teams.entrySet()) {
                Map<String, Integer> placed = new TreeMap<>(byQueue(all, team.getValue()));
                placed.keySet()
                        .retainAll(team.getValue().stream().map(Wish::name).toList());
                checkLimits(team.getValue(), placed, total, "seed " + seed);
                assertThat(placed.values().stream().mapToInt(Integer::intValue).sum())
                        .as("seed %d: %s", seed, team.getKey())
                        .isLessThanOrEqualTo(team.getKey().capability);
            }
        }
    }

    @Test
    void nobodyIsLeftWithLessThanItDeservesNorTakesMore() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(3000 + seed);
            int total = 6 + random.nextInt(12);
            TestingGangs gangs =
                    new TestingGangs().configured(only("capacity", "reclaim")).node("n1", total);
            Map<String, Integer> deserved = new TreeMap<>();
            Map<String, Integer> has = new TreeMap<>();
            int free = total;
            for (int i = 0; i < 3; i++) {
                String queue = "q" + i;
                int wanted = random.nextInt(total / 3 + 1);
                gangs.queue(queue, spec("{\"deserved\":{\"cpu\":\"" + wanted + "\"}}"));
                int running = i == 2 ? free : random.nextInt(free + 1);
                gangs.runs(queue + "-r", 0, running, "n1", queued(queue));
                free -= running;
                deserved.put(queue, wanted);
                has.put(queue, running);
            }
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < random.nextInt(5); k++) {
                    gangs.gang("q" + i + "-w" + k, 1, queued("q" + i));
                }
            }
            List<String> evicted = gangs.evicted();
            Map<String, Integer> after = new TreeMap<>(has);
            evicted.forEach(pod -> after.merge(pod.substring(0, 2), -1, Integer::sum));
            deserved.forEach((queue, wanted) -> {
                int before = has.getOrDefault(queue, 0);
                int left = after.getOrDefault(queue, 0);
                assertThat(left == before || left >= wanted)
                        .as("%s keeps %d of %d", queue, wanted, before)
                        .isTrue();
            });
            int needed = 0;
            for (Map.Entry<String, Integer> each : deserved.entrySet()) {
                needed += Math.max(0, each.getValue() - has.getOrDefault(each.getKey(), 0));
            }
            assertThat(evicted).as("seed %d", seed).hasSizeLessThanOrEqualTo(needed);
        }
    }

    // ---- drf ----

    @Test
    void drfServesTheSmallestDominantShare() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(4000 + seed);
            int total = 5 + random.nextInt(20);
            TestingGangs gangs =
                    new TestingGangs().configured(only("drf", "allocate")).node("n1", total);
            int count = 1 + random.nextInt(4);
            int[][] asks = new int[count][];
            int[] pods = new int[count];
            for (int i = 0; i < count; i++) {
                asks[i] = new int[] {1 + random.nextInt(4), 1 + random.nextInt(4)};
                pods[i] = random.nextInt(12);
                gangs.group("g" + i, 0);
                for (int k = 0; k < pods[i]; k++) {
                    gangs.pod(
                            "g" + i + "-" + k,
                            "g" + i,
                            asking("{\"cpu\":\"" + asks[i][0] + "\",\"memory\":\"" + asks[i][1] + "Gi\"}"));
                }
            }
            Map<String, Integer> expected = new TreeMap<>();
            int[] has = new int[count];
            boolean[] done = new boolean[count];
            int[] left = {total, total};
            while (true) {
                int first = -1;
                for (int i = 0; i < count; i++) {
                    if (!done[i]
                            && (first < 0
                                    || dominant(asks[i], has[i], total) < dominant(asks[first], has[first], total))) {
                        first = i;
                    }
                }
                if (first < 0) {
                    break;
                }
                if (has[first] == pods[first] || asks[first][0] > left[0] || asks[first][1] > left[1]) {
                    done[first] = true;
                } else {
                    has[first]++;
                    left[0] -= asks[first][0];
                    left[1] -= asks[first][1];
                    expected.put("g" + first, has[first]);
                }
            }

            assertThat(gangs.placed()).as("seed %d", seed).isEqualTo(expected);
        }
    }

    private static double dominant(int[] ask, int pods, int total) {
        return Math.max(Math.max(ask[0], ask[1]) * pods / (double) total, pods / 100.0);
    }

    // ---- ties ----

    @Test
    void decisionsDoNotDependOnTheOrderInWhichThingsAreTold() {
        for (int seed = 0; seed < 40; seed++) {
            List<String> first = decided(seed, 1);
            assertThat(decided(seed, 2)).as("seed %d", seed).isEqualTo(first);
            assertThat(decided(seed, 3)).as("seed %d", seed).isEqualTo(first);
        }
    }

    private static List<String> decided(int seed, int order) {
        Random random = new Random(5000 + seed);
        String same = "{\"metadata\":{\"creationTimestamp\":\"2026-11-15T00:00:00Z\"}}";
        TestingGangs gangs = new TestingGangs()
                .configured(only(
                        seed % 2 == 0 ? "capacity\n    enableHierarchy: true" : "proportion\n  - name: drf",
                        "allocate"));
        List<Runnable> steps = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String node = "n" + i;
            int processors = 2 + random.nextInt(3);
            steps.add(() -> gangs.node(node, processors));
            String queue = "q" + i;
            String fields = random.nextBoolean() ? "{\"deserved\":{\"cpu\":\"3\"}}" : "{}";
            steps.add(() -> gangs.queue(queue, same, spec(fields)));
            for (int k = 0; k < 4; k++) {
                String gang = queue + "-" + k;
                int pods = 1 + random.nextInt(2);
                steps.add(() -> gangs.group(gang, pods, same, queued(queue)));
                for (int p = 0; p < pods; p++) {
                    String pod = gang + "-" + p;
                    steps.add(() -> gangs.pod(pod, gang, same));
                }
            }
        }
        Collections.shuffle(steps, new Random(order));
        steps.forEach(Runnable::run);
        return gangs.bindings();
    }
}
