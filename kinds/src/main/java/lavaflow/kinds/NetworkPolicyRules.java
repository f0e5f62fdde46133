package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Cidr;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** networking.k8s.io/v1 NetworkPolicy. */
final class NetworkPolicyRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final List<String> PROTOCOLS = List.of("TCP", "UDP", "SCTP");
    /** The list of peers of each direction. */
    private static final List<Map.Entry<String, String>> DIRECTIONS =
            List.of(Map.entry("ingress", "from"), Map.entry("egress", "to"));

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        for (String direction : List.of("ingress", "egress")) {
            for (ObjectNode rule : Nodes.objects(spec, direction)) {
                for (ObjectNode port : Nodes.objects(rule, "ports")) {
                    Nodes.defaultValue(port, "protocol", Json.text("TCP"));
                }
            }
        }
        if (Nodes.emptyAt(spec, "policyTypes")) {
            ArrayNode types = spec.putArray("policyTypes").add("Ingress");
            if (!Nodes.emptyAt(spec, "egress")) {
                types.add("Egress");
            }
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        validate(object, Set.of(), errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        Set<String> known = new LinkedHashSet<>();
        blocks(old, (block, path) -> {
            known.add(Json.textAt(block, "cidr"));
            known.addAll(Nodes.strings(block, "except"));
        });
        validate(object, known, errors);
    }

    private static void validate(ObjectNode object, Set<String> known, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        LabelSelectorRules.check(Json.at(spec, "podSelector"), SPEC.child("podSelector"), errors);
        for (Map.Entry<String, String> direction : DIRECTIONS) {
            List<ObjectNode> rules = Nodes.objects(spec, direction.getKey());
            for (int i = 0; i < rules.size(); i++) {
                FieldPath path = SPEC.child(direction.getKey()).index(i);
                validateRule(rules.get(i), direction.getValue(), path, known, errors);
            }
        }
        List<String> types = Nodes.strings(spec, "policyTypes");
        if (types.size() > 2) {
            errors.invalid(
                    SPEC.child("policyTypes"),
                    Json.at(spec, "policyTypes"),
                    "may not specify more than two policyTypes");
            return;
        }
        for (int i = 0; i < types.size(); i++) {
            if (!List.of("Ingress", "Egress").contains(types.get(i))) {
                errors.notSupported(SPEC.child("policyTypes").index(i), types.get(i), List.of("Ingress", "Egress"));
            }
        }
    }

    private static void validateRule(
            ObjectNode rule, String peers, FieldPath path, Set<String> known, FieldErrors errors) {
        List<ObjectNode> ports = Nodes.objects(rule, "ports");
        for (int i = 0; i < ports.size(); i++) {
            validatePort(ports.get(i), path.child("ports").index(i), errors);
        }
        List<ObjectNode> all = Nodes.objects(rule, peers);
        for (int i = 0; i < all.size(); i++) {
            validatePeer(all.get(i), path.child(peers).index(i), known, errors);
        }
    }

    private static void validatePort(ObjectNode entry, FieldPath path, FieldErrors errors) {
        FieldChecks.optionalOneOf(entry, "protocol", PROTOCOLS, path, errors);
        JsonNode port = Json.at(entry, "port");
        JsonNode end = Json.at(entry, "endPort");
        FieldPath endPath = path.child("endPort");
        if (port == null) {
            if (end != null) {
                errors.invalid(endPath, end, "may not be specified when `port` is not specified");
            }
            return;
        }
        if (port.isTextual()) {
            if (end != null) {
                errors.invalid(endPath, end, "may not be specified when `port` is non-numeric");
            }
            FieldChecks.invalid(path.child("port"), port.textValue(), Identifiers.portName(port.textValue()), errors);
            return;
        }
        Identifiers.portNumber(port.longValue())
                .forEach(wrong -> errors.invalid(path.child("port"), port.longValue(), wrong));
        if (end != null) {
            if (end.longValue() < port.longValue()) {
                errors.invalid(endPath, port, "must be greater than or equal to `port`"); // Upstream shows the port.
            }
            Identifiers.portNumber(end.longValue()).forEach(wrong -> errors.invalid(endPath, end, wrong));
        }
    }

    private static void validatePeer(ObjectNode peer, FieldPath path, Set<String> known, FieldErrors errors) {
        int kinds = 0;
        for (String selector : List.of("podSelector", "namespaceSelector")) {
            if (Nodes.has(peer, selector)) {
                kinds++;
                LabelSelectorRules.check(Json.at(peer, selector), path.child(selector), errors);
            }
        }
        JsonNode block = Json.at(peer, "ipBlock");
        if (block != null) {
            validateBlock(block, path.child("ipBlock"), known, errors);
        }
        if (kinds == 0 && block == null) {
            errors.required(path, "must specify a peer");
        } else if (kinds > 0 && block != null) {
            errors.forbidden(path, "may not specify both ipBlock and another peer");
        }
    }

    private static void validateBlock(JsonNode block, FieldPath path, Set<String> known, FieldErrors errors) {
        String text = Json.textAt(block, "cidr");
        if (text.isEmpty()) {
            errors.required(path.child("cidr"));
            return;
        }
        AddressRules.legacyCidr(path.child("cidr"), text, known, errors);
        Cidr cidr = Cidr.parse(text);
        if (cidr == null) {
            return;
        }
        List<String> exceptions = Nodes.strings(block, "except");
        for (int i = 0; i < exceptions.size(); i++) {
            FieldPath place = path.child("except").index(i);
            String exception = exceptions.get(i);
            if (!AddressRules.legacyCidr(place, exception, known, errors)) {
                continue;
            }
            Cidr inner = Cidr.parse(exception);
            if (inner != null && !isStrictlyInside(inner, cidr)) {
                errors.invalid(place, exception, "must be a strict subset of `cidr`");
            }
        }
    }

    private static boolean isStrictlyInside(Cidr inner, Cidr outer) {
        return outer.contains(inner.network()) && inner.prefix() > outer.prefix();
    }

    @FunctionalInterface
    private interface BlockVisitor {
        void visit(JsonNode block, FieldPath path);
    }

    private static void blocks(@Nullable JsonNode object, BlockVisitor visitor) {
        for (Map.Entry<String, String> direction : DIRECTIONS) {
            List<ObjectNode> rules = Nodes.objects(object, "spec", direction.getKey());
            for (int i = 0; i < rules.size(); i++) {
                List<ObjectNode> peers = Nodes.objects(rules.get(i), direction.getValue());
                for (int j = 0; j < peers.size(); j++) {
                    JsonNode block = Json.at(peers.get(j), "ipBlock");
                    if (block != null) {
                        visitor.visit(
                                block,
                                SPEC.child(direction.getKey())
                                        .index(i)
                                        .child(direction.getValue())
                                        .index(j)
                                        .child("ipBlock"));
                    }
                }
            }
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>();
        blocks(object, (block, path) -> {
            AddressRules.warnOfCidr(path.child("cidr"), Json.textAt(block, "cidr"), warnings);
            List<String> exceptions = Nodes.strings(block, "except");
            for (int i = 0; i < exceptions.size(); i++) {
                AddressRules.warnOfCidr(path.child("except").index(i), exceptions.get(i), warnings);
            }
        });
        return warnings;
    }
}
