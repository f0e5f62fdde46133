package lavaflow.e2e;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One Job made up from a seed, and what happens to it, on both sides step by step: after each both have to come to rest with the same. What happens next is picked
 * by chance from what is possible then, so it is the same again for the same seed.
 */
final class RandomDuel implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    /** What is known to differ need not be waited for as long. */
    private static final Duration ENOUGH = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofMillis(600);
    private static final Duration QUIET = Duration.ofMillis(2_500);
    /** Longer than what policies and ends wait for. */
    private static final Duration LONG_QUIET = Duration.ofSeconds(6);

    private static final List<String> WATCHED = List.of(
            "batch.volcano.sh/v1alpha1 Job",
            "scheduling.volcano.sh/v1beta1 PodGroup",
            "bus.volcano.sh/v1alpha1 Command",
            "v1 Pod");
    private static final Set<String> TOLD_AGAIN = Set.of("scheduling.volcano.sh/v1beta1 PodGroup", "v1 Pod");
    private static final Set<String> OVER = Set.of("Completed", "Failed", "Terminated");
    private static final int REFUSED_IN_A_ROW = 20;

    /**
     * What came of it.
     *
     * @param trace what was done, in order
     * @param refused how many Jobs both refused with the same words before one was let in
     * @param fewer whether our gang needed fewer pods for a while, as it may (job-dependencies)
     * @param excuse why what differs may; empty if nothing does, or if it may not
     */
    record Outcome(
            List<ObjectNode> trace,
            int refused,
            boolean fewer,
            List<Differences.Difference> differences,
            String excuse,
            ObjectNode theirs,
            ObjectNode ours) {
        boolean isAlike() {
            return differences.isEmpty();
        }

        String told() {
            StringBuilder text = new StringBuilder();
            trace.forEach(step -> text.append("- ").append(Json.string(step)).append('\n'));
            text.append(excuse);
            differences.forEach(each -> text.append("\n  ").append(each));
            return text.append('\n').toString();
        }
    }

    private final Random chance;
    private final Side theirs;
    private final Side ours;
    private final ControllerScenario scenario;
    private final List<ObjectNode> trace = new ArrayList<>();
    private Duration quiet = QUIET;
    private int refused;
    private boolean fewer;
    private final Set<String> notHeard = new TreeSet<>();

    /** One of the two clusters. */
    private record Side(KubeApi api, String namespace, Scope scope, ScenarioRun run) {
        static Side of(KubeApi api, String namespace, Scope scope) {
            return new Side(api, namespace, scope, new ScenarioRun(api, namespace, scope));
        }

        /** Empty if it was let in; what was said against it otherwise. */
        String perform(ObjectNode step) throws InterruptedException {
            try {
                run.perform(step);
                return "";
            } catch (ApiException e) {
                return String.valueOf(e.getMessage()).replace(namespace, "<namespace>");
            }
        }

        KubeApi.Kind kind(String words) {
            String[] parts = words.split(" ", -1);
            return api.findKind(parts[0], parts[1]).orElseThrow();
        }

        /** What would show that something goes on. That a scheduler says again and again why pods wait does not. */
        Map<String, String> revisions() {
            Map<String, String> revisions = new TreeMap<>();
            for (String words : WATCHED) {
                KubeApi.Kind kind = kind(words);
                boolean told = TOLD_AGAIN.contains(words);
                api.list(
                        kind,
                        namespace,
                        told ? KubeApi.View.WHOLE : KubeApi.View.METADATA,
                        object -> revisions.put(
                                Json.textAt(object, "metadata", "uid"),
                                told ? substance(object) : Json.textAt(object, "metadata", "resourceVersion")));
            }
            return revisions;
        }

        private static String substance(ObjectNode object) {
            ObjectNode copy = object.deepCopy();
            Differences.blank(copy, "/metadata/resourceVersion");
            Differences.blank(copy, "/metadata/managedFields");
            Differences.blank(copy, "/metadata/generation");
            Differences.blank(copy, "/status/conditions");
            return Json.string(copy);
        }

        Optional<ObjectNode> job() {
            return api.find(kind(WATCHED.getFirst()), namespace, "j");
        }

        List<ObjectNode> pods() {
            return api.list(KubeApi.Kind.core("pods"), namespace, KubeApi.View.WHOLE).items().stream()
                    .sorted((a, b) -> Json.textAt(a, "metadata", "name").compareTo(Json.textAt(b, "metadata", "name")))
                    .toList();
        }
    }

    RandomDuel(long seed, String namespace, Scope scope, KubeApi theirs, KubeApi ours) {
        this.chance = new Random(seed * 7_919 + 17);
        this.scenario = new ControllerScenario("random", String.valueOf(seed), List.of(), List.of(), false);
        this.theirs = Side.of(theirs, namespace, scope);
        this.ours = Side.of(ours, namespace, scope);
    }

    Outcome play(int steps) throws InterruptedException {
        theirs.run().awaitAccount();
        ours.run().awaitAccount();
        Optional<Outcome> trouble = begin();
        for (int i = 0; i < steps && trouble.isEmpty(); i++) {
            trouble = compare();
            Optional<ObjectNode> job = theirs.job();
            if (i == 0 && job.isPresent() && !job.get().has("status")) {
                throw new AssertionError("nobody looks at the Job");
            }
            // A claim may keep a Job that was deleted; nothing more is done to it.
            boolean gone = job.isEmpty() || Json.at(job.get(), "metadata", "deletionTimestamp") != null;
            if (trouble.isPresent() || gone) {
                return trouble.orElseGet(this::alike);
            }
            boolean unbound = i == 0 && job.get().at("/spec/volumes/0").isObject();
            List<ObjectNode> next = unbound
                    ? List.of(RandomJob.step("bindClaims", Json.object()))
                    : RandomStep.after(chance, job.get(), theirs.pods(), i);
            if (next.isEmpty()) {
                return alike();
            }
            for (ObjectNode step : next) {
                trouble = trouble.isPresent() ? trouble : perform(step);
            }
        }
        return (trouble.isPresent() ? trouble : compare()).orElseGet(this::alike);
    }

    private Outcome alike() {
        return outcome(List.of(), "", state(theirs), state(ours));
    }

    /** The first Job that is let in. */
    private Optional<Outcome> begin() throws InterruptedException {
        for (int i = 0; i < REFUSED_IN_A_ROW; i++) {
            List<ObjectNode> steps = new RandomJob(chance).steps();
            if (i > 0) {
                steps = List.of(steps.getLast()); // the queue is there, or the Job says that there is none
            }
            quiet = needsTime(steps.getLast()) ? LONG_QUIET : QUIET;
            boolean letIn = true;
            for (ObjectNode step : steps) {
                String said = theirs.perform(step);
                trace.add(step);
                String saidHere = ours.perform(step);
                if (!said.equals(saidHere)) {
                    return Optional.of(differ(said, saidHere));
                }
                letIn &= said.isEmpty();
            }
            if (letIn) {
                return Optional.empty();
            }
            refused++;
        }
        throw new AssertionError("no Job is let in");
    }

    private static boolean needsTime(ObjectNode step) {
        return step.findValue("timeout") != null || step.findValue("ttlSecondsAfterFinished") != null;
    }

    private Optional<Outcome> perform(ObjectNode step) throws InterruptedException {
        trace.add(step);
        boolean over = theirs.job()
                .filter(job -> OVER.contains(Json.textAt(job, "status", "state", "phase")))
                .isPresent();
        String action = Json.textAt(step, "create", "action");
        if (over && !action.isEmpty()) {
            notHeard.add("Start to execute command " + action + ",");
            notHeard.add("Start to execute action " + action + " ");
        }
        String said = theirs.perform(step);
        String saidHere = ours.perform(step);
        return said.equals(saidHere) ? Optional.empty() : Optional.of(differ(said, saidHere));
    }

    private Outcome differ(String said, String saidHere) {
        var difference = new Differences.Difference("what the server says", saidHere, said);
        return outcome(List.of(difference), "", state(theirs), state(ours));
    }

    /**
     * job-commands: what is wished of a Job that has ended is announced there all the same. job-policies: whether
     * somebody saw a Job run whose pods end as soon as they have begun is chance.
     */
    private ObjectNode state(Side side) {
        ObjectNode state = EndState.of(side.api(), side.namespace(), side.scope(), scenario);
        JsonNode job = state.path("jobs.batch.volcano.sh").path(0);
        if (job.findValuesAsText("play").stream().anyMatch(part -> part.startsWith("fail") || part.equals("succeed"))) {
            Json.listAt(job, "status", "conditions")
                    .removeIf(each -> Json.textAt(each, "status").equals("Running"));
        }
        Json.listAt(state, "events")
                .removeIf(event ->
                        notHeard.stream().anyMatch(words -> event.textValue().contains(words)));
        return state;
    }

    private Outcome outcome(
            List<Differences.Difference> differences, String excuse, ObjectNode there, ObjectNode here) {
        return new Outcome(List.copyOf(trace), refused, fewer, differences, excuse, there, here);
    }

    /** Empty if both come to rest with the same. */
    private Optional<Outcome> compare() throws InterruptedException {
        Instant deadline = Instant.now().plus(PATIENCE);
        Instant patient = Instant.now().plus(ENOUGH);
        while (true) {
            boolean still = rest(deadline);
            ObjectNode there = state(theirs);
            ObjectNode here = state(ours);
            ObjectNode theirState = there.deepCopy();
            ObjectNode ourState = here.deepCopy();
            Optional<DependencyExcuse> excuse =
                    theirs.job().map(job -> new DependencyExcuse(job, theirs.pods(), ours.pods()));
            List<Differences.Difference> found = Differences.between(here, there);
            if (!found.isEmpty() && hasLeft(there, here)) {
                found = Differences.between(here, there);
            }
            if (!found.isEmpty() && excuse.isPresent() && excuse.get().leaveOutSize(there, here)) {
                found = Differences.between(here, there);
                fewer |= found.isEmpty();
            }
            if (found.isEmpty() && still) {
                return Optional.empty();
            }
            String why = "";
            boolean late = Instant.now().isAfter(deadline);
            if (late || (still && Instant.now().isAfter(patient))) {
                why = hasLostAction(theirState, ourState)
                        ? "job-policies: an action that waited is lost there"
                        : excuse.map(each -> each.find(theirState, ourState)).orElse("");
            }
            if (late || !why.isEmpty()) {
                List<Differences.Difference> all = new ArrayList<>(found);
                if (!still && found.isEmpty()) {
                    all.add(new Differences.Difference("rest", "none on one side", "none on one side"));
                }
                return Optional.of(outcome(all, why, there, here));
            }
        }
    }

    /** Whether something was done here that had waited, and what it made of the Job there was overwritten. */
    private static boolean hasLostAction(ObjectNode there, ObjectNode here) {
        JsonNode job = there.path("jobs.batch.volcano.sh").path(0);
        boolean waited = there.path("events")
                .valueStream()
                .anyMatch(event -> event.textValue().matches(".*Execute action \\w+ after .*"));
        return waited
                && !hasMoved(job)
                && hasMoved(here.path("jobs.batch.volcano.sh").path(0));
    }

    private static boolean hasMoved(JsonNode job) {
        return Json.listAt(job, "status", "conditions")
                .valueStream()
                .anyMatch(each -> List.of("Restarting", "Aborting", "Terminating", "Completing")
                        .contains(Json.textAt(each, "status")));
    }

    /** job-belongings: upstream leaves what it has made anew for a Job that had too many restarts. Whether something was taken out. */
    private static boolean hasLeft(ObjectNode there, ObjectNode here) {
        JsonNode job = there.path("jobs.batch.volcano.sh").path(0);
        boolean givenUp = Json.textAt(job, "status", "state", "phase").equals("Failed")
                && Json.longAt(job, 0, "status", "retryCount") >= Json.longAt(job, 3, "spec", "maxRetry");
        boolean more = false;
        if (Json.textAt(job, "status", "state", "phase").equals("Pending")
                && there.has("configmaps")
                && here.has("configmaps")) {
            // Before a Job runs, upstream leaves them as they are when it is scaled.
            Differences.blank(there, "/configmaps/*/data");
            Differences.blank(here, "/configmaps/*/data");
            more = true;
        }
        for (String kind : List.of("configmaps", "services", "networkpolicies.networking.k8s.io", "secrets")) {
            if (givenUp && !here.has(kind) && there.has(kind)) {
                there.remove(kind);
                more = true;
            }
        }
        return more;
    }

    /** Whether nothing changed for a while on either side. */
    private boolean rest(Instant deadline) throws InterruptedException {
        List<Map<String, String>> before = List.of();
        Instant since = Instant.now();
        while (Duration.between(since, Instant.now()).compareTo(quiet) < 0) {
            Thread.sleep(LOOK);
            List<Map<String, String>> now = List.of(theirs.revisions(), ours.revisions());
            if (!now.equals(before)) {
                before = now;
                since = Instant.now();
                if (since.isAfter(deadline)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** What was alike is not kept. */
    void clear() throws InterruptedException {
        KubeApi.Kind namespaces = KubeApi.Kind.clusterWide("namespaces");
        for (Side side : List.of(theirs, ours)) {
            side.api()
                    .delete(
                            side.kind(WATCHED.getFirst()),
                            side.namespace(),
                            "j",
                            new KubeApi.Deletion(null, null, "Background"));
        }
        // Pods go when their node says so, which is played as long as this is open.
        Instant deadline = Instant.now().plus(PATIENCE);
        while (!(theirs.pods().isEmpty() && ours.pods().isEmpty())
                && Instant.now().isBefore(deadline)) {
            Thread.sleep(LOOK);
        }
        for (Side side : List.of(theirs, ours)) {
            side.api().delete(namespaces, "", side.namespace(), KubeApi.Deletion.PLAIN);
        }
    }

    @Override
    public void close() {
        theirs.run().close();
        ours.run().close();
    }
}
