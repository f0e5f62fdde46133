package lavaflow.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A port of an endpoint slice, or of a subset of Endpoints; null parts are absent. */
record EndpointPort(
        @Nullable String name,
        @Nullable String protocol,
        @Nullable Long port,
        @Nullable String appProtocol) {

    /** The order upstream lists ports in: that of a hash. Sorted by anything else, the same ports would look changed to it. */
    static final Comparator<EndpointPort> IN_SLICES = Comparator.comparing(port -> FnvHash.of(port.inSlices()));

    static final Comparator<EndpointPort> IN_SUBSETS = Comparator.comparing(port -> FnvHash.of(port.inSubsets()));

    static EndpointPort of(JsonNode json) {
        JsonNode number = Json.at(json, "port");
        return new EndpointPort(
                text(json, "name"),
                text(json, "protocol"),
                number == null ? null : number.longValue(),
                text(json, "appProtocol"));
    }

    /** The port a pod answers at for a port of a service. */
    static EndpointPort ofService(JsonNode servicePort, long number) {
        return new EndpointPort(
                Json.textAt(servicePort, "name"),
                Json.textAt(servicePort, "protocol"),
                number,
                text(servicePort, "appProtocol"));
    }

    private static @Nullable String text(JsonNode json, String field) {
        JsonNode found = Json.at(json, field);
        return found == null ? null : found.textValue();
    }

    /** The ports of a slice, in the order of slices. */
    static List<EndpointPort> list(JsonNode ports) {
        List<EndpointPort> list = new ArrayList<>();
        ports.forEach(port -> list.add(of(port)));
        list.sort(IN_SLICES);
        return List.copyOf(list);
    }

    static ArrayNode json(List<EndpointPort> ports) {
        ArrayNode list = Json.array();
        ports.forEach(port -> list.add(port.json()));
        return list;
    }

    private ObjectNode json() {
        ObjectNode json = Json.object();
        put(json, "name", name);
        put(json, "protocol", protocol);
        if (port != null) {
            json.put("port", port);
        }
        put(json, "appProtocol", appProtocol);
        return json;
    }

    private static void put(ObjectNode json, String field, @Nullable String value) {
        if (value != null) {
            json.put(field, value);
        }
    }

    private static String orNil(@Nullable Object value) {
        return value == null ? "<nil>" : value.toString();
    }

    /** As Go prints the port of a slice for hashing. */
    private String inSlices() {
        return "(v1.EndpointPort){Name:(*string)" + orNil(name) + " Protocol:(*v1.Protocol)" + orNil(protocol)
                + " Port:(*int32)" + orNil(port) + " AppProtocol:(*string)" + orNil(appProtocol) + "}";
    }

    /** As Go prints the fields of a port of a subset. */
    String fieldsInSubsets() {
        return "{Name:(string)" + (name == null ? "" : name) + " Port:(int32)" + (port == null ? 0 : port)
                + " Protocol:(v1.Protocol)" + (protocol == null ? "" : protocol) + " AppProtocol:(*string)"
                + orNil(appProtocol) + "}";
    }

    private String inSubsets() {
        return "(v1.EndpointPort)" + fieldsInSubsets();
    }
}
