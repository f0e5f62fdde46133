package lavaflow.batch;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the state of queues: opens and closes them as Commands say, lets closing ones become closed, counts their PodGroups,
 * and makes the two queues without which nothing can be scheduled.
 *
 * <p>One worker: what is said of a queue may change those below it, and each is changed by one thread at a time.
 */
final class Queues {
    private static final Logger LOG = LoggerFactory.getLogger(Queues.class);
    private static final String MANAGER = "queue-controller";

    /** How long the numbers of PodGroups may be other than was told: nobody acts on them, and most Jobs would cost several writes. */
    static final Duration COUNTING = Duration.ofSeconds(10);

    /** How long to wait for what was there before a Command was given. */
    private static final Duration CATCH_UP = Duration.ofSeconds(10);

    /** How long a list that is under way may take until it is worth looking again. */
    private static final Duration LISTING = Duration.ofMillis(50);

    /** In this order, wherever they are made. */
    private static final List<String> INDISPENSABLE = List.of(Batch.ROOT, Batch.USUAL_QUEUE);

    private final KubeApi api;
    private final Followers followers;
    private final Mirror<GroupCounts.Group> groups;
    private final Mirror<BusCommand> commands;
    private final QueueTree tree;
    private final EventRecorder events;
    private final LongSupplier nanoTime;
    private final ControllerRunner<String> runner;
    /** Since when queues have other numbers than they tell. */
    private final Map<String, Long> otherSince = new HashMap<>();

    Queues(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.followers = followers;
        this.nanoTime = nanoTime;
        this.events = new EventRecorder(api, "vc-controller-manager", clock);
        this.runner = new ControllerRunner<>(MANAGER, followers, 1, this::reconcile, nanoTime);
        this.groups = Mirror.whileServed(followers, Batch.POD_GROUPS, GroupCounts.Group::of, GroupCounts.Group::words)
                .whenDifferent((before, after) -> {
                    if (before != null) {
                        runner.queue().add(before.queue());
                    }
                    if (after != null) {
                        runner.queue().add(after.queue());
                    }
                });
        this.commands = Mirror.whileServed(
                        followers,
                        Batch.COMMANDS,
                        command -> BusCommand.about("Queue", Batch.GROUP, command),
                        command -> List.of(command.target()))
                .whenDifferent((_, after) -> {
                    if (after != null) {
                        runner.queue().add(after.target());
                    }
                });
        this.tree = new QueueTree(api, this::isEmpty);
        runner.followWhileServed(Batch.QUEUES, queue -> List.of(Batch.name(queue)));
        followers.listenWhileServed(Batch.QUEUES, KubeApi.View.WHOLE, new Beginning());
    }

    /** Looks after the indispensable queues as soon as there can be any. */
    private final class Beginning implements ChangeListener {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {}

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            INDISPENSABLE.forEach(runner.queue()::add);
        }

        @Override
        public void onNewKind(KubeApi.Kind kind) {
            if (kind.equals(Batch.QUEUES)) {
                INDISPENSABLE.forEach(runner.queue()::add);
            }
        }
    }

    ControllerRunner<String> controller() {
        INDISPENSABLE.forEach(runner.queue()::add);
        return runner;
    }

    private boolean isEmpty(String queue) {
        return groups.having(queue).isEmpty();
    }

    private Optional<Duration> reconcile(String name) {
        if (!isServed(Batch.QUEUES)) {
            return Optional.empty(); // told again once there can be queues
        }
        if (!isKnown(Batch.QUEUES) || !isKnown(Batch.POD_GROUPS)) {
            return Optional.of(LISTING);
        }
        ObjectNode queue = api.find(Batch.QUEUES, "", name).orElse(null);
        if (queue == null) {
            otherSince.remove(name);
            if (INDISPENSABLE.contains(name)) {
                create(name);
            }
            commands.having(name).forEach(command -> command.drop(api));
            return Optional.empty();
        }
        if (Json.textAt(queue, "spec", "parent").isEmpty() && !name.equals(Batch.ROOT)) {
            ObjectNode patch = Json.object();
            patch.putObject("spec").put("parent", Batch.ROOT);
            queue = api.patch(Batch.QUEUES, "", name, "", KubeApi.Merge.PLAIN, patch);
        }
        List<BusCommand> given =
                commands.having(name).stream().sorted(BusCommand.OLDEST_FIRST).toList();
        for (BusCommand command : given) {
            queue = obey(command, queue);
        }
        return tell(queue);
    }

    private boolean isServed(KubeApi.Kind kind) {
        return api.kinds().contains(kind);
    }

    /** Of a kind that is not served there is nothing to know. */
    private boolean isKnown(KubeApi.Kind kind) {
        return followers.hasSeen(kind) || !isServed(kind);
    }

    private void create(String name) {
        ObjectNode queue = Batch.named(Batch.QUEUES, "Queue", name);
        queue.putObject("spec").put("reclaimable", !name.equals(Batch.ROOT)).put("weight", 1);
        try {
            api.create(Batch.QUEUES, "", queue);
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
        }
    }

    // ---- commands

    /**
     * Does what a Command says and deletes it then: after a crash in between it is done again, which changes nothing. Upstream
     * deletes first, and may do nothing.
     */
    private ObjectNode obey(BusCommand command, ObjectNode queue) {
        if (!command.isThere(api)) {
            return queue;
        }
        // A queue is not empty because its PodGroups have not been heard of yet.
        if (followers.hasSeen(Batch.POD_GROUPS)) {
            followers.catchUp(Batch.POD_GROUPS, command.revision(), CATCH_UP);
        }
        ObjectNode after =
                command.means(Batch.uid(queue)) ? carryOut(QueueState.Wish.of(command.action()), queue) : queue;
        command.drop(api);
        return after;
    }

    private ObjectNode carryOut(QueueState.Wish wish, ObjectNode queue) {
        switch (wish) {
            case SYNC -> {}
            case CLOSE -> {
                if (Batch.name(queue).equals(Batch.ROOT)) {
                    LOG.warn("the root queue cannot be closed");
                } else {
                    tree.close(queue).forEach(each -> write(each, QueueState.Wish.CLOSE));
                }
            }
            case OPEN -> {
                String parent = tree.closedParent(queue);
                if (parent.isEmpty()) {
                    tree.open(queue).forEach(each -> write(each, QueueState.Wish.OPEN));
                } else {
                    LOG.warn(
                            "queue {} cannot be opened: its parent {} is not open. Open that one first",
                            Batch.name(queue),
                            parent);
                }
            }
        }
        return api.find(Batch.QUEUES, "", Batch.name(queue)).orElse(queue);
    }

    /** The stamp is there before a queue is closed and until it is open, or else a crash would leave it closed for ever. */
    private void write(QueueTree.Change change, QueueState.Wish wish) {
        ObjectNode queue = change.queue();
        if (wish == QueueState.Wish.CLOSE) {
            stamp(change);
        }
        if (QueueState.of(queue) != change.state()) {
            writeStatus(queue, change.state());
            String done = wish == QueueState.Wish.OPEN ? "Open queue succeed" : "Close queue succeed";
            events.normal(queue, wish.word(), done);
        }
        if (wish == QueueState.Wish.OPEN) {
            stamp(change);
        }
    }

    private void stamp(QueueTree.Change change) {
        if (change.stamp() != null) {
            api.patch(Batch.QUEUES, "", Batch.name(change.queue()), "", KubeApi.Merge.PLAIN, change.stamp());
        }
    }

    // ---- status

    /** Says what is, if it is not what was said: a new state at once, new numbers now and then. */
    private Optional<Duration> tell(ObjectNode queue) {
        String name = Batch.name(queue);
        QueueState now = QueueState.of(queue);
        QueueState next = now.after(QueueState.Wish.SYNC, isEmpty(name));
        boolean sameState = Json.textAt(queue, "status", "state").equals(next.word());
        boolean sameCounts = GroupCounts.of(groups.having(name)).isIn(queue.path("status"));
        if (sameState && sameCounts) {
            otherSince.remove(name);
            return Optional.empty();
        }
        if (sameState) {
            long since = otherSince.computeIfAbsent(name, _ -> nanoTime.getAsLong());
            Duration left = COUNTING.minusNanos(nanoTime.getAsLong() - since);
            if (left.isPositive()) {
                return Optional.of(left);
            }
        }
        writeStatus(queue, next);
        return Optional.empty();
    }

    private void writeStatus(ObjectNode queue, QueueState state) {
        String name = Batch.name(queue);
        ObjectNode configuration = Batch.named(Batch.QUEUES, "Queue", name);
        ObjectNode status = configuration.putObject("status");
        status.put("state", state.word());
        GroupCounts.of(groups.having(name)).putInto(status);
        api.apply(Batch.QUEUES, "status", MANAGER, configuration);
        otherSince.remove(name);
    }

    /** The numbers of PodGroups by queue in Prometheus' text format, under upstream's names. */
    String metrics() {
        SortedMap<String, SortedMap<String, Long>> byName = new TreeMap<>();
        Set<String> queues = new TreeSet<>();
        groups.all().forEach(group -> queues.add(group.queue()));
        for (String queue : queues) {
            GroupCounts.of(groups.having(queue))
                    .byName()
                    .forEach((phase, count) ->
                            byName.computeIfAbsent(phase, _ -> new TreeMap<>()).put(queue, count));
        }
        StringBuilder text = new StringBuilder();
        byName.forEach((phase, counts) -> {
            String metric = "volcano_queue_pod_group_" + phase + "_count";
            text.append("# TYPE ").append(metric).append(" gauge\n");
            counts.forEach((queue, count) -> text.append(metric)
                    .append("{queue_name=\"")
                    .append(queue)
                    .append("\"} ")
                    .append(count)
                    .append('\n'));
        });
        return text.toString();
    }
}
