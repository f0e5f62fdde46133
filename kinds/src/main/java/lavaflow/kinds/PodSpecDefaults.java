package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Defaults of a pod's spec wherever it appears: in a pod and in every template.
 *
 * <p>What upstream fills in only for pods themselves is in {@link PodDefaults}, so that templates stay as they were
 * written.
 */
public final class PodSpecDefaults {
    private static final long GRACE_SECONDS = 30;

    private PodSpecDefaults() {}

    /** Fills in a spec in place. */
    public static void apply(ObjectNode spec) {
        applyServiceAccountAlias(spec);
        Nodes.defaultText(spec, "dnsPolicy", "ClusterFirst");
        Nodes.defaultText(spec, "restartPolicy", "Always");
        Nodes.defaultValue(spec, "securityContext", Json.object());
        Nodes.defaultValue(spec, "terminationGracePeriodSeconds", Json.number(GRACE_SECONDS));
        Nodes.defaultText(spec, "schedulerName", "default-scheduler");
        for (ObjectNode volume : Nodes.objects(spec, "volumes")) {
            VolumeDefaults.apply(volume);
        }
        for (String list : PodSpecs.CONTAINER_LISTS) {
            for (ObjectNode container : Nodes.objects(spec, list)) {
                applyContainer(container);
            }
        }
        ResourceLists.roundUp(spec.get("overhead"));
        if (spec.get("resources") instanceof ObjectNode resources) {
            ResourceLists.roundUpRequirements(resources);
        }
    }

    /** The old name of the field always mirrors the new one; alone it still counts. */
    private static void applyServiceAccountAlias(ObjectNode spec) {
        String name = Json.textAt(spec, "serviceAccountName");
        if (name.isEmpty()) {
            name = Json.textAt(spec, "serviceAccount");
        }
        if (name.isEmpty()) {
            spec.remove("serviceAccountName");
            spec.remove("serviceAccount");
        } else {
            spec.put("serviceAccountName", name).put("serviceAccount", name);
        }
    }

    private static void applyContainer(ObjectNode container) {
        if (Json.textAt(container, "imagePullPolicy").isEmpty()) {
            // Taking a name apart is slow, and every write of a pod comes here.
            Nodes.defaultText(
                    container,
                    "imagePullPolicy",
                    ImageReference.parse(Json.textAt(container, "image")).defaultPullPolicy());
        }
        Nodes.defaultText(container, "terminationMessagePath", "/dev/termination-log");
        Nodes.defaultText(container, "terminationMessagePolicy", "File");
        for (ObjectNode port : Nodes.objects(container, "ports")) {
            Nodes.defaultText(port, "protocol", "TCP");
        }
        for (ObjectNode variable : Nodes.objects(container, "env")) {
            if (variable.get("valueFrom") instanceof ObjectNode from) {
                applyFieldRef(from);
                if (from.get("fileKeyRef") instanceof ObjectNode key) {
                    Nodes.defaultValue(key, "optional", BooleanNode.FALSE);
                }
            }
        }
        ResourceLists.roundUpRequirements(Json.ensureObject(container, "resources"));
        for (String probe : PodSpecs.PROBES) {
            if (container.get(probe) instanceof ObjectNode found) {
                applyProbe(found);
            }
        }
        applyHttpGet(Json.at(container, "lifecycle", "postStart", "httpGet"));
        applyHttpGet(Json.at(container, "lifecycle", "preStop", "httpGet"));
    }

    private static void applyProbe(ObjectNode probe) {
        Nodes.defaultNonZero(probe, "timeoutSeconds", 1);
        Nodes.defaultNonZero(probe, "periodSeconds", 10);
        Nodes.defaultNonZero(probe, "successThreshold", 1);
        Nodes.defaultNonZero(probe, "failureThreshold", 3);
        applyHttpGet(probe.get("httpGet"));
        if (probe.get("grpc") instanceof ObjectNode grpc) {
            Nodes.defaultValue(grpc, "service", Json.text(""));
        }
    }

    private static void applyHttpGet(@Nullable JsonNode action) {
        if (action instanceof ObjectNode httpGet) {
            Nodes.defaultText(httpGet, "path", "/");
            Nodes.defaultText(httpGet, "scheme", "HTTP");
        }
    }

    /** Completes the {@code fieldRef} of an environment variable or of a file of the downward API. */
    static void applyFieldRef(ObjectNode holder) {
        if (holder.get("fieldRef") instanceof ObjectNode reference) {
            Nodes.defaultText(reference, "apiVersion", "v1");
        }
    }
}
