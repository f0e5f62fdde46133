package lavaflow.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Does many independent requests: side by side on a live server, one after the other where order must be exact. */
public interface Fanout {
    /** One after the other, on the caller's thread. */
    Fanout SEQUENTIAL = tasks -> tasks.forEach(Runnable::run);

    /** Runs all and returns when all are done. Tasks keep their failures to themselves. */
    void run(List<Runnable> tasks);

    /** Side by side, so many at a time. */
    static Fanout parallel(int width) {
        return tasks -> {
            if (tasks.size() < 2) {
                SEQUENTIAL.run(tasks);
                return;
            }
            Semaphore places = new Semaphore(width);
            List<Thread> threads = new ArrayList<>(tasks.size());
            for (Runnable task : tasks) {
                places.acquireUninterruptibly();
                threads.add(Thread.ofVirtual().start(() -> {
                    try {
                        task.run();
                    } finally {
                        places.release();
                    }
                }));
            }
            try {
                for (Thread thread : threads) {
                    thread.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }
}
