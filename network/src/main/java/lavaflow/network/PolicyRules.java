package lavaflow.network;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;
import lavaflow.network.PolicyView.Block;
import lavaflow.network.PolicyView.Peer;
import lavaflow.network.PolicyView.Pods;
import lavaflow.network.PolicyView.Port;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * NetworkPolicies as rules: who may speak to a pod, and to whom a pod may speak. All of them are made anew when anything
 * about them changes, which is cheap as long as there are few, and costs nothing where there are none.
 */
final class PolicyRules {
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    static final KubeApi.Kind POLICIES = new KubeApi.Kind("networking.k8s.io", "v1", "networkpolicies", true);

    /** What a mirror keeps of a namespace. */
    private record Space(String name, JsonNode labels) {}

    private final Mirror<PolicyView> policies;
    private final Mirror<PolicyPod> pods;
    private final Mirror<Space> namespaces;
    private volatile Runnable changed = () -> {};
    private String installed = "";

    /** Make it before the followers start. */
    PolicyRules(Followers followers) {
        this.policies = new Mirror<>(followers, POLICIES, PolicyView::of, _ -> List.of())
                .whenDifferent((_, _) -> changed.run());
        this.pods = new Mirror<>(followers, PODS, PolicyPod::of, _ -> List.of()).whenDifferent((_, _) -> tellIfAny());
        this.namespaces = new Mirror<>(followers, NAMESPACES, PolicyRules::space, _ -> List.of())
                .whenDifferent((_, _) -> tellIfAny());
    }

    private static Space space(ObjectNode namespace) {
        JsonNode labels = Json.at(namespace, "metadata", "labels");
        return new Space(Json.textAt(namespace, "metadata", "name"), labels == null ? Json.object() : labels);
    }

    /** Calls back, on a thread that must not wait, when rules may have to change. */
    void onChange(Runnable listener) {
        changed = listener;
    }

    private void tellIfAny() {
        if (!policies.all().isEmpty()) {
            changed.run();
        }
    }

    /** The script that makes the rules current; nothing where they are. The caller applies it, or forgets. */
    synchronized Optional<String> update(String table) {
        String wanted = script(table);
        if (wanted.equals(installed)) {
            return Optional.empty();
        }
        installed = wanted;
        return Optional.of(wanted);
    }

    /** What the kernel has is unknown. */
    synchronized void forget() {
        installed = "?";
    }

    private String script(String table) {
        Script script = new Script(table);
        for (String chain : List.of("policies_in", "policies_out")) {
            script.line("flush chain " + table + " " + chain);
        }
        for (String set : List.of("isolated_in", "isolated_out")) {
            script.line("flush set " + table + " " + set);
        }
        List<PolicyView> all = policies.all();
        if (!all.isEmpty()) {
            List<PolicyPod> present = pods.all();
            direction(script, all, present, true);
            direction(script, all, present, false);
        }
        return script.toString();
    }

    /** Who is selected by a policy may only what some policy allows. */
    private void direction(Script script, List<PolicyView> all, List<PolicyPod> present, boolean ingress) {
        String chain = ingress ? "policies_in" : "policies_out";
        String set = ingress ? "isolated_in" : "isolated_out";
        for (PolicyView policy : all) {
            List<PolicyPod> selected = policy.isAbout(ingress)
                    ? present.stream()
                            .filter(pod -> pod.namespace().equals(policy.namespace())
                                    && policy.selector().matches(pod.labels()))
                            .toList()
                    : List.of();
            if (!selected.isEmpty()) {
                script.elements(set, joined(selected));
                String own = (ingress ? "ip daddr" : "ip saddr") + " { " + joined(selected) + " } ";
                for (PolicyView.Rule rule : policy.rules(ingress)) {
                    matches(policy, rule, selected, present, ingress)
                            .forEach(match -> script.rule(chain, own + match + "return"));
                }
            }
        }
        script.rule(chain, "drop");
    }

    private static String joined(List<PolicyPod> pods) {
        return pods.stream().map(PolicyPod::address).distinct().sorted().collect(Collectors.joining(", "));
    }

    /** Each is a condition with a space behind it. */
    private List<String> matches(
            PolicyView policy,
            PolicyView.Rule rule,
            List<PolicyPod> selected,
            List<PolicyPod> present,
            boolean ingress) {
        List<String> matches = new ArrayList<>();
        if (rule.peers().isEmpty()) {
            ports(rule, ingress ? selected : present).forEach(matches::add);
        }
        for (Peer peer : rule.peers()) {
            switch (peer) {
                case Block block -> {
                    if (PolicyView.isFour(block.range())) {
                        ports(rule, ingress ? selected : List.of())
                                .forEach(port -> matches.add(block(block, ingress) + port));
                    }
                }
                case Pods wanted -> {
                    List<PolicyPod> peers = peers(policy, wanted, present);
                    if (!peers.isEmpty()) {
                        String match = (ingress ? "ip saddr" : "ip daddr") + " { " + joined(peers) + " } ";
                        ports(rule, ingress ? selected : peers).forEach(port -> matches.add(match + port));
                    }
                }
            }
        }
        return matches;
    }

    private static String block(Block block, boolean ingress) {
        String address = ingress ? "ip saddr " : "ip daddr ";
        String all = block.range().endsWith("/0") ? "" : address + block.range() + " ";
        return block.except().isEmpty() ? all : all + address + "!= { " + String.join(", ", block.except()) + " } ";
    }

    private List<PolicyPod> peers(PolicyView policy, Pods wanted, List<PolicyPod> present) {
        Function<PolicyPod, Boolean> inside = pod -> {
            if (wanted.namespaces() == null) {
                return pod.namespace().equals(policy.namespace());
            }
            Space space = namespaces.get("", pod.namespace());
            return space != null && wanted.namespaces().matches(space.labels());
        };
        return present.stream()
                .filter(pod -> inside.apply(pod) && wanted.pods().matches(pod.labels()))
                .toList();
    }

    /** @param named pods whose names for ports count */
    private static List<String> ports(PolicyView.Rule rule, List<PolicyPod> named) {
        if (rule.ports().isEmpty()) {
            return List.of("");
        }
        List<String> matches = new ArrayList<>();
        for (Port port : rule.ports()) {
            if (!port.name().isEmpty()) {
                for (PolicyPod pod : named) {
                    Integer number = pod.ports().get(port.protocol() + " " + port.name());
                    if (number != null) {
                        matches.add("ip daddr " + pod.address() + " " + port.protocol() + " dport " + number + " ");
                    }
                }
            } else if (port.first() == 0) {
                matches.add("meta l4proto " + port.protocol() + " ");
            } else {
                String numbers = port.last() > port.first() ? port.first() + "-" + port.last() : "" + port.first();
                matches.add(port.protocol() + " dport " + numbers + " ");
            }
        }
        return matches;
    }
}
