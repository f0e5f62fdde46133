package lavaflow.training;

import java.util.List;
import java.util.Locale;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Whose PodGroups make the pods of a job one gang.
 *
 * @param scheduler the name pods ask for it by; empty where they ask themselves
 */
public record Gang(Sort sort, String scheduler) {
    static final KubeApi.Kind VOLCANO_GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    static final KubeApi.Kind PLUGIN_GROUPS = new KubeApi.Kind("scheduling.x-k8s.io", "v1alpha1", "podgroups", true);

    /** The kinds of PodGroups there are. */
    public static final List<KubeApi.Kind> KINDS = List.of(VOLCANO_GROUPS, PLUGIN_GROUPS);

    public static final String GROUP_NAME = "scheduling.k8s.io/group-name";
    private static final String TASK = "volcano.sh/task-spec";
    private static final String PLUGIN_LABEL = "scheduling.x-k8s.io/pod-group";

    /** What PodGroups look like. */
    public enum Sort {
        NONE,
        VOLCANO,
        PLUGINS
    }

    /** Pods go their own ways. */
    public static final Gang NONE = new Gang(Sort.NONE, "");

    public static final Gang VOLCANO = new Gang(Sort.VOLCANO, "volcano");

    /** As {@code --gang-scheduler-name} names it; every name that is not known is a scheduler with the plugins of kube-scheduler. */
    public static Gang named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "", "none" -> NONE;
            case "volcano" -> VOLCANO;
            case "kube-batch" -> new Gang(Sort.VOLCANO, "kube-batch");
            default -> new Gang(Sort.PLUGINS, name);
        };
    }

    public boolean isOn() {
        return sort != Sort.NONE;
    }

    public KubeApi.Kind groups() {
        return sort == Sort.PLUGINS ? PLUGIN_GROUPS : VOLCANO_GROUPS;
    }

    /**
     * What this means for one job. Jobs whose pods all name groups of their users' making, or another scheduler, are no gang of
     * ours: a group of ours would wait for pods that never come to it.
     */
    Gang of(TrainingJob job) {
        if (!isOn() || job.replicas().isEmpty()) {
            return NONE;
        }
        String whole = Json.textAt(job.object(), "spec", "schedulerName");
        boolean elsewhere = job.replicas().stream().allMatch(replica -> {
            String said = Json.textAt(replica.template(), "spec", "schedulerName");
            String group = Json.textAt(replica.template(), "metadata", "annotations", GROUP_NAME);
            String name = said.isEmpty() ? whole : said;
            return (!name.isEmpty() && !name.equals(scheduler)) || (!group.isEmpty() && !group.equals(job.name()));
        });
        return elsewhere ? NONE : this;
    }

    /** Makes a pod, or a template, a member of its job's group. */
    public void decorate(ObjectNode pod, String job, String task) {
        if (!isOn()) {
            return;
        }
        ObjectNode spec = Json.ensureObject(pod, "spec");
        if (Json.textAt(spec, "schedulerName").isEmpty() && !scheduler.isEmpty()) {
            spec.put("schedulerName", scheduler);
        }
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        if (sort == Sort.PLUGINS) {
            Json.ensureObject(metadata, "labels").put(PLUGIN_LABEL, job);
            return;
        }
        ObjectNode annotations = Json.ensureObject(metadata, "annotations");
        if (Json.textAt(annotations, GROUP_NAME).isEmpty()) {
            annotations.put(GROUP_NAME, job);
        }
        if (!task.isEmpty()) {
            annotations.put(TASK, task);
        }
    }

    /** Whether a group lets its pods come. Groups of the plugins wait for nothing. */
    boolean admits(ObjectNode group) {
        String phase = Json.textAt(group, "status", "phase");
        return sort == Sort.PLUGINS || !(phase.isEmpty() || phase.equals("Pending"));
    }
}
