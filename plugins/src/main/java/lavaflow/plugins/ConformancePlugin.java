package lavaflow.plugins;

import java.util.List;
import java.util.Set;

import lavaflow.gang.Member;
import lavaflow.gang.Plugin;

/** What the cluster itself needs never has to go. */
final class ConformancePlugin implements Plugin, Plugin.Victims {
    private static final Set<String> CRITICAL = Set.of("system-cluster-critical", "system-node-critical");
    private static final String SYSTEM = "kube-system";

    private static List<Member> ordinary(List<Member> candidates) {
        return candidates.stream()
                .filter(each -> !CRITICAL.contains(each.spec().priorityClass())
                        && !each.spec().pod().namespace().equals(SYSTEM))
                .toList();
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        return ordinary(candidates);
    }

    @Override
    public List<Member> reclaimable(Member by, List<Member> candidates) {
        return ordinary(candidates);
    }
}
