package lavaflow.network;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.network.ServicePlan.Element;

/**
 * The rules of services that the kernel has, and the script that turns them into others. Pure; of two services that
 * claim one address and port the first by name has it.
 */
final class InstalledRules {
    private static final List<String> MAPS = List.of("services", "node_ports");
    private static final List<String> SETS = List.of("cluster_addresses", "refused", "refused_ports");

    private final String table;
    private final Map<String, ServicePlan> plans = new HashMap<>();
    private final Map<Element, TreeMap<String, String>> claims = new HashMap<>();

    InstalledRules(String table) {
        this.table = table;
    }

    ServicePlan plan(String service) {
        return plans.getOrDefault(service, ServicePlan.NOTHING);
    }

    /** The keys of a map that lead somewhere. */
    Set<String> keys(String map) {
        Set<String> keys = new TreeSet<>();
        claims.keySet().stream()
                .filter(element -> element.map().equals(map))
                .forEach(element -> keys.add(element.key()));
        return keys;
    }

    /**
     * Notes the plans and tells what to do for them; empty where nothing is.
     *
     * @param wanted plans by service, {@link ServicePlan#NOTHING} for one that is gone
     */
    String change(Map<String, ServicePlan> wanted) {
        Change change = new Change();
        wanted.forEach((service, plan) -> {
            ServicePlan before = plan(service);
            if (!before.equals(plan)) {
                change.chains(before, plan);
                change.elements(service, before, plan);
                if (plan.equals(ServicePlan.NOTHING)) {
                    plans.remove(service);
                } else {
                    plans.put(service, plan);
                }
            }
        });
        return change.script();
    }

    /**
     * The script that makes of whatever is there exactly these rules, at once.
     *
     * @param chains names of chains that are there
     * @param sets names of sets that are there
     */
    String replace(Map<String, ServicePlan> wanted, Set<String> chains, Set<String> sets) {
        plans.clear();
        claims.clear();
        Script start = new Script(table);
        MAPS.forEach(map -> start.line("flush map " + table + " " + map));
        SETS.forEach(set -> start.line("flush set " + table + " " + set));
        List<String> old = chains.stream().filter(InstalledRules::isOfServices).toList();
        old.forEach(chain -> start.line("flush chain " + table + " " + chain));
        Set<String> keptChains = new TreeSet<>();
        Set<String> keptSets = new TreeSet<>();
        wanted.values().forEach(plan -> {
            keptChains.addAll(plan.chains().keySet());
            keptSets.addAll(plan.memories().keySet());
        });
        start.line(change(wanted));
        old.stream()
                .filter(chain -> !keptChains.contains(chain))
                .forEach(chain -> start.line("delete chain " + table + " " + chain));
        sets.stream()
                .filter(set -> set.startsWith("mem-") && !keptSets.contains(set))
                .forEach(set -> start.line("delete set " + table + " " + set));
        return start.toString();
    }

    private static boolean isOfServices(String chain) {
        return chain.startsWith("svc-")
                || chain.startsWith("int-")
                || chain.startsWith("ext-")
                || chain.startsWith("bal-")
                || chain.startsWith("end-");
    }

    /** What differs, in the order the kernel takes it: what is referred to comes first and goes last. */
    private final class Change {
        private final Script declared = new Script(table);
        private final Script withdrawn = new Script(table);
        private final Script rules = new Script(table);
        private final Script led = new Script(table);
        private final Script emptied = new Script(table);
        private final Script deleted = new Script(table);
        private final List<String> forgotten = new ArrayList<>();
        /** Who had an element before, however often it changed hands since. */
        private final Map<Element, Optional<String>> originals = new TreeMap<>();

        void chains(ServicePlan before, ServicePlan after) {
            after.memories().forEach((set, seconds) -> {
                if (!before.memories().containsKey(set)) {
                    declared.line("add set " + table + " " + set
                            + " { type ipv4_addr ; size 65535 ; flags dynamic,timeout ; timeout " + seconds + "s ; }");
                }
            });
            after.chains().forEach((chain, wanted) -> {
                if (!wanted.equals(before.chains().get(chain))) {
                    declared.line("add chain " + table + " " + chain);
                    declared.line("flush chain " + table + " " + chain);
                    wanted.forEach(rule -> rules.rule(chain, rule));
                }
            });
            before.chains().keySet().stream()
                    .filter(chain -> !after.chains().containsKey(chain))
                    .forEach(chain -> {
                        emptied.line("flush chain " + table + " " + chain);
                        deleted.line("delete chain " + table + " " + chain);
                    });
            before.memories().keySet().stream()
                    .filter(set -> !after.memories().containsKey(set))
                    .forEach(forgotten::add);
        }

        void elements(String service, ServicePlan before, ServicePlan after) {
            Set<Element> touched = new TreeSet<>(before.elements().keySet());
            touched.addAll(after.elements().keySet());
            for (Element element : touched) {
                TreeMap<String, String> claimed = claims.computeIfAbsent(element, _ -> new TreeMap<>());
                originals.computeIfAbsent(element, _ -> first(claimed));
                String wanted = after.elements().get(element);
                if (wanted == null) {
                    claimed.remove(service);
                } else {
                    claimed.put(service, wanted);
                }
            }
        }

        private static Optional<String> first(Map<String, String> claimed) {
            return claimed.values().stream().findFirst();
        }

        private void lead(Element element, Optional<String> had) {
            Map<String, String> claimed = claims.getOrDefault(element, new TreeMap<>());
            Optional<String> has = first(claimed);
            if (claimed.isEmpty()) {
                claims.remove(element);
            }
            if (had.equals(has)) {
                return;
            }
            if (had.isPresent()) {
                withdrawn.line("delete element " + table + " " + element.map() + " { " + element.key() + " }");
            }
            has.ifPresent(value -> led.elements(element.map(), element.key() + (value.isEmpty() ? "" : " : " + value)));
        }

        String script() {
            originals.forEach(this::lead);
            Script last = new Script(table);
            forgotten.forEach(set -> last.line("delete set " + table + " " + set));
            return "" + declared + withdrawn + rules + led + emptied + deleted + last;
        }
    }
}
