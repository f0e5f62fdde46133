package lavaflow.network;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.Cidr;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A NetworkPolicy.
 *
 * @param spec kept for comparison: what is read from it follows from it
 */
record PolicyView(String namespace, String name, JsonNode spec) {
    /** Whom a rule lets through; without peers everybody, without ports at all of them. */
    record Rule(List<Peer> peers, List<Port> ports) {}

    /** Some of those who speak or are spoken to. */
    sealed interface Peer {}

    /** Pods; without a selector of namespaces those of the policy's own. */
    record Pods(@Nullable LabelSelector namespaces, LabelSelector pods) implements Peer {}

    /** Addresses. */
    record Block(String range, List<String> except) implements Peer {}

    /** Ports of a protocol: all for number 0 and no name. */
    record Port(String protocol, int first, int last, String name) {}

    static PolicyView of(ObjectNode policy) {
        JsonNode spec = Json.at(policy, "spec");
        return new PolicyView(
                Json.textAt(policy, "metadata", "namespace"),
                Json.textAt(policy, "metadata", "name"),
                spec == null ? Json.object() : spec);
    }

    static String protocol(JsonNode port) {
        String protocol = Json.textAt(port, "protocol");
        return protocol.isEmpty() ? "tcp" : protocol.toLowerCase(Locale.ROOT);
    }

    LabelSelector selector() {
        return selector(Json.at(spec, "podSelector"));
    }

    /** What cannot be read lets nobody through; the API server refuses to store such. */
    private static LabelSelector selector(@Nullable JsonNode selector) {
        try {
            return selector == null || selector.isEmpty() ? LabelSelector.EVERYTHING : LabelSelector.fromJson(selector);
        } catch (MalformedException e) {
            return LabelSelector.NOTHING;
        }
    }

    boolean isAbout(boolean ingress) {
        String wanted = ingress ? "Ingress" : "Egress";
        JsonNode types = Json.listAt(spec, "policyTypes");
        if (types.isEmpty()) {
            return ingress || !Json.listAt(spec, "egress").isEmpty();
        }
        for (JsonNode type : types) {
            if (type.asText().equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    List<Rule> rules(boolean ingress) {
        List<Rule> rules = new ArrayList<>();
        for (JsonNode rule : Json.listAt(spec, ingress ? "ingress" : "egress")) {
            List<Peer> peers = new ArrayList<>();
            Json.listAt(rule, ingress ? "from" : "to").forEach(peer -> peers.add(peer(peer)));
            List<Port> ports = new ArrayList<>();
            Json.listAt(rule, "ports").forEach(port -> ports.add(port(port)));
            rules.add(new Rule(List.copyOf(peers), List.copyOf(ports)));
        }
        return rules;
    }

    private static Peer peer(JsonNode peer) {
        JsonNode block = Json.at(peer, "ipBlock");
        if (block != null) {
            List<String> except = new ArrayList<>();
            Json.listAt(block, "except").forEach(each -> {
                if (isFour(each.asText())) {
                    except.add(each.asText());
                }
            });
            return new Block(Json.textAt(block, "cidr"), List.copyOf(except));
        }
        JsonNode namespaces = Json.at(peer, "namespaceSelector");
        return new Pods(namespaces == null ? null : selector(namespaces), selector(Json.at(peer, "podSelector")));
    }

    static boolean isFour(String range) {
        Cidr cidr = Cidr.parse(range);
        return cidr != null && cidr.address().is4();
    }

    private static Port port(JsonNode port) {
        JsonNode value = Json.at(port, "port");
        if (value != null && value.isTextual()) {
            return new Port(protocol(port), 0, 0, value.asText());
        }
        int first = value == null ? 0 : value.asInt();
        return new Port(protocol(port), first, (int) Json.longAt(port, first, "endPort"), "");
    }
}
