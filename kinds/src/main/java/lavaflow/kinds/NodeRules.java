package lavaflow.kinds;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import lavaflow.kube.Cidr;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Nodes. Kubelets register themselves whole, so a status is welcome at creation. */
final class NodeRules implements KindRules {
    private static final FieldPath METADATA = FieldPath.of("metadata");
    private static final FieldPath STATUS = FieldPath.of("status");
    private static final FieldPath CIDRS = FieldPath.of("spec", "podCIDRs");
    private static final String TAINTS_ANNOTATION = "scheduler.alpha.kubernetes.io/taints";
    private static final Pattern FEATURE = Pattern.compile("[A-Z][a-zA-Z0-9]*+(?:/[a-zA-Z][a-zA-Z0-9]*+)*+");

    @Override
    public void applyDefaults(ObjectNode node) {
        if (node.get("spec") instanceof ObjectNode spec) {
            alignCidrs(spec);
        }
        if (node.get("status") instanceof ObjectNode status) {
            JsonNode capacity = Json.at(status, "capacity");
            if (capacity != null && !Nodes.has(status, "allocatable")) {
                status.set("allocatable", capacity.deepCopy());
            }
            ResourceLists.roundUp(status.get("capacity"));
            ResourceLists.roundUp(status.get("allocatable"));
        }
    }

    /** The single range and the list must agree; the single one wins, since old clients know only that. */
    private static void alignCidrs(ObjectNode spec) {
        String single = Json.textAt(spec, "podCIDR");
        List<String> all = Nodes.strings(spec, "podCIDRs");
        if (!single.isEmpty() && (all.isEmpty() || !all.getFirst().equals(single))) {
            spec.putArray("podCIDRs").add(single);
        } else if (single.isEmpty() && !all.isEmpty()) {
            spec.put("podCIDR", all.getFirst());
        }
    }

    @Override
    public void prepareForCreate(ObjectNode node) {
        dropConfig(node, null);
    }

    @Override
    public void prepareForUpdate(ObjectNode node, ObjectNode old) {
        KindRules.keep(node, old, "status");
        dropConfig(node, old);
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode node, ObjectNode old) {
        KindRules.keep(node, old, "spec");
        dropConfig(node, old);
    }

    /** Configuration of kubelets through the API is gone; the fields remain. */
    private static void dropConfig(ObjectNode node, @Nullable ObjectNode old) {
        if (!Nodes.has(old, "spec", "configSource") && node.get("spec") instanceof ObjectNode spec) {
            spec.remove("configSource");
        }
        if (!Nodes.has(old, "status", "config") && node.get("status") instanceof ObjectNode status) {
            status.remove("config");
        }
    }

    @Override
    public void validateCreate(ObjectNode node, FieldErrors errors) {
        annotations(node, errors);
        taints(node, errors);
        resources(node, errors);
        JsonNode swap = Json.at(node, "status", "nodeInfo", "swap", "capacity");
        if (swap != null && swap.longValue() <= 0) {
            errors.invalid(METADATA.child("nodeSwapStatus", "capacity"), swap, FieldChecks.POSITIVE);
        }
        features(node, errors);
        cidrs(node, errors);
    }

    @Override
    public void validateUpdate(ObjectNode node, ObjectNode old, FieldErrors errors) {
        validateCreate(node, errors);
        validateChange(node, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode node, ObjectNode old, FieldErrors errors) {
        validateChange(node, old, errors);
    }

    private static void validateChange(ObjectNode node, ObjectNode old, FieldErrors errors) {
        annotations(node, errors);
        resources(node, errors);
        features(node, errors);
        addresses(node, errors);
        List<String> before = Nodes.strings(old, "spec", "podCIDRs");
        List<String> now = Nodes.strings(node, "spec", "podCIDRs");
        String why = "node updates may not change podCIDR except from \"\" to valid";
        if (!before.isEmpty() && before.size() != now.size()) {
            errors.forbidden(CIDRS, why);
        } else {
            for (int i = 0; i < before.size(); i++) {
                if (!before.get(i).equals(now.get(i))) {
                    errors.forbidden(CIDRS, why);
                }
            }
        }
        String provider = Json.textAt(old, "spec", "providerID");
        if (!provider.isEmpty() && !provider.equals(Json.textAt(node, "spec", "providerID"))) {
            errors.forbidden(
                    FieldPath.of("spec", "providerID"),
                    "node updates may not change providerID except from \"\" to valid");
        }
        taints(node, errors);
        if (!Json.textAt(node, "spec", "externalID").equals(Json.textAt(old, "spec", "externalID"))) {
            errors.forbidden(FieldPath.of("spec", "externalID"), "may not be updated");
        }
    }

    private static void annotations(ObjectNode node, FieldErrors errors) {
        String text = Json.textAt(node, "metadata", "annotations", TAINTS_ANNOTATION);
        FieldPath path = METADATA.child("annotations");
        if (text.isEmpty()) {
            return;
        }
        try {
            ObjectNode holder = Json.object();
            holder.set("taints", Json.parseUntrusted(text.getBytes(StandardCharsets.UTF_8)));
            taints(Nodes.objects(holder, "taints"), path.child(TAINTS_ANNOTATION), errors);
        } catch (JsonProcessingException e) {
            // Upstream shows the words of its own parser, which ours cannot match.
            errors.invalid(path, TAINTS_ANNOTATION, e.getOriginalMessage());
        }
    }

    /** Upstream looks for taints in the wrong place when it complains. */
    private static void taints(ObjectNode node, FieldErrors errors) {
        taints(Nodes.objects(node, "spec", "taints"), METADATA.child("taints"), errors);
    }

    private static void taints(List<ObjectNode> taints, FieldPath path, FieldErrors errors) {
        Set<List<String>> seen = new HashSet<>();
        for (int i = 0; i < taints.size(); i++) {
            ObjectNode taint = taints.get(i);
            FieldPath place = path.index(i);
            String key = Json.textAt(taint, "key");
            String value = Json.textAt(taint, "value");
            String effect = Json.textAt(taint, "effect");
            ObjectMetaRules.labelName(key, place.child("key"), errors);
            List<String> wrong = Names.labelValue(value);
            if (!wrong.isEmpty()) {
                errors.invalid(place.child("value"), value, String.join(";", wrong));
            }
            FieldChecks.requireOneOf(effect, SchedulingRules.TAINT_EFFECTS, place.child("effect"), errors);
            if (!seen.add(List.of(key, effect))) {
                ObjectNode shown = FieldChecks.goStruct(taint, "Key=", "Value=", "Effect=", "TimeAdded");
                errors.add(
                        FieldError.Reason.DUPLICATE,
                        place,
                        "Duplicate value: " + Json.string(shown) + ": taints must be unique by key and effect pair");
            }
        }
    }

    private static void resources(ObjectNode node, FieldErrors errors) {
        for (String list : List.of("capacity", "allocatable")) {
            ResourceLists.read(Json.at(node, "status", list))
                    .forEach((name, amount) -> ResourceRules.amount(name, amount, STATUS.child(list, name), errors));
        }
    }

    private static void features(ObjectNode node, FieldErrors errors) {
        List<String> features = Nodes.strings(node, "status", "declaredFeatures");
        FieldPath path = STATUS.child("declaredFeatures");
        for (int i = 0; i < features.size(); i++) {
            String feature = features.get(i);
            String subject = "invalid feature name " + FieldErrors.quoted(feature) + ": must ";
            if (Names.utf8Length(feature) > Names.SUBDOMAIN_LENGTH) {
                errors.invalid(
                        path.index(i), feature, subject + "be no more than " + Names.SUBDOMAIN_LENGTH + " characters");
            } else if (!FEATURE.matcher(feature).matches()) {
                errors.invalid(
                        path.index(i),
                        feature,
                        subject + "start with an UpperCamelCase segment, with subsequent segments separated by '/'"
                                + " (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters"
                                + " and slashes");
            }
            int order = i + 1 < features.size() ? feature.compareTo(features.get(i + 1)) : -1;
            if (order == 0) {
                errors.duplicate(path.index(i + 1), features.get(i + 1));
            } else if (order > 0) {
                errors.invalid(path.index(i + 1), features.get(i + 1), "list must be sorted alphabetically");
            }
        }
    }

    private static void cidrs(ObjectNode node, FieldErrors errors) {
        List<String> cidrs = Nodes.strings(node, "spec", "podCIDRs");
        Set<Boolean> families = new HashSet<>();
        for (int i = 0; i < cidrs.size(); i++) {
            AddressRules.legacyCidr(CIDRS.index(i), cidrs.get(i), List.of(), errors);
        }
        for (int i = 0; cidrs.size() > 1 && i < cidrs.size(); i++) {
            Cidr cidr = Cidr.parse(cidrs.get(i));
            if (cidr == null) {
                errors.add(
                        FieldError.Reason.INTERNAL,
                        CIDRS,
                        "Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[" + i
                                + "]: <nil> (invalid CIDR address: " + cidrs.get(i) + ")");
                families.clear();
                break;
            }
            families.add(cidr.address().is4());
        }
        if (cidrs.size() > 1 && (families.size() < 2 || cidrs.size() > 2)) {
            errors.invalid(
                    CIDRS, Json.at(node, "spec", "podCIDRs"), "may specify no more than one CIDR for each IP family");
        }
    }

    private static void addresses(ObjectNode node, FieldErrors errors) {
        ArrayNode seen = Json.array();
        List<ObjectNode> addresses = Nodes.objects(node, "status", "addresses");
        for (int i = 0; i < addresses.size(); i++) {
            ObjectNode shown = FieldChecks.goStruct(addresses.get(i), "Type=", "Address=");
            if (seen.valueStream().anyMatch(shown::equals)) {
                errors.duplicate(STATUS.child("addresses").index(i), shown);
            }
            seen.add(shown);
        }
    }

    @Override
    public List<String> warnings(ObjectNode node, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>();
        if (Nodes.has(node, "spec", "configSource")) {
            warnings.add("spec.configSource: the feature is removed");
        }
        if (!Json.textAt(node, "spec", "externalID").isEmpty()) {
            warnings.add("spec.externalID: this field is deprecated, and is unused by Kubernetes");
        }
        List<String> cidrs = Nodes.strings(node, "spec", "podCIDRs");
        for (int i = 0; i < cidrs.size(); i++) {
            AddressRules.warnOfCidr(CIDRS.index(i), cidrs.get(i), warnings);
        }
        return warnings;
    }

    @Override
    public @Nullable String selectableField(ObjectNode node, String field) {
        return field.equals("spec.unschedulable") ? Boolean.toString(Json.flagAt(node, "spec", "unschedulable")) : null;
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("spec.unschedulable");
    }
}
