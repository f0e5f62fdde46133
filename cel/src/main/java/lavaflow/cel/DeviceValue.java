package lavaflow.cel;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A device of a ResourceSlice as selectors see it. Does not change. */
public final class DeviceValue {
    private final Object value;
    private final String problem;

    private DeviceValue(Object value, String problem) {
        this.value = value;
        this.problem = problem;
    }

    /**
     * Reads a device; what is wrong with one of its attributes is told when a selector asks.
     *
     * @param driver the domain of names that have none
     */
    public static DeviceValue of(String driver, JsonNode device) {
        try {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("driver", driver);
            fields.put("attributes", domains(driver, Json.objectAt(device, "attributes"), DeviceValue::attribute));
            fields.put("capacity", domains(driver, Json.objectAt(device, "capacity"), DeviceValue::capacity));
            fields.put("allowMultipleAllocations", Json.flagAt(device, "allowMultipleAllocations"));
            return new DeviceValue(CelValues.object(DeviceExpression.type(), fields), "");
        } catch (CelException wrong) {
            return new DeviceValue(CelValues.NULL, wrong.text());
        }
    }

    Object value() throws DeviceExpression.Failure {
        if (!problem.isEmpty()) {
            throw new DeviceExpression.Failure(problem);
        }
        return value;
    }

    /** How one attribute or capacity is read. */
    private interface Reading {
        Object of(String name, JsonNode json);
    }

    private static CelMap domains(String driver, @Nullable ObjectNode named, Reading reading) {
        Map<Object, Map<Object, Object>> domains = new LinkedHashMap<>();
        if (named != null) {
            named.properties().forEach(each -> {
                String name = each.getKey();
                int slash = name.indexOf('/');
                String domain = slash < 0 ? driver : name.substring(0, slash);
                domains.computeIfAbsent(domain, _ -> new LinkedHashMap<>())
                        .put(name.substring(slash + 1), reading.of(name, each.getValue()));
            });
        }
        Map<Object, Object> all = new LinkedHashMap<>();
        domains.forEach((domain, values) -> all.put(domain, new Maps.Values(values)));
        return new Domains(all);
    }

    private static Object attribute(String name, JsonNode json) {
        JsonNode number = Json.at(json, "int");
        if (number != null) {
            return number.asLong();
        }
        JsonNode flag = Json.at(json, "bool");
        if (flag != null) {
            return flag.asBoolean();
        }
        JsonNode text = Json.at(json, "string");
        if (text != null) {
            return text.asText();
        }
        JsonNode version = Json.at(json, "version");
        if (version == null) {
            throw new CelException("attribute " + name + ": unsupported attribute value");
        }
        try {
            return SemanticVersion.parse(version.asText());
        } catch (CelException wrong) {
            throw new CelException("attribute " + name + ": parse semantic version: " + wrong.text());
        }
    }

    private static Object capacity(String name, JsonNode json) {
        try {
            return new QuantityFunctions.QuantityValue(Quantity.parse(Json.textAt(json, "value")));
        } catch (MalformedException wrong) {
            throw new CelException("capacity " + name + ": " + wrong.getMessage());
        }
    }

    /** By domain. One that a device has nothing of is empty rather than missing, so that only the name is an error. */
    private record Domains(Map<Object, Object> known) implements CelMap {
        private static final CelMap NOTHING = new Maps.Values(Map.of());

        @Override
        public int size() {
            return known.size();
        }

        @Override
        public Object find(Object key) {
            Object found = known.get(key);
            return found == null ? NOTHING : found;
        }

        @Override
        public boolean has(Object key) {
            return known.containsKey(key);
        }

        @Override
        public Iterator<Object> keys() {
            return Collections.unmodifiableSet(known.keySet()).iterator();
        }
    }
}
