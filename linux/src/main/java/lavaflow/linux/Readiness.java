package lavaflow.linux;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets threads wait until pipes can be read or written. A virtual thread that waits in the kernel keeps its carrier, and there
 * are only as many of those as processors; here one platform thread waits for all pipes, and starts with the first.
 */
final class Readiness {
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);
    private static final Readiness ALL = new Readiness();

    private final ConcurrentMap<Integer, Semaphore> waiting = new ConcurrentHashMap<>();
    private @Nullable EventQueue events;

    private Readiness() {}

    /** One file whose reader or writer waits now and then. One thread at a time may do so. */
    static final class Waiter {
        private final OpenFile file;
        private final int wanted;
        private final Semaphore ready = new Semaphore(0);
        private boolean known;

        Waiter(OpenFile file, int wanted) {
            this.file = file;
            this.wanted = wanted;
        }

        /** Has {@link #await} return when the file is ready; the file must be open. */
        void prepare() throws SystemException {
            ready.drainPermits();
            ALL.register(this);
        }

        void await() throws InterruptedException {
            ready.acquire();
        }

        /** Wakes whoever waits; call before the file is closed. */
        void forget() {
            ALL.waiting.remove(file.number(), ready);
            ready.release();
        }
    }

    private void register(Waiter waiter) throws SystemException {
        EventQueue queue = opened();
        waiting.put(waiter.file.number(), waiter.ready);
        if (waiter.known) {
            queue.change(waiter.file, waiter.wanted | EventQueue.ONCE, waiter.file.number());
        } else {
            queue.add(waiter.file, waiter.wanted | EventQueue.ONCE, waiter.file.number());
            waiter.known = true;
        }
    }

    private synchronized EventQueue opened() throws SystemException {
        EventQueue current = events;
        if (current == null) {
            EventQueue made = new EventQueue();
            events = made;
            current = made;
            Thread.ofPlatform().daemon().name("pipes").stackSize(256 << 10).start(() -> run(made));
        }
        return current;
    }

    private void run(EventQueue queue) {
        try {
            queue.run(number -> {
                Semaphore ready = waiting.get((int) number);
                if (ready != null) {
                    ready.release();
                }
                return true;
            });
        } catch (SystemException e) {
            LOG.error("nobody waits for pipes any more", e);
        }
    }
}
