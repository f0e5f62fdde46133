package lavaflow.simulation;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Work that somebody wants done: pods that end, together or not.
 *
 * @param scheduler who is to place the pods
 * @param grouped whether they are in a PodGroup of this name
 * @param queue where the group goes
 * @param minMember how many have to run together
 * @param priority the class of pods and group; empty for none
 * @param reserves whether the group says beforehand how much it needs
 * @param seconds how long a pod runs
 * @param hopeless whether it cannot run even where nothing else does
 */
record Order(
        String name,
        String scheduler,
        boolean grouped,
        String queue,
        List<Role> roles,
        int minMember,
        String priority,
        boolean reserves,
        int seconds,
        boolean fails,
        boolean hopeless) {
    static final String MEMBER = "member";
    static final String NAME = "order";

    /**
     * Pods that are alike.
     *
     * @param least how many of them have to run together; 0 where it does not matter
     * @param cpu how many processors each asks for
     */
    record Role(String name, int count, int least, int cpu) {}

    /** One pod that is wanted. */
    record Member(String key, Role role) {}

    List<Member> members() {
        List<Member> members = new ArrayList<>();
        for (Role role : roles) {
            for (int i = 0; i < role.count(); i++) {
                members.add(new Member(role.name() + "-" + i, role));
            }
        }
        return members;
    }

    /** Its PodGroup. */
    ObjectNode group() {
        ObjectNode group = Workspace.named(name);
        group.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "PodGroup");
        ObjectNode spec = group.putObject("spec");
        spec.put("minMember", minMember).put("queue", queue);
        if (!priority.isEmpty()) {
            spec.put("priorityClassName", priority);
        }
        ObjectNode least = Json.object();
        roles.stream().filter(role -> role.least() > 0).forEach(role -> least.put(role.name(), role.least()));
        if (!least.isEmpty()) {
            spec.set("minTaskMember", least);
        }
        if (reserves) {
            // No more than any choice of so many pods needs.
            int smallest = roles.stream().mapToInt(Role::cpu).min().orElse(0);
            spec.putObject("minResources").put("cpu", Integer.toString(minMember * smallest));
        }
        return group;
    }

    /**
     * A pod of it.
     *
     * @param attempt how many there were before in its place
     */
    ObjectNode pod(Member member, int attempt) {
        ObjectNode pod = Workspace.named(name + "-" + member.key() + "-" + attempt);
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        metadata.putObject("labels").put(NAME, name).put(MEMBER, member.key());
        ObjectNode annotations = metadata.putObject("annotations");
        annotations.put(Workspace.SIM + "duration", seconds + "s").put(Workspace.SIM + "stop-delay", "1s");
        if (fails) {
            annotations.put(Workspace.SIM + "fail-probability", "0.2");
        }
        if (grouped) {
            annotations.put("scheduling.k8s.io/group-name", name);
            annotations.put("volcano.sh/task-spec", member.role().name());
        }
        ObjectNode spec = pod.putObject("spec");
        spec.put("schedulerName", scheduler).put("restartPolicy", "Never");
        if (!priority.isEmpty()) {
            spec.put("priorityClassName", priority);
        }
        ObjectNode container = spec.putArray("containers").addObject();
        container.put("name", "main").put("image", "example.com/work:1");
        container
                .putObject("resources")
                .putObject("requests")
                .put("cpu", Integer.toString(member.role().cpu()));
        return pod;
    }
}
