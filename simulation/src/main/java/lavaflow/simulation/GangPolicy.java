package lavaflow.simulation;

import java.util.List;

import lavaflow.gang.Callback;
import lavaflow.gang.Configuration;

/**
 * How gangs are scheduled in a run.
 *
 * @param hierarchical whether queues can be below others
 */
record GangPolicy(String name, boolean hierarchical, Configuration configuration) {
    /** Whether queues share by weight: what one asks for in vain is missing in the share of the others, as upstream has it. */
    boolean byWeight() {
        return configuration.tiers().stream()
                .anyMatch(tier -> tier.stream().anyMatch(each -> each.name().equals("proportion")));
    }

    /** Whether whoever makes room leaves gangs as many pods as they need; upstream's tests turn that off. */
    boolean sparesGangs() {
        return configuration.tiers().stream()
                .anyMatch(tier -> tier.stream()
                        .anyMatch(each -> each.name().equals("gang") && each.answers(Callback.PREEMPTABLE)));
    }

    /** Those that people use: without a file, by the chart, by the tests of upstream, and with what can be chosen instead. */
    static final List<GangPolicy> ALL = List.of(
            new GangPolicy("built-in", false, Configuration.usual()),
            of(
                    "chart",
                    false,
                    "enqueue, allocate, backfill",
                    false,
                    "overcommit",
                    "drf",
                    "predicates",
                    "proportion",
                    "nodeorder",
                    "binpack"),
            of(
                    "tests",
                    false,
                    "enqueue, allocate, backfill, reclaim, preempt",
                    false,
                    "overcommit",
                    "drf",
                    "predicates",
                    "proportion",
                    "nodeorder",
                    "binpack"),
            of(
                    "preempting",
                    false,
                    "enqueue, allocate, backfill, reclaim, preempt",
                    true,
                    "overcommit",
                    "drf",
                    "predicates",
                    "proportion",
                    "nodeorder"),
            of(
                    "capacity",
                    false,
                    "enqueue, allocate, backfill, reclaim, preempt",
                    true,
                    "drf",
                    "predicates",
                    "capacity",
                    "nodeorder"),
            of(
                    "hierarchy",
                    true,
                    "enqueue, allocate, backfill, reclaim",
                    true,
                    "predicates",
                    "capacity\n    enableHierarchy: true",
                    "nodeorder"),
            of(
                    "whole gangs",
                    false,
                    "enqueue, allocate, backfill, gangpreempt, gangreclaim",
                    true,
                    "predicates",
                    "capacity",
                    "nodeorder"),
            of(
                    "whole gangs by weight",
                    false,
                    "enqueue, allocate, backfill, gangreclaim, gangpreempt",
                    true,
                    "overcommit",
                    "predicates",
                    "proportion",
                    "nodeorder"));

    private static GangPolicy of(
            String name, boolean hierarchical, String actions, boolean preemptable, String... plugins) {
        StringBuilder text = new StringBuilder("""
                actions: "%s"
                tiers:
                - plugins:
                  - name: priority
                  - name: gang
                    enablePreemptable: %s
                  - name: conformance
                - plugins:
                """.formatted(actions, preemptable));
        for (String plugin : plugins) {
            text.append("  - name: ").append(plugin).append('\n');
        }
        return new GangPolicy(name, hierarchical, Configuration.parse(text.toString()));
    }
}
