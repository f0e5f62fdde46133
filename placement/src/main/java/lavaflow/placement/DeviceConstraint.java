package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** What the devices of a claim must have in common, or must not: the value of an attribute. Remembers those chosen until now. */
final class DeviceConstraint {
    private final String attribute;
    private final boolean distinct;
    /** The requests it is about; empty for all. */
    private final Set<String> requests = new HashSet<>();

    private final List<JsonNode> values = new ArrayList<>();

    private DeviceConstraint(String attribute, boolean distinct, JsonNode json) {
        this.attribute = attribute;
        this.distinct = distinct;
        Json.listAt(json, "requests").forEach(each -> requests.add(each.asText()));
    }

    /** Those of a claim. */
    static List<DeviceConstraint> of(DeviceClaim claim) throws DeviceTrouble {
        List<DeviceConstraint> all = new ArrayList<>();
        for (JsonNode json : claim.constraints()) {
            String match = Json.textAt(json, "matchAttribute");
            String distinct = Json.textAt(json, "distinctAttribute");
            if (match.isEmpty() && distinct.isEmpty()) {
                throw new DeviceTrouble("claim " + claim.place() + ", constraint #" + all.size()
                        + ": empty constraint (unsupported constraint type?)");
            }
            all.add(new DeviceConstraint(match.isEmpty() ? distinct : match, match.isEmpty(), json));
        }
        return all;
    }

    private boolean concerns(DeviceRequest.Wish wish) {
        return requests.isEmpty() || requests.contains(wish.request()) || requests.contains(wish.fullName());
    }

    /** Whether a device goes with those chosen before; then it is one of them. */
    boolean add(DeviceRequest.Wish wish, Device device) {
        if (!concerns(wish)) {
            return true;
        }
        JsonNode value = device.attribute(attribute);
        if (value == null) {
            return false;
        }
        boolean fits = values.isEmpty()
                || (distinct ? !values.contains(value) : values.getFirst().equals(value));
        if (fits) {
            values.add(value);
        }
        return fits;
    }

    /** Takes back what was added last. */
    void removeLast(DeviceRequest.Wish wish) {
        if (concerns(wish)) {
            values.removeLast();
        }
    }
}
