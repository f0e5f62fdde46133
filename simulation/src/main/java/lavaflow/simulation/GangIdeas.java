package lavaflow.simulation;

import java.util.ArrayList;
import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Gangs, and pods that want to be placed on their own beside them. */
final class GangIdeas implements Ideas {
    /** No pod asks for more processors, and no order for more than {@link #MOST}: so any order of placing them finds room. */
    private static final int LARGEST = 4;

    /** Half of what the nodes have. */
    private static final int MOST = 16;

    private final Workspace workspace;
    private final Orders orders;
    private final QueueIdeas queues;
    private final GangPolicy policy;

    GangIdeas(Workspace workspace, Orders orders, QueueIdeas queues, GangPolicy policy) {
        this.policy = policy;
        this.workspace = workspace;
        this.orders = orders;
        this.queues = queues;
    }

    @Override
    public void begin() {
        workspace.api().create(Kinds.NAMESPACES, "", Workspace.named(Workspace.FREE));
        priority("low", 10);
        priority("high", 1_000);
    }

    private void priority(String name, int value) {
        workspace.api().create(Kinds.PRIORITIES, "", Workspace.named(name).put("value", value));
    }

    @Override
    public List<Runnable> usual() {
        return List.of(
                this::gang,
                this::gang,
                this::gang,
                this::gang,
                this::single,
                this::single,
                this::tooLarge,
                this::cancel);
    }

    @Override
    public List<Runnable> rough() {
        return List.of(this::deletePod, this::deleteGroup, this::content);
    }

    private void gang() {
        QueueIdeas.Place place = queues.somewhere();
        int left = Math.min(MOST, place.limit());
        List<Order.Role> roles = new ArrayList<>();
        int members = 0;
        boolean leastByRole = workspace.oneIn(3);
        int kinds = 1 + workspace.any(2);
        for (int i = 0; i < kinds && left > 0; i++) {
            int cpu = Math.min(left, 1 << workspace.any(3));
            int count = Math.max(1, Math.min(left / cpu, 1 + workspace.any(5)));
            int least = leastByRole ? 1 + workspace.any(count) : 0;
            roles.add(new Order.Role("role" + i, count, least, cpu));
            members += count;
            left -= count * cpu;
        }
        int least = roles.stream().mapToInt(Order.Role::least).sum();
        // Where roles have their own minimum and it is the sum of them, both say the same.
        int min = leastByRole ? least : 1 + workspace.any(members);
        order(true, "volcano", place.queue(), roles, min, false);
    }

    private void order(
            boolean grouped, String scheduler, String queue, List<Order.Role> roles, int min, boolean hopeless) {
        Order order = new Order(
                workspace.newName(grouped ? "gang" : "single"),
                scheduler,
                grouped,
                queue,
                roles,
                min,
                workspace.oneOf(List.of("", "", "low", "high")),
                // What it reserves and cannot use would be kept from others, as upstream does.
                !hopeless && workspace.oneIn(2),
                2 + workspace.any(workspace.oneIn(3) ? 120 : 20),
                workspace.oneIn(4),
                hopeless);
        workspace.say("orders " + order);
        orders.add(order);
    }

    /** A pod on its own, with or without a group that somebody else makes. */
    private void single() {
        String scheduler = workspace.oneIn(2) ? "volcano" : "default-scheduler";
        int cpu = 1 << workspace.any(3);
        order(false, scheduler, "", List.of(new Order.Role("only", 1, 0, cpu)), 1, false);
    }

    /** More than there will ever be room for. */
    private void tooLarge() {
        QueueIdeas.Place place = queues.somewhere();
        order(true, "volcano", place.queue(), List.of(new Order.Role("giant", 9, 0, LARGEST)), 9, true);
    }

    private void cancel() {
        if (!orders.open().isEmpty()) {
            Order order = workspace.oneOf(orders.open());
            workspace.say("cancels " + order.name());
            orders.cancel(order);
        }
    }

    private void deletePod() {
        // Without those that are done a gang would never have enough again.
        ObjectNode pod = workspace.pick(Kinds.PODS, each -> !Observer.isFinished(each));
        if (pod != null) {
            workspace.remove(Kinds.PODS, pod, null);
        }
    }

    /** The pods of a group that is gone belong to none until it is made again. */
    private void deleteGroup() {
        ObjectNode group =
                workspace.pick(Batch.POD_GROUPS, each -> Observer.owner(each).isEmpty());
        if (group != null) {
            workspace.remove(Batch.POD_GROUPS, group, null);
        }
    }

    /** Fewer pods would do. */
    private void content() {
        ObjectNode group = workspace.pick(
                Batch.POD_GROUPS,
                each -> Observer.owner(each).isEmpty()
                        && Json.longAt(each, 0, "spec", "minMember") > 1
                        && Json.at(each, "spec", "minTaskMember") == null);
        if (group != null) {
            ObjectNode patch = Json.object();
            patch.putObject("spec").put("minMember", Json.longAt(group, 1, "spec", "minMember") - 1);
            workspace.say("wants fewer pods of " + Workspace.name(group));
            workspace
                    .api()
                    .patch(
                            Batch.POD_GROUPS,
                            Workspace.namespace(group),
                            Workspace.name(group),
                            "",
                            KubeApi.Merge.PLAIN,
                            patch);
        }
    }

    @Override
    public void makeAmends() {
        if (policy.byWeight()) {
            orders.open().stream().filter(Order::hopeless).forEach(orders::cancel);
        }
    }
}
