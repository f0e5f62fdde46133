package lavaflow;

import java.util.concurrent.CountDownLatch;

/** Stays in the foreground with a role until the process is told to end, and lets it end before the process does. */
final class Foreground {
    /** Something that works until it is interrupted. */
    interface Role extends AutoCloseable {
        /** Works; whether it ended because somebody else has to go on. */
        boolean run() throws InterruptedException;

        @Override
        void close();
    }

    /** Begins a role; what it was told wrongly is an {@link IllegalArgumentException}. */
    interface Beginning {
        Role begin() throws Exception;
    }

    private Foreground() {}

    /** The exit code. */
    static int stay(Beginning beginning) throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        Thread worker = Thread.currentThread();
        try (Role role = beginning.begin();
                Pulse pulse = new Pulse(new Carriers())) {
            pulse.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                worker.interrupt();
                ListenAddress.awaitQuietly(stopped);
            }));
            return role.run() ? Lava.FAILED : Lava.DONE;
        } catch (InterruptedException _) {
            return Lava.DONE;
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.USAGE, String.valueOf(e.getMessage()));
        } finally {
            stopped.countDown();
        }
    }
}
