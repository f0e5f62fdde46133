package lavaflow.kubelet;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** What a pod tells its own containers about itself. */
final class DownwardFields {
    private DownwardFields() {}

    /**
     * A field of the pod, as a variable names it.
     *
     * @param pod with a status that has its addresses
     */
    static String field(PodView pod, String path) throws ConfigurationException {
        int bracket = path.indexOf("['");
        if (bracket > 0 && path.endsWith("']")) {
            String key = path.substring(bracket + 2, path.length() - 2);
            String map = path.substring(0, bracket);
            if (map.equals("metadata.labels") || map.equals("metadata.annotations")) {
                return Json.textAt(pod.object(), "metadata", map.substring("metadata.".length()), key);
            }
        }
        return switch (path) {
            case "metadata.name" -> pod.name();
            case "metadata.namespace" -> pod.namespace();
            case "metadata.uid" -> pod.uid();
            case "spec.nodeName" -> Json.textAt(pod.object(), "spec", "nodeName");
            case "spec.serviceAccountName" -> Json.textAt(pod.object(), "spec", "serviceAccountName");
            case "status.hostIP" -> Json.textAt(pod.object(), "status", "hostIP");
            case "status.podIP" -> Json.textAt(pod.object(), "status", "podIP");
            case "status.hostIPs" -> addresses(pod, "hostIPs");
            case "status.podIPs" -> addresses(pod, "podIPs");
            default -> throw new ConfigurationException("unsupported fieldPath: " + path);
        };
    }

    private static String addresses(PodView pod, String field) {
        StringBuilder all = new StringBuilder();
        for (JsonNode each : Json.listAt(pod.object(), "status", field)) {
            all.append(all.isEmpty() ? "" : ",").append(Json.textAt(each, "ip"));
        }
        return all.toString();
    }

    /**
     * What a container may use or has asked for, in units of the divisor, rounded up.
     *
     * @param allocatable of the node, which counts where neither a container nor its pod has a limit
     */
    static String resource(PodView pod, String container, JsonNode reference, @Nullable JsonNode allocatable)
            throws ConfigurationException {
        String named = Json.textAt(reference, "containerName");
        PodView.Container about = pod.find(named.isEmpty() ? container : named);
        if (about == null) {
            throw new ConfigurationException("container " + named + " not found");
        }
        String resource = Json.textAt(reference, "resource");
        int dot = resource.indexOf('.');
        String list = resource.substring(0, Math.max(dot, 0));
        String name = resource.substring(dot + 1);
        if (!list.equals("limits") && !list.equals("requests")) {
            throw new ConfigurationException("unsupported container resource : " + resource);
        }
        Map<String, Long> own = PodRequests.amounts(Json.at(about.spec(), "resources", list));
        long amount = own.getOrDefault(name, 0L);
        if (amount == 0 && list.equals("limits")) {
            amount = mostOf(pod, name, PodRequests.amounts(allocatable).getOrDefault(name, 0L));
        }
        return inUnits(amount, name.equals(PodRequests.CPU), divisor(reference));
    }

    /** A container without a limit may use what its pod may, and no more than there is. */
    private static long mostOf(PodView pod, String name, long allocatable) {
        Long limit = PodRequests.amounts(Json.at(pod.object(), "spec", "resources", "limits"))
                .get(name);
        return limit == null || limit > allocatable ? allocatable : limit;
    }

    private static Quantity divisor(JsonNode reference) {
        JsonNode written = Json.at(reference, "divisor");
        try {
            Quantity divisor = written == null ? Quantity.ZERO : Quantity.fromJson(written);
            return divisor.isZero() ? Quantity.of(1, Quantity.Format.DECIMAL_SI) : divisor;
        } catch (MalformedException e) {
            return Quantity.of(1, Quantity.Format.DECIMAL_SI);
        }
    }

    private static String inUnits(long amount, boolean milli, Quantity divisor) {
        BigDecimal by = BigDecimal.valueOf(milli ? divisor.milliValue() : divisor.value());
        return BigDecimal.valueOf(amount).divide(by, 0, RoundingMode.CEILING).toPlainString();
    }
}
