package lavaflow.simulation;

import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.batch.QueueState;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Queues that come, get other weights and limits, and are closed and opened. */
final class QueueIdeas implements Ideas {
    private static final int MANY = 5;

    private final Workspace workspace;
    private final GangPolicy policy;
    private final Orders orders;
    private boolean insisting;

    /**
     * Where a gang can go.
     *
     * @param limit how many processors it and all above it may have
     */
    record Place(String queue, int limit) {}

    QueueIdeas(Workspace workspace, GangPolicy policy, Orders orders) {
        this.workspace = workspace;
        this.policy = policy;
        this.orders = orders;
    }

    @Override
    public void begin() {
        make();
        make();
    }

    @Override
    public List<Runnable> usual() {
        return List.of(this::make, this::change, this::change, () -> tell("CloseQueue"), () -> tell("OpenQueue"));
    }

    private List<ObjectNode> queues() {
        return workspace.clusterWide(Batch.QUEUES);
    }

    /** An open queue without others below it. */
    Place somewhere() {
        List<ObjectNode> all = queues();
        List<ObjectNode> leaves = all.stream()
                .filter(each -> QueueState.of(each) == QueueState.OPEN && !isParent(each, all))
                .toList();
        if (leaves.isEmpty()) {
            return new Place(Batch.USUAL_QUEUE, Integer.MAX_VALUE);
        }
        ObjectNode queue = workspace.oneOf(leaves);
        return new Place(Workspace.name(queue), limit(queue, all));
    }

    private static boolean isParent(ObjectNode queue, List<ObjectNode> all) {
        return Workspace.name(queue).equals(Batch.ROOT)
                || all.stream()
                        .anyMatch(each -> Json.textAt(each, "spec", "parent").equals(Workspace.name(queue)));
    }

    /** What a queue and all above it may have of processors. */
    private static int limit(ObjectNode queue, List<ObjectNode> all) {
        int own = own(queue);
        String parent = Json.textAt(queue, "spec", "parent");
        return all.stream()
                .filter(each -> Workspace.name(each).equals(parent))
                .findFirst()
                .map(each -> Math.min(own, limit(each, all)))
                .orElse(own);
    }

    private static int own(ObjectNode queue) {
        String limit = Json.textAt(queue, "spec", "capability", "cpu");
        return limit.isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(limit);
    }

    private void make() {
        List<ObjectNode> all = queues();
        if (all.size() > MANY) {
            return;
        }
        ObjectNode queue = Workspace.named(workspace.newName("queue"));
        queue.put("apiVersion", Batch.GROUP + "/v1beta1").put("kind", "Queue");
        ObjectNode spec = queue.putObject("spec");
        spec.put("weight", 1 + workspace.any(4)).put("reclaimable", !workspace.oneIn(4));
        int limit = Integer.MAX_VALUE;
        if (policy.hierarchical() && workspace.oneIn(2)) {
            List<ObjectNode> empty = all.stream()
                    .filter(each -> Workspace.name(each).startsWith("queue")
                            && Json.textAt(each, "spec", "parent").isEmpty()
                            && isEmpty(each))
                    .toList();
            if (!empty.isEmpty()) {
                ObjectNode parent = workspace.oneOf(empty);
                spec.put("parent", Workspace.name(parent));
                limit = own(parent);
            }
        }
        if (workspace.oneIn(2)) {
            int cpu = Math.min(limit, 4 * (1 + workspace.any(4)));
            spec.putObject("capability").put("cpu", Integer.toString(cpu));
        }
        workspace.create(Batch.QUEUES, "", queue);
    }

    /** Neither has gangs nor will get some that were ordered while it took them. */
    private boolean isEmpty(ObjectNode queue) {
        String name = Workspace.name(queue);
        return orders.open().stream().noneMatch(order -> order.queue().equals(name))
                && workspace.clusterWide(Batch.POD_GROUPS).stream()
                        .noneMatch(each -> Json.textAt(each, "spec", "queue").equals(name));
    }

    /** Limits are only lifted: one that is lowered binds nobody who has not heard of it yet. */
    private void change() {
        List<ObjectNode> own = own();
        if (own.isEmpty()) {
            return;
        }
        ObjectNode queue = workspace.oneOf(own);
        workspace.edit(Batch.QUEUES, queue, each -> {
            ObjectNode spec = Json.ensureObject(each, "spec");
            int limit = own(each);
            if (workspace.oneIn(3)
                    && limit != Integer.MAX_VALUE
                    && Json.textAt(spec, "parent").isEmpty()) {
                Json.ensureObject(spec, "capability").put("cpu", Integer.toString(limit + 4));
            } else {
                spec.put("weight", 1 + workspace.any(4));
            }
        });
    }

    private List<ObjectNode> own() {
        return queues().stream()
                .filter(each -> Workspace.name(each).startsWith("queue"))
                .toList();
    }

    private void tell(String action) {
        List<ObjectNode> own = own();
        if (!own.isEmpty()) {
            tell(workspace.oneOf(own), action);
        }
    }

    private void tell(ObjectNode queue, String action) {
        ObjectNode command = Workspace.named(workspace.newName("command")).put("action", action);
        command.put("apiVersion", "bus.volcano.sh/v1alpha1").put("kind", "Command");
        command.putObject("target")
                .put("apiVersion", Batch.GROUP + "/v1beta1")
                .put("kind", "Queue")
                .put("name", Workspace.name(queue))
                .put("uid", Observer.uid(queue));
        workspace.say(action + " " + Workspace.name(queue));
        workspace.create(Batch.COMMANDS, "default", command);
    }

    @Override
    public void makeAmends() {
        insisting = true;
    }

    /**
     * In the end people want every queue open, and say so until it is: one below a closed queue cannot be opened.
     *
     * @return false if there is nothing to say
     */
    boolean insist() {
        if (!insisting || !workspace.clusterWide(Batch.COMMANDS).isEmpty()) {
            return false;
        }
        List<ObjectNode> closed = own().stream()
                .filter(queue -> QueueState.of(queue) != QueueState.OPEN)
                .toList();
        closed.forEach(queue -> tell(queue, "OpenQueue"));
        return !closed.isEmpty();
    }
}
