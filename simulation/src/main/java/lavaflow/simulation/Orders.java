package lavaflow.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that what was ordered gets done, as a controller of jobs does: makes pods, replaces those that failed or were taken
 * away, and cleans up. Nothing goes wrong here: who is judged are others.
 */
final class Orders implements Component {
    private final Stage stage;
    private final List<Order> open = new ArrayList<>();
    private final Map<String, Set<String>> done = new HashMap<>();
    private final Map<String, Integer> attempts = new HashMap<>();
    private final Set<String> cancelled = new HashSet<>();

    Orders(Stage stage) {
        this.stage = stage;
    }

    void add(Order order) {
        open.add(order);
        done.put(order.name(), new HashSet<>());
    }

    /** Those that are neither done nor cancelled. */
    List<Order> open() {
        return open;
    }

    /** Nobody wants it any more. */
    void cancel(Order order) {
        cancelled.add(order.name());
    }

    @Override
    public void step(RandomGenerator random) {
        if (!open.isEmpty()) {
            follow(open.get(random.nextInt(open.size())), 1 + random.nextInt(3));
        }
    }

    @Override
    public boolean catchUp() {
        boolean worked = false;
        for (Order order : List.copyOf(open)) {
            worked |= follow(order, Integer.MAX_VALUE);
        }
        return worked;
    }

    /** Does something about an order, so many times at most; false if there is nothing to do. */
    private boolean follow(Order order, int most) {
        List<ObjectNode> pods = stage.observer().all(Kinds.PODS).stream()
                .filter(pod -> label(pod, Order.NAME).equals(order.name()))
                .toList();
        if (cancelled.contains(order.name())) {
            open.remove(order);
            cleanUp(order, pods);
            return true;
        }
        if (order.grouped() && findGroup(order) == null) {
            return attempt(
                    "create podgroups " + order.name(),
                    () -> stage.api().create(Batch.POD_GROUPS, Workspace.FREE, order.group()));
        }
        int count = 0;
        for (Order.Member member : order.members()) {
            if (count < most && look(order, member, pods)) {
                count++;
            }
        }
        if (done.getOrDefault(order.name(), Set.of()).size() == order.members().size()) {
            open.remove(order);
            if (order.name().hashCode() % 2 == 0) {
                cleanUp(order, pods);
            }
            return true;
        }
        return count > 0;
    }

    private boolean look(Order order, Order.Member member, List<ObjectNode> pods) {
        Set<String> ended = done.getOrDefault(order.name(), Set.of());
        if (ended.contains(member.key())) {
            return false;
        }
        boolean there = false;
        for (ObjectNode pod : pods) {
            if (!label(pod, Order.MEMBER).equals(member.key())) {
                continue;
            }
            switch (Json.textAt(pod, "status", "phase")) {
                case "Succeeded" -> {
                    // One that is taken away at the same time counts for nobody.
                    if (!Observer.isDeleting(pod)) {
                        ended.add(member.key());
                        return true;
                    }
                    there = true;
                }
                case "Failed" -> {
                    if (!Observer.isDeleting(pod)) {
                        return delete(pod);
                    }
                    there = true;
                }
                default -> there = true;
            }
        }
        if (!there) {
            int attempt = attempts.merge(order.name() + "/" + member.key(), 1, Integer::sum);
            ObjectNode pod = order.pod(member, attempt);
            return attempt(
                    "create pods " + Workspace.name(pod), () -> stage.api().create(Kinds.PODS, Workspace.FREE, pod));
        }
        return false;
    }

    private static String label(ObjectNode pod, String name) {
        return Json.textAt(pod, "metadata", "labels", name);
    }

    private @Nullable ObjectNode findGroup(Order order) {
        return stage.api().find(Batch.POD_GROUPS, Workspace.FREE, order.name()).orElse(null);
    }

    private void cleanUp(Order order, List<ObjectNode> pods) {
        if (order.grouped()) {
            attempt(
                    "delete podgroups " + order.name(),
                    () -> stage.api().delete(Batch.POD_GROUPS, Workspace.FREE, order.name(), KubeApi.Deletion.PLAIN));
        }
        pods.forEach(this::delete);
    }

    private boolean delete(ObjectNode pod) {
        return attempt(
                "delete pods " + Workspace.name(pod),
                () -> stage.api().delete(Kinds.PODS, Workspace.FREE, Workspace.name(pod), KubeApi.Deletion.PLAIN));
    }

    /** False if it was refused: a closed queue takes no groups. */
    private boolean attempt(String what, Runnable request) {
        try {
            request.run();
            stage.trace().add("orders", what);
            return true;
        } catch (ApiException e) {
            stage.trace().add("orders", what + ": " + e.getMessage());
            return false;
        }
    }
}
