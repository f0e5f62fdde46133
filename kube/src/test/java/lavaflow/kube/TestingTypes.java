package lavaflow.kube;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Structs written as text, one a line: {@code Name: field type mark mark; field type}.
 *
 * <p>Types: {@code string}, {@code int32} and so on, {@code []T} lists, {@code {}T} maps, other words are structs.
 * Marks: {@code merge}, {@code merge=key}, {@code retain} (strategic merge), {@code set}, {@code map=key,key},
 * {@code atomic}, {@code default=json} (server-side apply). {@code Name!} is an atomic struct, {@code Name*} an open one.
 */
final class TestingTypes implements Types {
    /** A workload with lists of every kind, after the model of a Deployment. */
    static final TestingTypes WORKLOADS = new TestingTypes("""
            Deployment: apiVersion string; kind string; metadata ObjectMeta; spec DeploymentSpec; status Status
            ObjectMeta: name string; namespace string; uid string; resourceVersion string; generation int64; creationTimestamp TIME; labels {}string; annotations {}string; finalizers []string merge set; ownerReferences []OwnerReference merge=uid map=uid; managedFields []ManagedFields
            OwnerReference!: uid string; name string
            ManagedFields: manager string; fieldsV1 FIELDS_V1
            DeploymentSpec: replicas int32; paused bool; selector Selector; strategy Strategy retain; template Template; schema {}Property; volumeClaims []Volume merge
            Property: type string; properties {}Property
            Selector!: matchLabels {}string
            Strategy: type string; rollingUpdate RollingUpdate
            RollingUpdate: maxSurge INT_OR_STRING
            Template: metadata ObjectMeta; spec PodSpec
            PodSpec: containers []Container merge=name map=name; initContainers []Container merge=name map=name; volumes []Volume merge=name retain map=name; tolerations []Toleration; nodeSelector {}string atomic; dnsPolicy string; extra RAW; free Free
            Container: name string; image string; args []string; env []Env merge=name map=name; ports []Port merge=containerPort map=containerPort,protocol; limits {}QUANTITY
            Env: name string; value string
            Port: containerPort int32; protocol string default="TCP"; name string
            Volume: name string; emptyDir Empty; configMap Named
            Empty:
            Named: name string
            Toleration: key string
            Free*:
            Status: replicas int32; conditions []Condition merge=type map=type
            Condition: type string; status string
            """);

    /** A custom resource with every kind of list and map. */
    static final TestingTypes THINGS = new TestingTypes("""
            Thing: apiVersion string; kind string; metadata ObjectMeta; spec Spec; status Status
            ObjectMeta: name string; namespace string; uid string; resourceVersion string; generation int64; creationTimestamp TIME; deletionTimestamp TIME; deletionGracePeriodSeconds int64; labels {}string; annotations {}string; finalizers []string set; ownerReferences []OwnerReference map=uid; managedFields []RAW
            OwnerReference!: uid string; name string
            Spec: tags []string set; nums []int64 set; ports []Port map=port,protocol; items []Item map=name; list []int64; whole {}string atomic; wholeStruct Whole; map {}string; nested Nested; free Free; any INT_OR_STRING; deep {}Deep; flag bool; ratio float64
            Port: port int64; protocol string default="TCP"; name string; opts {}string
            Item: name string; v int64; tags []string set; sub Sub
            Sub: a int64; b int64
            Whole!: a int64; b int64
            Nested: a int64; b Inner
            Inner: c string; d string
            Free*:
            Deep: x int64; l []Named map=name
            Named: name string; q int64
            Status: n int64; conditions []Condition map=type
            Condition: type string; status string
            """);

    private final Map<String, Struct> structs = new HashMap<>();

    TestingTypes(String text) {
        text.lines().filter(line -> !line.isBlank()).forEach(this::define);
    }

    @Override
    public Struct struct(String name) {
        return structs.get(name);
    }

    private void define(String line) {
        int colon = line.indexOf(':');
        String head = line.substring(0, colon);
        String name = head.replaceAll("[!*]", "");
        List<Struct.Field> fields = new ArrayList<>();
        for (String field : line.substring(colon + 1).split(";", -1)) {
            if (!field.isBlank()) {
                fields.add(field(field.strip().split(" ", -1)));
            }
        }
        structs.put(name, new Struct(name, name, fields, head.contains("!"), head.contains("*")));
    }

    private static Struct.Field field(String[] words) {
        Map<String, String> marks = new HashMap<>();
        for (int i = 2; i < words.length; i++) {
            String[] mark = words[i].split("=", 2);
            marks.put(mark[0], mark.length == 1 ? "" : mark[1]);
        }
        String mergeKey = marks.getOrDefault("merge", "");
        JsonNode value = marks.containsKey("default") ? Json.parse(marks.get("default")) : null;
        return new Struct.Field(
                words[0],
                type(words[1]),
                0,
                List.of(),
                true,
                true,
                false,
                false,
                marks.containsKey("merge"),
                marks.containsKey("retain"),
                mergeKey.isEmpty() ? null : mergeKey,
                marks.containsKey("map")
                        ? Struct.ListKind.MAP
                        : marks.containsKey("set") ? Struct.ListKind.SET : Struct.ListKind.ATOMIC,
                marks.containsKey("map") ? List.of(marks.get("map").split(",", -1)) : List.of(),
                marks.containsKey("atomic"),
                value);
    }

    private static Type type(String word) {
        if (word.startsWith("[]")) {
            return new Type.ListOf(type(word.substring(2)));
        }
        if (word.startsWith("{}")) {
            return new Type.MapOf(type(word.substring(2)));
        }
        for (Type.Scalar scalar : Type.Scalar.values()) {
            if (scalar.name().equals(word) || scalar.goName().equals(word)) {
                return scalar;
            }
        }
        return new Type.Ref(word);
    }
}
