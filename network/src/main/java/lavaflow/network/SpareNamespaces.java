package lavaflow.network;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

import lavaflow.linux.NetworkNamespace;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One namespace with its interface and address, ready for the next pod: making it takes the kernel as long as all else a pod
 * needs before its first process. The first pod finds none, and after the last one it goes, so that a node without pods has
 * nothing. No file keeps it: it ends with this process, however that ends.
 */
final class SpareNamespaces implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpareNamespaces.class);

    /** What a pod gets. */
    record Spare(int address, NetworkNamespace.Unnamed namespace) {}

    /** Makes one. */
    interface Maker {
        Spare make() throws IOException;
    }

    /** How long after the last pod one is kept for the next. */
    static final Duration KEPT = Duration.ofSeconds(5);

    private final Maker maker;
    private final IntConsumer giveBack;
    private final BooleanSupplier isUnused;
    private final ReentrantLock making = new ReentrantLock();
    private @Nullable Spare spare;
    private long takenAtNanos;
    private boolean watching;
    private boolean closed;

    /**
     * @param giveBack is told the address of one that nobody took
     * @param isUnused whether there are no pods
     */
    SpareNamespaces(Maker maker, IntConsumer giveBack, BooleanSupplier isUnused) {
        this.maker = maker;
        this.giveBack = giveBack;
        this.isUnused = isUnused;
    }

    /** The one that is ready, or a new one; the next is made meanwhile. */
    Spare take() throws IOException {
        Spare found = takeReady();
        if (found == null) {
            found = maker.make();
        }
        Thread.ofVirtual().name("spare network").start(this::prepare);
        return found;
    }

    private synchronized @Nullable Spare takeReady() {
        Spare found = spare;
        spare = null;
        takenAtNanos = System.nanoTime();
        return found;
    }

    /** A pod has gone: after the last one, it goes unless another comes soon. */
    synchronized void dropUnused() {
        if (!watching && isUnused.getAsBoolean()) {
            watching = true;
            Thread.ofVirtual().name("spare network").start(this::awaitUnused);
        }
    }

    private void awaitUnused() {
        try {
            for (long left = leftNanos(); left > 0; left = leftNanos()) {
                Thread.sleep(Duration.ofNanos(left));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            watching = false;
        }
        Spare unused = isUnused.getAsBoolean() ? takeReady() : null;
        if (unused != null) {
            unused.namespace().close();
            giveBack.accept(unused.address());
        }
    }

    private synchronized long leftNanos() {
        return closed ? 0 : KEPT.toNanos() - (System.nanoTime() - takenAtNanos);
    }

    private synchronized boolean isWanted() {
        return !closed && spare == null;
    }

    private void prepare() {
        if (!making.tryLock()) {
            return;
        }
        try {
            if (isWanted()) {
                put(maker.make());
                dropUnused(); // its pod may have gone meanwhile
            }
        } catch (IOException e) {
            LOG.debug("no spare network: {}", e.getMessage());
        } finally {
            making.unlock();
        }
    }

    private synchronized void put(Spare made) {
        if (closed) {
            made.namespace().close();
        } else {
            spare = made;
        }
    }

    /** Waits for one that is being made: nothing of it may be left. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        making.lock();
        try {
            Spare left = takeReady();
            if (left != null) {
                left.namespace().close();
            }
        } finally {
            making.unlock();
        }
    }
}
