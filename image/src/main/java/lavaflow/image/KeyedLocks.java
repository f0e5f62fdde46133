package lavaflow.image;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A lock for each key somebody wants; forgotten when nobody does. */
final class KeyedLocks {
    private final Map<String, Held> locks = new HashMap<>();

    private static final class Held {
        final ReentrantLock lock = new ReentrantLock();
        int users;
    }

    /** Holds the key until it is closed. */
    interface Hold extends AutoCloseable {
        @Override
        void close();
    }

    Hold hold(String key) {
        Held held;
        synchronized (locks) {
            held = locks.computeIfAbsent(key, _ -> new Held());
            held.users++;
        }
        held.lock.lock();
        return () -> {
            held.lock.unlock();
            synchronized (locks) {
                if (--held.users == 0) {
                    locks.remove(key);
                }
            }
        };
    }
}
