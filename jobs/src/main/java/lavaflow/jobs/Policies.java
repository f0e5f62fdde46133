package lavaflow.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import lavaflow.kube.GoDuration;

import org.jspecify.annotations.Nullable;

/**
 * What the policies of a Job say about what happened to it. What can be seen is looked at each time anew, so that nothing is
 * lost in a crash; an action leaves nothing to be seen that would ask for it again.
 */
final class Policies {
    /**
     * The outcome.
     *
     * @param request what is to be done now
     * @param recheck when a policy that waits will have waited long enough; null if none does
     * @param settled what happened and needs no further thought
     * @param announced what was told, now or before, of reasons that still hold, by its name
     * @param news what of that is to be told now
     */
    record Verdict(
            Request request,
            @Nullable Duration recheck,
            List<Happening> settled,
            Set<String> announced,
            List<String> news) {}

    /**
     * Something that may be a reason to act.
     *
     * @param name tells it from all others of the Job
     */
    private record Occasion(
            String name,
            JobEvent event,
            String task,
            String pod,
            String partition,
            @Nullable Long exitCode,
            Instant since,
            @Nullable Happening happening) {}

    private final VolcanoJob job;
    private final JobStatus status;
    private final List<JobPod> pods;
    private final Instant now;
    private final Function<String, Instant> firstSeen;

    /**
     * @param firstSeen since when something has been known by its name, for what carries no time itself
     */
    Policies(VolcanoJob job, List<JobPod> pods, Instant now, Function<String, Instant> firstSeen) {
        this.job = job;
        this.status = JobStatus.of(job);
        this.pods = pods.stream().sorted(JobPod.BY_PLACE).toList();
        this.now = now;
        this.firstSeen = firstSeen;
    }

    /**
     * @param known what was told of reasons before, by their names
     */
    Verdict judge(List<Happening> happenings, Set<String> known) {
        List<Happening> settled = new ArrayList<>();
        Set<String> announced = new LinkedHashSet<>();
        Set<String> news = new LinkedHashSet<>();
        Request request = null;
        Instant next = null;
        for (Occasion occasion : occasions(happenings)) {
            LifecyclePolicy policy = match(occasion);
            JobAction action = policy == null ? null : JobAction.of(policy.action());
            Happening happening = occasion.happening();
            boolean idle = action == JobAction.SYNC_JOB || action == JobAction.ENQUEUE_JOB;
            if (policy == null || action == null || idle || isReplaced(happening)) {
                if (happening != null) {
                    settled.add(happening);
                }
                continue;
            }
            Duration timeout = Objects.requireNonNullElse(policy.timeout(), Duration.ZERO);
            Instant due = occasion.since().plus(timeout);
            boolean waits = timeout.isPositive() && due.isAfter(now);
            // What was not stopped goes on as it is, and what has no parts has none to restart: that is only told.
            boolean nothingToDo = (action == JobAction.RESUME_JOB && status.isActive())
                    || (action == JobAction.RESTART_PARTITION
                            && occasion.partition().isEmpty());
            boolean told = known.contains(occasion.name());
            if (waits) {
                next = next == null || due.isBefore(next) ? due : next;
            } else if (nothingToDo && happening != null) {
                settled.add(happening);
            } else if (!nothingToDo && request == null) {
                request = new Request(action, occasion.task(), occasion.pod(), occasion.partition(), happening, told);
            }
            if (told || waits || nothingToDo) {
                announced.add(occasion.name());
            }
            if (!told && waits) {
                news.add("Execute action " + action.word() + " after " + GoDuration.format(timeout));
            } else if (!told && nothingToDo) {
                news.add(Request.of(action).announcement());
            }
        }
        Duration recheck = next == null ? null : Duration.between(now, next);
        return new Verdict(request == null ? Request.SYNC : request, recheck, settled, announced, List.copyOf(news));
    }

    /** A pod that went and is back, running, is no reason to act any more. */
    private boolean isReplaced(@Nullable Happening happening) {
        return happening != null
                && happening.event() == JobEvent.POD_EVICTED
                && pods.stream()
                        .anyMatch(pod -> pod.name().equals(happening.pod())
                                && !pod.uid().equals(happening.podUid())
                                && pod.phase().equals("Running"));
    }

    private List<Occasion> occasions(List<Happening> happenings) {
        List<Occasion> occasions = new ArrayList<>();
        for (Happening happening : happenings) {
            boolean wanted = happening.index()
                    < job.findTask(happening.task()).map(Task::replicas).orElse(0L);
            boolean concerns = happening.event() == JobEvent.UNKNOWN || wanted;
            occasions.add(new Occasion(
                    happening.event().word() + " " + happening.podUid() + " " + happening.when(),
                    concerns && happening.version() >= status.version() ? happening.event() : JobEvent.OUT_OF_SYNC,
                    happening.task(),
                    happening.pod(),
                    happening.partition(),
                    null,
                    happening.when(),
                    happening));
        }
        List<JobPod> current = pods.stream()
                .filter(pod -> !pod.deleting() && !pod.condemned() && pod.version() >= status.version())
                .toList();
        for (JobPod pod : current) {
            if (pod.isFailed()) {
                occasions.add(about(pod, JobEvent.POD_FAILED, ended(pod)));
            }
        }
        for (Task task : job.tasks()) {
            ofTask(task, current, occasions);
        }
        for (JobPod pod : current) {
            if (pod.phase().equals("Pending")) {
                occasions.add(about(pod, JobEvent.POD_PENDING, pod.created()));
            }
        }
        return occasions;
    }

    private Instant ended(JobPod pod) {
        Instant finished = pod.finished();
        return finished == null ? firstSeen.apply("end of " + pod.uid()) : finished;
    }

    private static Occasion about(JobPod pod, JobEvent event, Instant since) {
        return occasion(event, pod, pod.exitCode(), since);
    }

    private void ofTask(Task task, List<JobPod> current, List<Occasion> occasions) {
        List<JobPod> own =
                current.stream().filter(pod -> pod.task().equals(task.name())).toList();
        // Those that succeeded before the Job was resumed count, but are no news.
        List<JobPod> succeeded = pods.stream()
                .filter(pod -> pod.task().equals(task.name()) && pod.isSucceeded() && !pod.deleting())
                .toList();
        List<JobPod> news = own.stream().filter(JobPod::isSucceeded).toList();
        if (!news.isEmpty() && succeeded.size() == task.replicas()) {
            JobPod last = news.stream()
                    .max(Comparator.comparing(this::ended).thenComparing(JobPod::name))
                    .orElseThrow();
            occasions.add(occasion(JobEvent.TASK_COMPLETED, last, null, ended(last)));
        }
        List<JobPod> alive = own.stream().filter(pod -> !pod.isFinished()).toList();
        long restarts = alive.stream().mapToLong(JobPod::restarts).sum();
        if (task.maxRetry() >= 0 && restarts >= task.maxRetry()) {
            JobPod worst = alive.stream()
                    .max(Comparator.comparingLong(JobPod::restarts).thenComparing(JobPod::name))
                    .orElseThrow();
            occasions.add(occasion(JobEvent.TASK_FAILED, worst, null, firstSeen.apply("failing of " + worst.uid())));
        }
    }

    /**
     * @param exitCode null where it is no part of what happened
     */
    private static Occasion occasion(JobEvent event, JobPod pod, @Nullable Long exitCode, Instant since) {
        String name = event.word() + " " + pod.uid();
        return new Occasion(name, event, pod.task(), pod.name(), pod.partition(), exitCode, since, null);
    }

    /** The policy of the task if it has one that fits, of the Job otherwise; null if none does. */
    private @Nullable LifecyclePolicy match(Occasion occasion) {
        if (occasion.event().isInternal()) {
            return null;
        }
        LifecyclePolicy found = job.findTask(occasion.task())
                .map(task -> first(task.policies(), occasion))
                .orElse(null);
        return found == null ? first(job.policies(), occasion) : found;
    }

    private static @Nullable LifecyclePolicy first(List<LifecyclePolicy> policies, Occasion occasion) {
        for (LifecyclePolicy policy : policies) {
            boolean named = policy.events().contains(occasion.event().word())
                    || policy.events().contains(LifecyclePolicy.ANY_EVENT);
            // A pod is pending for a while in any case.
            boolean possible = occasion.event() != JobEvent.POD_PENDING || policy.timeout() != null;
            Long code = policy.exitCode();
            boolean coded = code != null && code.equals(occasion.exitCode());
            if ((named && possible) || coded) {
                return policy;
            }
        }
        return null;
    }
}
