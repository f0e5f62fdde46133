package lavaflow.kubelet;

import java.time.Instant;

import lavaflow.sandbox.ContainerUser;

import org.jspecify.annotations.Nullable;

/**
 * One life of a container.
 *
 * @param id in the runtime; empty where it never came to be there
 * @param number how many lives came before
 * @param hash of what it was made from, to see whether that is still wanted; empty for one that ran in a place that is lost
 * @param stopSignal what asks it to end
 * @param startedAt when its program began; null before
 * @param exit how it ended; null before
 * @param user who its program runs as; null where nobody knows
 */
record Attempt(
        String id,
        int number,
        String image,
        String imageId,
        String hash,
        String stopSignal,
        @Nullable Instant startedAt,
        @Nullable Exit exit,
        @Nullable ContainerUser user) {
    private static final int KILLED = 137;

    /** The same in a place that is lost: what it did for others there is to be done again. */
    Attempt elsewhere() {
        return new Attempt(id, number, image, imageId, "", stopSignal, startedAt, exit, user);
    }

    Attempt(
            String id,
            int number,
            String image,
            String imageId,
            String hash,
            String stopSignal,
            @Nullable Instant startedAt,
            @Nullable Exit exit) {
        this(id, number, image, imageId, hash, stopSignal, startedAt, exit, null);
    }

    /** The same after its pod was begun anew: it counts for nothing any more, and says so. */
    Attempt removed(Instant now) {
        String message = "The container is removed because RestartAllContainers in place";
        return elsewhere().ended(new Exit(KILLED, Exit.BEGUN_ANEW, message, now));
    }

    /** How a life ended. */
    record Exit(int code, String reason, String message, Instant at) {
        static final String BEGUN_ANEW = "RestartingAllContainers";

        /** Whether it ended so that all containers of the pod begin anew, whatever it was doing. */
        boolean isBegunAnew() {
            return reason.equals(BEGUN_ANEW);
        }
    }

    boolean isRunning() {
        return startedAt != null && exit == null;
    }

    /** It has begun; where that is known already it stays so, since an end may be heard of before its beginning. */
    Attempt started(Instant at) {
        Instant began = startedAt == null ? at : startedAt;
        return new Attempt(id, number, image, imageId, hash, stopSignal, began, exit, user);
    }

    /** Its program ran, and ended. */
    Attempt exited(Exit how) {
        return started(how.at()).ended(how);
    }

    Attempt ended(Exit how) {
        return new Attempt(id, number, image, imageId, hash, stopSignal, startedAt, how, user);
    }

    Attempt runningAs(@Nullable ContainerUser who) {
        return new Attempt(id, number, image, imageId, hash, stopSignal, startedAt, exit, who);
    }
}
