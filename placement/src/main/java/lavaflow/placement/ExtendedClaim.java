package lavaflow.placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The claim a pod needs because its containers ask for resources that classes of devices stand for. It is made once the pod is to be bound.
 *
 * @param claim as one without a name of its own
 * @param requests the same in the form of the API
 * @param mappings which containers get what of it, likewise
 */
public record ExtendedClaim(DeviceClaim claim, ArrayNode requests, ArrayNode mappings) {
    /** Says in a claim that it was made for this. */
    public static final String ANNOTATION = "resource.kubernetes.io/extended-resource-claim";
    /** With the name of a class behind it the resource that every class stands for. */
    static final String IMPLICIT = "deviceclass.resource.kubernetes.io/";

    private static final String NAME = "<extended-resources>";

    /** What a container asks for of one resource. */
    private record Request(String name, String className, long count) {
        ObjectNode json() {
            ObjectNode json = Json.object().put("name", name);
            json.putObject("exactly")
                    .put("deviceClassName", className)
                    .put("allocationMode", "ExactCount")
                    .put("count", count);
            return json;
        }
    }

    /** Which request a container uses. */
    private record Mapping(String container, String resource, String request) {}

    /** What stands for a claim that has not been made yet. */
    static String uid(String pod) {
        return "extended/" + pod;
    }

    /** @param classes by the resource they stand for; which of a pod's resources its node has as devices only */
    static ExtendedClaim of(ScheduledPod pod, PodClass type, Map<String, DeviceClass> classes) {
        Plan plan = new Plan(type.spec());
        new TreeMap<>(classes).forEach((resource, each) -> plan.add(resource, each.name()));
        ArrayNode requests = Json.array();
        new TreeMap<>(plan.requests).values().forEach(each -> requests.add(each.json()));
        ArrayNode mappings = Json.array();
        for (Mapping each : plan.mappings) {
            mappings.addObject()
                    .put("containerName", each.container)
                    .put("resourceName", each.resource)
                    .put("requestName", each.request);
        }
        List<DeviceRequest> parsed = new ArrayList<>();
        requests.forEach(each -> parsed.add(DeviceRequest.of(each)));
        DeviceClaim claim = new DeviceClaim(
                type.namespace,
                NAME,
                uid(pod.uid()),
                0,
                false,
                pod.uid(),
                true,
                List.copyOf(parsed),
                List.of(),
                List.of(),
                null,
                DeviceBinding.of(Json.object()),
                List.of());
        return new ExtendedClaim(claim, requests, mappings);
    }

    /** Containers that run at different times use the same devices. */
    private static final class Plan {
        private final List<JsonNode> containers = new ArrayList<>();
        private final int init;
        private final Map<String, Request> requests = new LinkedHashMap<>();
        private final List<Mapping> mappings = new ArrayList<>();

        Plan(JsonNode spec) {
            Json.listAt(spec, "initContainers").forEach(containers::add);
            init = containers.size();
            Json.listAt(spec, "containers").forEach(containers::add);
        }

        private boolean isBrief(int number) {
            return number < init
                    && !Json.textAt(containers.get(number), "restartPolicy").equals("Always");
        }

        void add(String resource, String className) {
            Map<Integer, Request> lasting = new TreeMap<>();
            List<Mapping> ofBrief = new ArrayList<>();
            Set<String> briefNames = new TreeSet<>();
            Request largest = null;
            for (int i = 0; i < containers.size(); i++) {
                Request own = isBrief(i) ? null : request(i, resource, className, 0);
                if (own != null) {
                    lasting.put(i, own);
                    mappings.add(mapping(i, resource, own));
                }
            }
            for (int i = 0; i < init; i++) {
                Request own = isBrief(i) ? brief(i, resource, className, lasting, ofBrief) : null;
                if (own != null) {
                    briefNames.add(own.name);
                    largest = largest == null || largest.count < own.count ? own : largest;
                }
            }
            if (largest != null) {
                requests.put(largest.name, largest);
            }
            lasting.values().forEach(each -> requests.put(each.name, each));
            String shared = largest == null ? "" : largest.name;
            for (Mapping each : ofBrief) {
                mappings.add(briefNames.contains(each.request) ? new Mapping(each.container, resource, shared) : each);
            }
        }

        /** One that ends before others begin uses theirs; what it needs beyond that is a request of its own. */
        private @Nullable Request brief(
                int number, String resource, String className, Map<Integer, Request> lasting, List<Mapping> told) {
            long wanted = amount(number, resource);
            long has = 0;
            for (Map.Entry<Integer, Request> each : lasting.entrySet()) {
                if (each.getKey() >= number && has < wanted) {
                    has += each.getValue().count;
                    told.add(mapping(number, resource, each.getValue()));
                }
            }
            Request own = has < wanted ? request(number, resource, className, has) : null;
            if (own != null) {
                told.add(mapping(number, resource, own));
            }
            return own;
        }

        private @Nullable Request request(int number, String resource, String className, long has) {
            long wanted = amount(number, resource);
            if (wanted == 0) {
                return null;
            }
            ObjectNode asked = Json.objectAt(containers.get(number), "resources", "requests");
            List<String> names = new ArrayList<>();
            if (asked != null) {
                asked.properties().forEach(each -> names.add(each.getKey()));
            }
            names.sort(null);
            String name = "container-" + number + "-request-" + names.indexOf(resource);
            return new Request(name, className, wanted - has);
        }

        private long amount(int number, String resource) {
            return PodRequests.amounts(Json.at(containers.get(number), "resources", "requests"))
                    .getOrDefault(resource, 0L);
        }

        private Mapping mapping(int number, String resource, Request request) {
            return new Mapping(Json.textAt(containers.get(number), "name"), resource, request.name);
        }
    }
}
