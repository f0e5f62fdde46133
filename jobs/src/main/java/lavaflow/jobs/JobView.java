package lavaflow.jobs;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import lavaflow.batch.Batch;
import lavaflow.batch.BusCommand;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What is there of Jobs and around them, kept current by followers; and what happened and cannot be seen any more. */
final class JobView {
    private static final KubeApi.Kind PRIORITY_CLASSES =
            new KubeApi.Kind("scheduling.k8s.io", "v1", "priorityclasses", false);

    private record Priority(String name, long value) {}

    /** A queue; its clusters get jobs forwarded where it names some. */
    private record Target(String name, boolean forwards) {}

    private final KubeApi api;
    private final Followers followers;
    private final InstantSource clock;
    private final Mirror<ObjectNode> jobs;
    private final Mirror<JobPod> pods;
    private final Mirror<JobGroup> groups;
    private final Mirror<BusCommand> commands;
    private final Mirror<Target> queues;
    private final Mirror<Priority> priorities;
    private final Map<JobKey, List<Happening>> happenings = new ConcurrentHashMap<>();
    private final Set<String> ending = ConcurrentHashMap.newKeySet();
    private final Map<JobKey, Map<String, Instant>> firstSeen = new ConcurrentHashMap<>();

    /** @param changed is told which Jobs to look at */
    JobView(KubeApi api, Followers followers, InstantSource clock, Consumer<JobKey> changed) {
        this.api = api;
        this.followers = followers;
        this.clock = clock;
        this.priorities = new Mirror<>(
                followers,
                PRIORITY_CLASSES,
                each -> new Priority(Json.textAt(each, "metadata", "name"), Json.longAt(each, 0, "value")),
                _ -> List.of());
        this.queues = Mirror.whileServed(
                        followers,
                        Batch.QUEUES,
                        queue -> new Target(
                                Json.textAt(queue, "metadata", "name"),
                                !Json.listAt(queue, "spec", "extendClusters").isEmpty()),
                        _ -> List.of())
                .whenDifferent((before, after) -> {
                    if (before == null && after != null) {
                        waitingFor(after.name()).forEach(changed);
                    }
                });
        this.jobs = Mirror.<ObjectNode>whileServed(
                        followers, Volcano.JOBS, job -> job, job -> List.of(new VolcanoJob(job).queue()))
                .whenDifferent((before, after) -> {
                    ObjectNode told = after == null ? before : after;
                    if (told != null) {
                        changed.accept(JobKey.of(told));
                    }
                });
        this.groups = Mirror.whileServed(followers, Batch.POD_GROUPS, JobGroup::of, JobGroup::words)
                .whenDifferent((before, after) -> told(before, after, changed));
        this.commands = Mirror.whileServed(
                        followers,
                        Batch.COMMANDS,
                        command -> BusCommand.about("Job", Volcano.GROUP, command),
                        command -> List.of(target(command).toString()))
                .whenDifferent((_, after) -> {
                    if (after != null) {
                        changed.accept(target(after));
                    }
                });
        this.pods = new Mirror<>(followers, Volcano.PODS, JobPod::mayBe, JobPod::of, JobPod::words)
                .whenDifferent((before, after) -> told(before, after, changed));
    }

    private void told(@Nullable JobPod before, @Nullable JobPod after, Consumer<JobKey> changed) {
        JobPod told = after == null ? before : after;
        if (told == null) {
            return;
        }
        JobKey key = new JobKey(told.namespace(), told.job());
        // What was ended here was not evicted.
        boolean ended = after == null && ending.remove(told.uid());
        if (after == null && !ended && !told.condemned()) {
            happened(key, Happening.evicted(told, clock.instant()));
        }
        changed.accept(key);
    }

    private void told(@Nullable JobGroup before, @Nullable JobGroup after, Consumer<JobKey> changed) {
        JobGroup told = after == null ? before : after;
        if (told == null) {
            return;
        }
        JobKey key = new JobKey(told.namespace(), told.job());
        if (after != null && after.isUnknown() && (before == null || !before.isUnknown())) {
            VolcanoJob job = job(key);
            happened(key, Happening.unknown(job == null ? 0 : JobStatus.of(job).version(), clock.instant()));
        }
        changed.accept(key);
    }

    /** Jobs that may have waited for their queue. */
    private List<JobKey> waitingFor(String queue) {
        return jobs.having(queue).stream().map(JobKey::of).toList();
    }

    private void happened(JobKey key, Happening happening) {
        happenings.compute(key, (_, known) -> {
            List<Happening> all = known == null ? new ArrayList<>() : new ArrayList<>(known);
            all.add(happening);
            return List.copyOf(all);
        });
    }

    /** Whether everything has been listed that is served; of a kind that is not served there is nothing to know. */
    boolean isComplete() {
        Set<KubeApi.Kind> served = Set.copyOf(api.kinds());
        return List.of(Volcano.JOBS, Batch.POD_GROUPS, Batch.QUEUES, Batch.COMMANDS).stream()
                .allMatch(kind -> !served.contains(kind) || followers.hasSeen(kind));
    }

    boolean isServed() {
        return api.kinds().containsAll(List.of(Volcano.JOBS, Batch.POD_GROUPS));
    }

    /** A copy of a Job, or null. */
    @Nullable
    VolcanoJob job(JobKey key) {
        ObjectNode found = jobs.get(key.namespace(), key.name());
        return found == null ? null : new VolcanoJob(found.deepCopy());
    }

    List<JobPod> pods(VolcanoJob job) {
        return pods.having(job.uid()).stream().sorted(JobPod.BY_PLACE).toList();
    }

    /** Its own, also where an older version of the program gave it another name. */
    @Nullable
    JobGroup group(VolcanoJob job) {
        List<JobGroup> found = groups.having(job.uid());
        return found.stream()
                .filter(group -> group.name().equals(job.podGroupName()))
                .findFirst()
                .or(() -> found.stream()
                        .filter(group -> group.name().equals(job.name()))
                        .findFirst())
                .orElse(null);
    }

    private static JobKey target(BusCommand command) {
        return new JobKey(command.namespace(), command.target());
    }

    List<BusCommand> commands(JobKey key) {
        return commands.having(key.toString()).stream()
                .sorted(BusCommand.OLDEST_FIRST)
                .toList();
    }

    boolean hasQueue(String name) {
        return queues.get("", name) != null;
    }

    boolean forwards(String queue) {
        Target target = queues.get("", queue);
        return target != null && target.forwards();
    }

    long priority(String name) {
        Priority found = name.isEmpty() ? null : priorities.get("", name);
        return found == null ? 0 : found.value();
    }

    List<Happening> happenings(JobKey key) {
        return Objects.requireNonNullElse(happenings.get(key), List.of());
    }

    void settle(JobKey key, List<Happening> settled) {
        if (!settled.isEmpty()) {
            happenings.computeIfPresent(key, (_, known) -> {
                List<Happening> left =
                        known.stream().filter(each -> !settled.contains(each)).toList();
                return left.isEmpty() ? null : left;
            });
        }
    }

    /** A pod is about to be ended by us. */
    void ending(@Nullable String uid) {
        if (uid != null) {
            ending.add(uid);
        }
    }

    Instant firstSeen(JobKey key, String what) {
        return firstSeen.computeIfAbsent(key, _ -> new HashMap<>()).computeIfAbsent(what, _ -> clock.instant());
    }

    void forget(JobKey key) {
        happenings.remove(key);
        firstSeen.remove(key);
    }
}
