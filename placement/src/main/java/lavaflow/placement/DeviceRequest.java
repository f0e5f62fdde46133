package lavaflow.placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One request of a ResourceClaim.
 *
 * @param wishes what would do, the best first; just one unless there are alternatives
 */
record DeviceRequest(String name, List<Wish> wishes) {
    /** A device's taint that does not matter to a request. */
    record Toleration(String key, String operator, String value, String effect) {
        boolean tolerates(Device.Taint taint) {
            boolean sameEffect = effect.isEmpty() || effect.equals(taint.effect());
            boolean sameKey = key.isEmpty() || key.equals(taint.key());
            return sameEffect && sameKey && toleratesValue(taint);
        }

        private boolean toleratesValue(Device.Taint taint) {
            return switch (operator) {
                case "", "Equal" -> value.equals(taint.value());
                case "Exists" -> true;
                default -> false;
            };
        }
    }

    /**
     * What is asked for.
     *
     * @param request the name of the request
     * @param alternative its own name among several; empty if it is the only one
     * @param all whether all devices are wanted that are selected, however many
     * @param admin for looking after devices that others have
     * @param amounts how much of what a device has, where several can have it
     * @param tolerated the same as it stands in the claim
     */
    record Wish(
            String request,
            String alternative,
            String className,
            List<String> selectors,
            boolean all,
            String mode,
            long count,
            boolean admin,
            List<Toleration> tolerations,
            JsonNode tolerated,
            Map<String, Quantity> amounts) {
        static Wish of(String request, String alternative, JsonNode json) {
            String mode = Json.textAt(json, "allocationMode");
            List<Toleration> tolerations = new ArrayList<>();
            for (JsonNode each : Json.listAt(json, "tolerations")) {
                tolerations.add(new Toleration(
                        Json.textAt(each, "key"),
                        Json.textAt(each, "operator"),
                        Json.textAt(each, "value"),
                        Json.textAt(each, "effect")));
            }
            Map<String, Quantity> amounts = new LinkedHashMap<>();
            ObjectNode asked = Json.objectAt(json, "capacity", "requests");
            if (asked != null) {
                asked.properties().forEach(each -> amounts.put(each.getKey(), Quantity.fromJson(each.getValue())));
            }
            return new Wish(
                    request,
                    alternative,
                    Json.textAt(json, "deviceClassName"),
                    DeviceClass.selectors(json),
                    mode.equals("All"),
                    mode,
                    Json.longAt(json, 1, "count"),
                    Json.flagAt(json, "adminAccess"),
                    List.copyOf(tolerations),
                    Json.listAt(json, "tolerations"),
                    amounts);
        }

        /** As results and constraints name it. */
        String fullName() {
            return alternative.isEmpty() ? request : request + "/" + alternative;
        }

        /** What errors call it. */
        String ownName() {
            return alternative.isEmpty() ? request : alternative;
        }

        boolean tolerates(Device device) {
            for (Device.Taint taint : device.taints) {
                if (taint.keepsOff() && tolerations.stream().noneMatch(each -> each.tolerates(taint))) {
                    return false;
                }
            }
            return true;
        }
    }

    static DeviceRequest of(JsonNode json) {
        String name = Json.textAt(json, "name");
        List<Wish> wishes = new ArrayList<>();
        JsonNode exactly = Json.at(json, "exactly");
        if (exactly != null) {
            wishes.add(Wish.of(name, "", exactly));
        }
        for (JsonNode each : Json.listAt(json, "firstAvailable")) {
            wishes.add(Wish.of(name, Json.textAt(each, "name"), each));
        }
        return new DeviceRequest(name, List.copyOf(wishes));
    }
}
