package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Cidr;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** networking.k8s.io/v1 ServiceCIDR: a range that service addresses are taken from. */
final class ServiceCIDRRules implements KindRules {
    private static final FieldPath RANGES = FieldPath.of("spec", "cidrs");

    /** Who writes the status may not touch metadata. */
    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        ObjectNode before = Json.ensureObject(old.deepCopy(), "metadata");
        for (String field : List.of("labels", "annotations", "finalizers", "ownerReferences")) {
            KindRules.keep(metadata, before, field);
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        JsonNode shown = Json.at(object, "spec", "cidrs");
        List<String> ranges = Nodes.strings(object, "spec", "cidrs");
        if (ranges.isEmpty()) {
            errors.required(RANGES, "at least one CIDR required");
            return;
        }
        if (ranges.size() > 2) {
            ObjectNode spec = Json.object();
            spec.set("CIDRs", shown);
            errors.invalid(RANGES, spec, "may only hold up to 2 values");
            return;
        }
        validateRanges(ranges, shown, errors);
    }

    private static void validateRanges(List<String> ranges, @Nullable JsonNode shown, FieldErrors errors) {
        Set<Boolean> families = new HashSet<>();
        boolean readable = true;
        for (int i = 0; i < ranges.size(); i++) {
            AddressRules.canonicalCidr(RANGES.index(i), ranges.get(i), errors);
            Cidr cidr = Cidr.parse(ranges.get(i));
            readable &= cidr != null;
            families.add(cidr != null && cidr.address().is4());
        }
        if (readable && families.size() < ranges.size()) {
            errors.invalid(
                    RANGES,
                    shown,
                    "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
        }
    }

    /** A range may be joined by one of the other family; what is there stays. */
    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        JsonNode shown = Json.at(object, "spec", "cidrs");
        List<String> ranges = Nodes.strings(object, "spec", "cidrs");
        List<String> before = Nodes.strings(old, "spec", "cidrs");
        boolean joined = before.size() == 1 && ranges.size() == 2;
        if (ranges.size() != before.size() && !joined) {
            errors.invalid(RANGES, shown, FieldChecks.IMMUTABLE);
            return;
        }
        for (int i = 0; i < before.size(); i++) {
            if (!ranges.get(i).equals(before.get(i))) {
                errors.invalid(RANGES.index(i), ranges.get(i), FieldChecks.IMMUTABLE);
            }
        }
        if (joined) {
            validateRanges(ranges, shown, errors);
        }
    }
}
