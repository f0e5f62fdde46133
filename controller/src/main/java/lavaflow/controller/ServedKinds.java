package lavaflow.controller;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Waits for kinds, which are served some time after their definitions were made. */
public final class ServedKinds {
    private ServedKinds() {}

    /**
     * Waits until kinds are served.
     *
     * @param names those of their definitions: {@code PLURAL.GROUP}
     * @return false if some are not after that time
     */
    public static boolean await(KubeApi api, Collection<String> names, Duration patience) throws InterruptedException {
        Semaphore changed = new Semaphore(0);
        api.onKindsChange(changed::release);
        long deadline = System.nanoTime() + patience.toNanos();
        while (!served(api).containsAll(names)) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || !changed.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                return false;
            }
            changed.drainPermits();
        }
        return true;
    }

    private static Set<String> served(KubeApi api) {
        return api.kinds().stream()
                .map(kind -> kind.resource() + "." + kind.group())
                .collect(Collectors.toSet());
    }
}
