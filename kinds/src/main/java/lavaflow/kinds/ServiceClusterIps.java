package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks the fields around cluster IPs and their families, alone and against what they were. */
final class ServiceClusterIps {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath IPS = SPEC.child("clusterIPs");
    private static final FieldPath FAMILIES = SPEC.child("ipFamilies");
    private static final FieldPath POLICY = SPEC.child("ipFamilyPolicy");
    private static final List<String> KNOWN_FAMILIES = List.of("IPv4", "IPv6");
    private static final List<String> KNOWN_POLICIES =
            List.of(ServiceFamilies.PREFER, ServiceFamilies.REQUIRE, ServiceFamilies.SINGLE);

    private ServiceClusterIps() {}

    static void validate(ObjectNode spec, @Nullable ObjectNode old, FieldErrors errors) {
        if (!ServiceShape.needsClusterIp(spec)) {
            return;
        }
        validatePair(spec, errors);
        List<String> families = ServiceShape.families(spec);
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < families.size(); i++) {
            if (!KNOWN_FAMILIES.contains(families.get(i))) {
                errors.notSupported(FAMILIES.index(i), families.get(i), KNOWN_FAMILIES);
            }
            if (!seen.add(families.get(i))) {
                errors.duplicate(FAMILIES.index(i), families.get(i));
            }
        }
        if (Nodes.has(spec, "ipFamilyPolicy") && !KNOWN_POLICIES.contains(ServiceShape.familyPolicy(spec))) {
            errors.notSupported(POLICY, ServiceShape.familyPolicy(spec), KNOWN_POLICIES);
        }
        if (validateEach(spec, old, errors)) {
            validateTogether(spec, errors);
        }
    }

    private static void validatePair(ObjectNode spec, FieldErrors errors) {
        String ip = Json.textAt(spec, "clusterIP");
        List<String> ips = ServiceShape.clusterIps(spec);
        if (ip.isEmpty()) {
            if (!ips.isEmpty()) {
                errors.invalid(IPS, Json.at(spec, "clusterIPs"), "must be empty when `clusterIP` is not specified");
            }
        } else if (ips.isEmpty()) {
            errors.required(IPS);
        } else if (!ips.getFirst().equals(ip)) {
            errors.invalid(IPS, Json.at(spec, "clusterIPs"), "first value must match `clusterIP`");
        }
    }

    /** Whether all of them are addresses, so that it makes sense to look closer. */
    private static boolean validateEach(ObjectNode spec, @Nullable ObjectNode old, FieldErrors errors) {
        List<String> ips = ServiceShape.clusterIps(spec);
        List<String> known = old == null ? List.of() : ServiceShape.clusterIps(old);
        boolean valid = true;
        for (int i = 0; i < ips.size(); i++) {
            if (i == 0 && ips.getFirst().equals(ServiceShape.NONE)) {
                if (ips.size() > 1) {
                    valid = false;
                    errors.invalid(IPS, Json.at(spec, "clusterIPs"), "'None' must be the first and only value");
                }
                continue;
            }
            valid &= AddressRules.legacyIp(IPS.index(i), ips.get(i), known, errors);
        }
        if (ips.size() > 2) {
            errors.invalid(IPS, Json.at(spec, "clusterIPs"), "may only hold up to 2 values");
        }
        return valid;
    }

    private static void validateTogether(ObjectNode spec, FieldErrors errors) {
        List<String> ips = ServiceShape.clusterIps(spec);
        if (ips.size() > 1) {
            Set<String> kinds = new HashSet<>();
            boolean distinct = ips.stream().allMatch(ip -> kinds.add(ServiceFamilies.familyOf(ip)));
            if (!distinct
                    && ips.stream().map(ServiceFamilies::familyOf).distinct().count() < 2) {
                errors.invalid(IPS, Json.at(spec, "clusterIPs"), "may specify no more than one IP for each IP family");
            }
        }
        if (headless(spec)) {
            return;
        }
        List<String> families = ServiceShape.families(spec);
        for (int i = 0; i < Math.min(ips.size(), families.size()); i++) {
            String family = families.get(i);
            if (KNOWN_FAMILIES.contains(family)
                    && !ServiceFamilies.familyOf(ips.get(i)).equals(family)) {
                errors.invalid(
                        IPS.index(i),
                        ips.get(i),
                        "expected an " + family + " value as indicated by `ipFamilies[" + i + "]`");
            }
        }
    }

    static boolean headless(ObjectNode spec) {
        return ServiceShape.clusterIps(spec).equals(List.of(ServiceShape.NONE));
    }

    /** The first address and family never change; the second comes and goes with the policy. */
    static void validateChange(ObjectNode spec, ObjectNode old, FieldErrors errors) {
        if (!ServiceShape.needsClusterIp(spec) || !ServiceShape.needsClusterIp(old)) {
            return;
        }
        boolean headless = headless(spec);
        boolean wasHeadless = headless(old);
        if (!headless || !wasHeadless) {
            validateIpChange(spec, old, errors);
        }
        if (!headless && !wasHeadless) {
            validateFamilyChange(spec, old, errors);
        }
    }

    private static void validateIpChange(ObjectNode spec, ObjectNode old, FieldErrors errors) {
        List<String> ips = ServiceShape.clusterIps(spec);
        List<String> before = ServiceShape.clusterIps(old);
        if (before.size() == ips.size()) {
            for (int i = 0; i < ips.size(); i++) {
                if (!ips.get(i).equals(before.get(i))) {
                    errors.invalid(IPS.index(i), Json.at(spec, "clusterIPs"), "may not change once set");
                }
            }
            return;
        }
        if (ips.isEmpty()) {
            errors.invalid(IPS.index(0), Json.array(), "primary clusterIP can not be unset");
            return;
        }
        if (!before.isEmpty() && !ips.getFirst().equals(before.getFirst())) {
            errors.invalid(IPS.index(0), Json.at(spec, "clusterIPs"), "may not change once set");
        }
        if (before.size() > ips.size()
                && ips.size() == 1
                && !ServiceShape.familyPolicy(spec).equals(ServiceFamilies.SINGLE)) {
            errors.invalid(
                    POLICY,
                    Json.at(spec, "ipFamilyPolicy"),
                    "must be set to 'SingleStack' when releasing the secondary clusterIP");
        }
    }

    private static void validateFamilyChange(ObjectNode spec, ObjectNode old, FieldErrors errors) {
        List<String> families = ServiceShape.families(spec);
        List<String> before = ServiceShape.families(old);
        if (before.size() == families.size()) {
            for (int i = 0; i < families.size(); i++) {
                if (!families.get(i).equals(before.get(i))) {
                    errors.invalid(FAMILIES.index(0), Json.at(spec, "ipFamilies"), "may not change once set");
                }
            }
            return;
        }
        boolean fewer = before.size() > families.size();
        if (fewer && Nodes.emptyAt(spec, "clusterIPs")) {
            errors.invalid(FAMILIES.index(0), Json.at(spec, "ipFamilies"), "primary ipFamily can not be unset");
        }
        if (!families.isEmpty() && !before.isEmpty() && !families.getFirst().equals(before.getFirst())) {
            errors.invalid(FAMILIES.index(0), Json.at(spec, "clusterIPs"), "may not change once set");
        }
        if (fewer && families.size() == 1 && !ServiceShape.familyPolicy(spec).equals(ServiceFamilies.SINGLE)) {
            errors.invalid(
                    POLICY,
                    Json.at(spec, "ipFamilyPolicy"),
                    "must be set to 'SingleStack' when releasing the secondary ipFamily");
        }
    }
}
