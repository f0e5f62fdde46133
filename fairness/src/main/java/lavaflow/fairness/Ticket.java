package lavaflow.fairness;

import java.util.concurrent.atomic.AtomicBoolean;

/** The right to run. Closing it gives the seats back; only the first time counts. */
public final class Ticket implements AutoCloseable {
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final Runnable giveBack;

    Ticket(Runnable giveBack) {
        this.giveBack = giveBack;
    }

    @Override
    public void close() {
        if (open.compareAndSet(true, false)) {
            giveBack.run();
        }
    }
}
