package lavaflow.linux;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when processes end that are not children of this one. One thread waits for all of them; it starts with the first.
 */
public final class ProcessWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessWatch.class);
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final long STOP = 0;

    private record Watched(OpenFile process, Runnable listener) {}

    /** By numbers that are used once: those of files come back. */
    private final Map<Long, Watched> watched = new HashMap<>();

    private long last = STOP;
    private @Nullable EventQueue events;
    private @Nullable OpenFile stop;

    /** Calls the listener when a process has ended, at once if it is gone already. */
    public void add(long pid, Runnable listener) {
        try {
            OpenFile process = new OpenFile((int) CLibrary.call("watch " + pid, SystemCall.PIDFD_OPEN, pid, 0));
            synchronized (this) {
                EventQueue queue = opened();
                watched.put(++last, new Watched(process, listener));
                queue.add(process, EventQueue.TO_READ, last);
            }
        } catch (SystemException e) {
            if (!e.is(ErrorCode.ESRCH) && !e.is(ErrorCode.EINVAL)) {
                LOG.warn("cannot watch process {}", pid, e);
                return;
            }
            Thread.ofVirtual().start(listener);
        } catch (IOException e) {
            LOG.warn("cannot watch process {}", pid, e);
        }
    }

    private synchronized EventQueue opened() throws IOException {
        EventQueue current = events;
        if (current != null) {
            return current;
        }
        EventQueue made = new EventQueue();
        OpenFile stopping = new OpenFile((int) CLibrary.call("eventfd", SystemCall.EVENTFD2, 0, CLOSE_ON_EXEC));
        made.add(stopping, EventQueue.TO_READ, STOP);
        events = made;
        stop = stopping;
        Thread.ofPlatform().daemon().name("processes").stackSize(256 << 10).start(() -> run(made, stopping));
        return made;
    }

    private void run(EventQueue queue, OpenFile stopping) {
        try (queue;
                stopping) {
            queue.run(key -> {
                if (key == STOP) {
                    return false;
                }
                ended(queue, key);
                return true;
            });
        } catch (SystemException e) {
            LOG.error("processes are no longer watched", e);
        }
    }

    private synchronized void ended(EventQueue queue, long key) {
        Watched entry = watched.remove(key);
        if (entry != null) {
            try {
                queue.remove(entry.process);
            } catch (SystemException e) {
                LOG.warn("process is still watched", e);
            }
            entry.process.close();
            Thread.ofVirtual().start(entry.listener);
        }
    }

    /** Whatever ends from now on is told to nobody, whether or not the thread has noticed yet that it is to stop. */
    @Override
    public synchronized void close() {
        watched.values().forEach(entry -> entry.process.close());
        watched.clear();
        OpenFile stopping = stop;
        if (stopping != null) {
            try {
                stopping.send(new byte[] {1, 0, 0, 0, 0, 0, 0, 0});
            } catch (IOException e) {
                LOG.debug("cannot stop watching", e);
            }
        }
        events = null;
        stop = null;
    }
}
