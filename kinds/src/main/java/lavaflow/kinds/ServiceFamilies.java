package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Works out {@code ipFamilyPolicy} and {@code ipFamilies} from what was given and which families have pools. */
final class ServiceFamilies {
    static final String SINGLE = "SingleStack";
    static final String PREFER = "PreferDualStack";
    static final String REQUIRE = "RequireDualStack";

    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath POLICY = SPEC.child("ipFamilyPolicy");

    private ServiceFamilies() {}

    static void complete(ObjectNode spec, @Nullable ObjectNode old, List<String> pools, FieldErrors errors) {
        if (!ServiceShape.needsClusterIp(spec) || (old != null && unchangedPreference(spec, old))) {
            return;
        }
        boolean open = Json.textAt(spec, "clusterIP").equals(ServiceShape.NONE) && Nodes.emptyAt(spec, "selector");
        if (!Nodes.has(spec, "ipFamilyPolicy")) {
            String before = old == null ? "" : ServiceShape.familyPolicy(old);
            spec.put("ipFamilyPolicy", before.isEmpty() ? (open ? REQUIRE : SINGLE) : before);
        }
        ServiceClusterIps.validate(spec, old, errors);
        if (errors.isEmpty()) {
            reduce(spec, old, errors);
            familiesFromIps(spec, pools, errors);
        }
        if (!errors.isEmpty()) {
            return;
        }
        if (open) {
            completeOpen(spec, pools);
        } else {
            completeFromPools(spec, pools, errors);
        }
    }

    private static boolean single(ObjectNode spec) {
        return ServiceShape.familyPolicy(spec).equals(SINGLE);
    }

    private static boolean unchangedPreference(ObjectNode spec, ObjectNode old) {
        String before = ServiceShape.familyPolicy(old);
        return ServiceShape.familyPolicy(spec).equals(PREFER)
                && (before.isEmpty() || before.equals(PREFER))
                && Json.textAt(spec, "type").equals(Json.textAt(old, "type"))
                && ServiceShape.clusterIps(spec).equals(ServiceShape.clusterIps(old))
                && ServiceShape.families(spec).equals(ServiceShape.families(old));
    }

    /** Going to a single stack gives up the second address and family; they may not be given up otherwise. */
    private static void reduce(ObjectNode spec, @Nullable ObjectNode old, FieldErrors errors) {
        List<String> ips = ServiceShape.clusterIps(spec);
        List<String> families = ServiceShape.families(spec);
        String policy = ServiceShape.familyPolicy(spec);
        if (old != null && single(spec)) {
            if (ips.size() > 1 && ips.equals(ServiceShape.clusterIps(old))) {
                keepFirst(spec, "clusterIPs", ips);
            }
            if (families.size() > 1 && families.equals(ServiceShape.families(old))) {
                keepFirst(spec, "ipFamilies", families);
            }
        } else if (old != null) {
            if (!ips.isEmpty() && ips.size() < ServiceShape.clusterIps(old).size()) {
                errors.invalid(POLICY, policy, "must be 'SingleStack' to release the secondary cluster IP");
            }
            if (!families.isEmpty()
                    && families.size() < ServiceShape.families(old).size()) {
                errors.invalid(POLICY, policy, "must be 'SingleStack' to release the secondary IP family");
            }
        }
        if (single(spec) && ServiceShape.clusterIps(spec).size() == 2) {
            errors.invalid(
                    POLICY,
                    policy,
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified");
        }
        if (single(spec) && ServiceShape.families(spec).size() == 2) {
            errors.invalid(
                    POLICY,
                    policy,
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
        }
    }

    private static void keepFirst(ObjectNode spec, String field, List<String> values) {
        spec.putArray(field).add(values.getFirst());
    }

    private static void familiesFromIps(ObjectNode spec, List<String> pools, FieldErrors errors) {
        List<String> ips = ServiceShape.clusterIps(spec);
        List<String> families = new ArrayList<>(ServiceShape.families(spec));
        for (int i = 0; i < ips.size() && !ips.get(i).equals(ServiceShape.NONE); i++) {
            String family = familyOf(ips.get(i));
            if (i < families.size()) {
                continue;
            }
            if (pools.contains(family)) {
                families.add(family);
            } else {
                errors.invalid(
                        SPEC.child("clusterIPs").index(i),
                        Json.at(spec, "clusterIPs"),
                        family + " is not configured on this cluster");
            }
        }
        setFamilies(spec, families);
    }

    static String familyOf(String ip) {
        IpAddress address = IpAddress.parse(ip);
        return address == null || address.is4() ? "IPv4" : "IPv6";
    }

    private static void setFamilies(ObjectNode spec, List<String> families) {
        if (!families.isEmpty()) {
            ArrayNode list = spec.putArray("ipFamilies");
            families.forEach(list::add);
        }
    }

    /** Headless and without selector: whoever writes the endpoints decides, so the families need no pools. */
    private static void completeOpen(ObjectNode spec, List<String> pools) {
        List<String> families = new ArrayList<>(ServiceShape.families(spec));
        if (families.isEmpty()) {
            families.add(pools.getFirst());
        }
        if (families.size() < 2 && !single(spec)) {
            families.add(other(families.getFirst()));
        }
        setFamilies(spec, families);
    }

    private static String other(String family) {
        return family.equals("IPv4") ? "IPv6" : "IPv4";
    }

    private static void completeFromPools(ObjectNode spec, List<String> pools, FieldErrors errors) {
        if (ServiceShape.familyPolicy(spec).equals(REQUIRE) && pools.size() < 2) {
            errors.invalid(POLICY, REQUIRE, "this cluster is not configured for dual-stack services");
        }
        List<String> families = new ArrayList<>(ServiceShape.families(spec));
        for (int i = 0; i < families.size(); i++) {
            if (!pools.contains(families.get(i))) {
                errors.invalid(SPEC.child("ipFamilies").index(i), families.get(i), "not configured on this cluster");
            }
        }
        if (!errors.isEmpty()) {
            return;
        }
        if (families.isEmpty()) {
            families.add(pools.getFirst());
        }
        if (families.size() == 1 && !single(spec) && pools.size() == 2) {
            families.add(other(families.getFirst()));
        }
        setFamilies(spec, families);
    }
}
