package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import lavaflow.kube.ApiException;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

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

    /** Makes a role that works on a server. */
    interface OnServer<R extends Role> {
        R on(RemoteKubeApi api) throws IOException;
    }

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private Foreground() {}

    /** Connects, however long the server takes to come up; other failures are the caller's. */
    static <R extends Role> R connect(Settings connection, OnServer<R> role) throws IOException, InterruptedException {
        while (true) {
            try {
                RemoteKubeApi api = new RemoteKubeApi(connection);
                try {
                    return role.on(api);
                } catch (IOException | RuntimeException e) {
                    api.close();
                    throw e;
                }
            } catch (ApiException e) {
                if (e.code() < 500) {
                    throw e;
                }
                Thread.sleep(PAUSE);
            }
        }
    }

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
