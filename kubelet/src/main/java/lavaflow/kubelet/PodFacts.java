package lavaflow.kubelet;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * All that decides what becomes of a pod.
 *
 * @param containers by name; one for every container of the pod
 * @param sandbox whether its place is made: volumes, network, namespaces
 * @param busy whether its place is being made or taken away
 * @param failure why its place could not be made; tried again at the failure's time
 * @param end why it has to end, whatever its containers do
 * @param vanished whether it is gone from the API
 * @param addresses of the pod, the first is the main one
 * @param given what containers have been given, by name; what they ask for where nothing is told
 */
record PodFacts(
        PodView pod,
        Map<String, ContainerFacts> containers,
        boolean sandbox,
        boolean busy,
        @Nullable Failure failure,
        @Nullable End end,
        boolean vanished,
        List<String> addresses,
        Map<String, JsonNode> given,
        Instant now) {
    /**
     * Why a pod has to end.
     *
     * @param atOnce whether there is no time for grace
     */
    record End(String reason, String message, boolean atOnce) {
        End(String reason, String message) {
            this(reason, message, false);
        }
    }

    /** Why something could not be done, in a word and in a sentence, and when to try again. */
    record Failure(String reason, String message, Instant retryAt) {}

    /** What is being done to a container. */
    enum Work {
        NONE,
        STARTING,
        STOPPING
    }

    /** What a probe found. */
    enum Verdict {
        NONE,
        LIVENESS_FAILED,
        STARTUP_FAILED
    }

    /**
     * What is known of a container.
     *
     * @param attempts its lives, the oldest first
     * @param failure why it could not be started the last time
     * @param hash of what it should be made from
     * @param started its startup probe has succeeded, or it has none
     */
    record ContainerFacts(
            List<Attempt> attempts,
            Work work,
            @Nullable Failure failure,
            @Nullable BackOff backOff,
            String hash,
            boolean started,
            boolean ready,
            Verdict verdict) {
        static final ContainerFacts NONE =
                new ContainerFacts(List.of(), Work.NONE, null, null, "", false, false, Verdict.NONE);

        boolean isBusy() {
            return work != Work.NONE;
        }

        @Nullable
        Attempt last() {
            return attempts.isEmpty() ? null : attempts.getLast();
        }

        /** A life of those known, counted from the last, which is 0; null where there is none. */
        @Nullable
        Attempt fromLast(int count) {
            return attempts.size() <= count ? null : attempts.get(attempts.size() - 1 - count);
        }

        boolean isRunning() {
            Attempt last = last();
            return last != null && last.isRunning();
        }

        /** Whether what was to be changed has ended and what takes its place is on its way, with nothing to stop it. */
        boolean isBeingReplaced() {
            boolean begins = work == Work.STARTING && !attempts.isEmpty() && exit() == null;
            Attempt before = fromLast(begins ? 1 : 0);
            return failure == null
                    && before != null
                    && before.exit() != null
                    && !before.hash().isEmpty()
                    && !before.hash().equals(hash);
        }

        Attempt.@Nullable Exit exit() {
            Attempt last = last();
            return last == null ? null : last.exit();
        }
    }

    ContainerFacts of(PodView.Container container) {
        return containers.getOrDefault(container.name(), ContainerFacts.NONE);
    }

    boolean isEnding() {
        return end != null || vanished || pod.isDeleted();
    }

    /** Whether nothing else happens to the pod than that containers begin again as somebody changed them. */
    boolean isChanging() {
        return !isEnding()
                && pod.containers().stream()
                        .filter(each -> each.role() == PodView.Role.MAIN || each.isSidecar())
                        .anyMatch(each -> of(each).isBeingReplaced());
    }

    /** Whether a container has ended in a way that makes all of them begin anew, and they have not yet. */
    boolean restartsAll() {
        return pod.containers().stream().anyMatch(this::restartsAll);
    }

    boolean restartsAll(PodView.Container container) {
        Attempt.Exit exit = of(container).exit();
        return exit != null && !exit.isBegunAnew() && container.restartsAllAfter(exit.code());
    }

    boolean runsAnything() {
        return containers.values().stream().anyMatch(each -> each.isRunning() || each.isBusy());
    }
}
