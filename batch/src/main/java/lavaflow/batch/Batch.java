package lavaflow.batch;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The words of Volcano's API that more than one class here needs. */
public final class Batch {
    public static final String GROUP = "scheduling.volcano.sh";
    static final String VERSION = "v1beta1";

    public static final KubeApi.Kind QUEUES = new KubeApi.Kind(GROUP, VERSION, "queues", false);
    public static final KubeApi.Kind POD_GROUPS = new KubeApi.Kind(GROUP, VERSION, "podgroups", true);
    public static final KubeApi.Kind COMMANDS = new KubeApi.Kind("bus.volcano.sh", "v1alpha1", "commands", true);

    static final KubeApi.Kind HYPER_NODES = new KubeApi.Kind("topology.volcano.sh", "v1alpha1", "hypernodes", false);

    /** Above all queues; pods are in those below it. */
    public static final String ROOT = "root";

    /** Where PodGroups go that name no queue. */
    public static final String USUAL_QUEUE = "default";

    /** By which the plugin of kube-scheduler for gangs knows whose a pod is. */
    static final String GROUP_LABEL = "scheduling.x-k8s.io/pod-group";

    static final String GROUP_NAME = "scheduling.k8s.io/group-name";
    static final String GROUP_MIN_MEMBER = "scheduling.volcano.sh/group-min-member";
    static final String QUEUE_NAME = "scheduling.volcano.sh/queue-name";
    static final String CLOSED_BY_PARENT = "volcano.sh/closed-by-parent";

    private Batch() {}

    static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    static String namespace(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace");
    }

    static String uid(ObjectNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    static String annotation(ObjectNode object, String key) {
        return Json.textAt(object, "metadata", "annotations", key);
    }

    static String apiVersion(KubeApi.Kind kind) {
        return kind.group() + "/" + kind.version();
    }

    /** An object with nothing but its type and name. */
    static ObjectNode named(KubeApi.Kind kind, String type, String name) {
        ObjectNode object = Json.object();
        object.put("apiVersion", apiVersion(kind)).put("kind", type);
        object.putObject("metadata").put("name", name);
        return object;
    }
}
