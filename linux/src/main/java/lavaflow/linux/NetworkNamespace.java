package lavaflow.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A network of its own, kept by a file that others enter it by. It outlives this process. */
public final class NetworkNamespace {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int CLOSE_ON_EXEC = 0x80000;

    private NetworkNamespace() {}

    /** Work inside a namespace. */
    @FunctionalInterface
    public interface Work<T> {
        T in() throws IOException;
    }

    /** Work in a namespace that was just made, with a number by which other calls name it. */
    @FunctionalInterface
    public interface Furnishing {
        void in(int descriptor) throws IOException;
    }

    /** One that no file keeps yet: it ends when it is closed, or with this process. */
    public static final class Unnamed implements AutoCloseable {
        private final int descriptor;
        private boolean closed;

        private Unnamed(int descriptor) {
            this.descriptor = descriptor;
        }

        /** Lets a file keep it from now on. Nothing is left if that fails. */
        public synchronized void keep(Path file) throws IOException {
            if (closed) {
                throw new IOException("the namespace has ended");
            }
            try {
                Files.createFile(file);
            } catch (FileAlreadyExistsException e) {
                delete(file);
                Files.createFile(file);
            }
            try {
                NetworkCalls.bind("/proc/self/fd/" + descriptor, file.toString());
            } catch (IOException | RuntimeException e) {
                delete(file);
                throw e;
            }
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                try {
                    NetworkCalls.close(descriptor);
                } catch (KernelException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** Makes a namespace and furnishes it, on a thread that ends there. Nothing is left if that fails. */
    public static Unnamed create(Furnishing furnishing) throws IOException {
        return apart(() -> {
            NetworkCalls.unshare(CLONE_NEWNET);
            Unnamed made = new Unnamed(NetworkCalls.open("/proc/thread-self/ns/net", CLOSE_ON_EXEC));
            try {
                furnishing.in(made.descriptor);
                return made;
            } catch (IOException | RuntimeException e) {
                made.close();
                throw e;
            }
        });
    }

    /** Makes a namespace that a file keeps, and furnishes it. Nothing is left if that fails. */
    public static void create(Path file, Furnishing furnishing) throws IOException {
        try (Unnamed made = create(furnishing)) {
            made.keep(file);
        }
    }

    /** Does something inside a namespace: what it opens there stays there. */
    public static <T> T enter(Path file, Work<T> work) throws IOException {
        return apart(() -> {
            int descriptor = NetworkCalls.open(file.toString(), CLOSE_ON_EXEC);
            try {
                NetworkCalls.enterNamespace(descriptor, CLONE_NEWNET);
            } finally {
                NetworkCalls.close(descriptor);
            }
            return work.in();
        });
    }

    /** Whether a file names a namespace: then it is on another file system than its directory. */
    public static boolean isOne(Path file) {
        try {
            Path directory = file.toAbsolutePath().getParent();
            return directory != null
                    && !Files.getAttribute(file, "unix:dev").equals(Files.getAttribute(directory, "unix:dev"));
        } catch (IOException e) {
            return false;
        }
    }

    /** Lets go of a namespace, which ends with its last process; also of several mounted over each other. */
    public static void delete(Path file) throws IOException {
        while (Files.exists(file)) {
            try {
                NetworkCalls.unmountLazily(file.toString());
            } catch (KernelException e) {
                if (e.errno() == KernelException.EINVAL || e.errno() == KernelException.ENOENT) {
                    break;
                }
                throw e;
            }
        }
        Files.deleteIfExists(file);
    }

    /** A thread that changes its namespace must not be used by anybody else. */
    private static <T> T apart(Work<T> work) throws IOException {
        FutureTask<T> task = new FutureTask<>(work::in);
        Thread.ofPlatform().daemon().name("network namespace").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    // It takes no time worth mentioning, and half a namespace is no use to anybody.
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
