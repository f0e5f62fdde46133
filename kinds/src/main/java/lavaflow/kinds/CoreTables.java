package lavaflow.kinds;

import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Tables of pods, nodes, namespaces, events and what configures them. */
final class CoreTables {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String[] EVENT_COLUMNS = {
        "Last Seen",
        "Type",
        "Reason",
        "Object",
        "Subobject*",
        "Source*",
        "Message",
        "First Seen*",
        "Count*",
        "Name/name*"
    };

    private CoreTables() {}

    static void register() {
        Tables.register("/pods", PodTable.FILLING, PodTable.COLUMNS);
        Tables.register(
                "/podtemplates",
                cells -> cells.name().containers("template", "spec").labelsAt("template", "metadata", "labels"),
                "Name/name",
                "Containers",
                "Images",
                "Pod Labels");
        Tables.register(
                "/nodes",
                CoreTables::node,
                "Name/name",
                "Status",
                "Roles",
                "Age",
                "Version",
                "Internal-IP*",
                "External-IP*",
                "OS-Image*",
                "Kernel-Version*",
                "Container-Runtime*");
        Tables.register("/events", CoreTables::event, EVENT_COLUMNS);
        Tables.register("events.k8s.io/events", CoreTables::event, EVENT_COLUMNS);
        Tables.register(
                "/namespaces", cells -> cells.name().textAt("status", "phase").age(), "Name/name", "Status", "Age");
        Tables.register(
                "/configmaps",
                cells -> cells.name()
                        .number(cells.count("data") + cells.count("binaryData"))
                        .age(),
                "Name/name",
                "Data",
                "Age");
        Tables.register(
                "/secrets",
                cells -> cells.name().textAt("type").countAt("data").age(),
                "Name/name",
                "Type",
                "Data",
                "Age");
        Tables.register("/serviceaccounts", cells -> cells.name().age(), "Name/name", "Age");
        Tables.register("/resourcequotas", CoreTables::quota, "Name/name", "Request", "Limit", "Age");
        Tables.register("/componentstatuses", CoreTables::component, "Name/name", "Status", "Message", "Error");
    }

    private static void node(Cells cells) {
        JsonNode ready = lastCondition(cells, "Ready");
        String status = ready == null ? "Unknown" : Json.textAt(ready, "status").equals("True") ? "Ready" : "NotReady";
        boolean cordoned = Json.flagAt(cells.object(), "spec", "unschedulable");
        String architecture = cells.at("status", "nodeInfo", "architecture");
        String kernel = cells.at("status", "nodeInfo", "kernelVersion");
        cells.name()
                .text(cordoned ? status + ",SchedulingDisabled" : status)
                .text(roles(cells))
                .age()
                .textAt("status", "nodeInfo", "kubeletVersion")
                .text(address(cells, "InternalIP"))
                .text(address(cells, "ExternalIP"))
                .textUnlessEmpty(Cells.UNKNOWN, "status", "nodeInfo", "osImage")
                .text((kernel.isEmpty() ? Cells.UNKNOWN : kernel)
                        + (architecture.isEmpty() ? "" : " (" + architecture + ")"))
                .textUnlessEmpty(Cells.UNKNOWN, "status", "nodeInfo", "containerRuntimeVersion");
    }

    private static @Nullable JsonNode lastCondition(Cells cells, String type) {
        JsonNode last = null;
        for (JsonNode condition : Json.listAt(cells.object(), "status", "conditions")) {
            last = Json.textAt(condition, "type").equals(type) ? condition : last;
        }
        return last;
    }

    private static String roles(Cells cells) {
        Set<String> roles = new TreeSet<>();
        JsonNode labels = Json.at(cells.object(), "metadata", "labels");
        if (labels != null) {
            labels.properties().forEach(label -> {
                String key = label.getKey();
                String value = label.getValue().asText();
                if (key.startsWith(ROLE_PREFIX) && key.length() > ROLE_PREFIX.length()) {
                    roles.add(key.substring(ROLE_PREFIX.length()));
                } else if (key.equals("kubernetes.io/role") && !value.isEmpty()) {
                    roles.add(value);
                }
            });
        }
        return roles.isEmpty() ? Cells.NONE : String.join(",", roles);
    }

    private static String address(Cells cells, String type) {
        JsonNode address = Cells.condition(Json.listAt(cells.object(), "status", "addresses"), type);
        return address == null ? Cells.NONE : Json.textAt(address, "address");
    }

    /** Reads both forms of events: the old group's names first, then the new one's. */
    private static void event(Cells cells) {
        ObjectNode event = cells.object();
        String first = cells.ageOf(either(event, "firstTimestamp", "deprecatedFirstTimestamp", "eventTime"));
        String lastTime = either(event, "lastTimestamp", "deprecatedLastTimestamp");
        String last = lastTime.isEmpty() ? first : cells.ageOf(lastTime);
        long count = Json.longAt(event, Json.longAt(event, 0, "deprecatedCount"), "count");
        ObjectNode series = Json.objectAt(event, "series");
        if (series != null) {
            last = cells.ageOf(Json.textAt(series, "lastObservedTime"));
            count = Json.longAt(series, 0, "count");
        } else if (count == 0) {
            count = 1;
        }
        JsonNode target = event.has("regarding") ? event.get("regarding") : event.get("involvedObject");
        String name = Json.textAt(target, "name");
        String kind = Json.textAt(target, "kind").toLowerCase(Locale.ROOT);
        cells.text(last)
                .textAt("type")
                .textAt("reason")
                .text(name.isEmpty() ? kind : kind + "/" + name)
                .text(Json.textAt(target, "fieldPath"))
                .text(source(event))
                .text(either(event, "message", "note").strip())
                .text(first)
                .number(count)
                .name();
    }

    private static String either(ObjectNode object, String... fields) {
        for (String field : fields) {
            String text = Json.textAt(object, field);
            if (!text.isEmpty()) {
                return text;
            }
        }
        return "";
    }

    private static String source(ObjectNode event) {
        JsonNode source = event.has("deprecatedSource") ? event.get("deprecatedSource") : event.get("source");
        String component = Json.textAt(source, "component");
        String host = Json.textAt(source, "host");
        String who = component.isEmpty() ? either(event, "reportingComponent", "reportingController") : component;
        String where = host.isEmpty() ? Json.textAt(event, "reportingInstance") : host;
        return where.isEmpty() ? who : who + ", " + where;
    }

    private static void quota(Cells cells) {
        StringBuilder requests = new StringBuilder();
        StringBuilder limits = new StringBuilder();
        JsonNode used = Json.at(cells.object(), "status", "used");
        TreeMap<String, JsonNode> hard = new TreeMap<>();
        JsonNode given = Json.at(cells.object(), "status", "hard");
        if (given != null) {
            given.properties().forEach(limit -> hard.put(limit.getKey(), limit.getValue()));
        }
        hard.forEach((resource, limit) -> {
            StringBuilder column = resource.startsWith("limits.") ? limits : requests;
            JsonNode use = Json.at(used, resource);
            column.append(column.isEmpty() ? "" : ", ")
                    .append(resource)
                    .append(": ")
                    .append(use == null ? "0" : use.asText())
                    .append('/')
                    .append(limit.asText());
        });
        cells.name().text(requests.toString()).text(limits.toString()).age();
    }

    private static void component(Cells cells) {
        JsonNode healthy = Cells.condition(Json.listAt(cells.object(), "conditions"), "Healthy");
        String status =
                healthy == null ? "Unknown" : Json.textAt(healthy, "status").equals("True") ? "Healthy" : "Unhealthy";
        cells.name().text(status).text(Json.textAt(healthy, "message")).text(Json.textAt(healthy, "error"));
    }
}
