package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * Namespaces that live on without a process, bound to files. A namespace belongs to a thread, and a thread that left its own
 * cannot be trusted with anything else: each of these works in a thread that ends with it.
 */
public final class Namespaces {
    public static final int UTS = 0x04000000;
    public static final int IPC = 0x08000000;
    public static final int NETWORK = 0x40000000;

    private Namespaces() {}

    /** Something done while a thread is elsewhere. */
    public interface Work {
        void run() throws IOException;
    }

    /** Does something in new namespaces. */
    public static void inNew(int kinds, Work work) throws IOException {
        inThread(() -> {
            CLibrary.call("unshare", SystemCall.UNSHARE, kinds);
            work.run();
        });
    }

    /** Does something in the namespace that a file leads to. */
    public static void inside(Path namespace, Work work) throws IOException {
        inThread(() -> {
            enter(namespace);
            work.run();
        });
    }

    /** Moves this thread into a namespace; for threads that end soon. */
    public static void enter(Path namespace) throws IOException {
        try (OpenFile file = OpenFile.read(namespace)) {
            CLibrary.call("enter " + namespace, SystemCall.SETNS, file.number(), 0);
        }
    }

    /**
     * Binds a namespace of this thread to a file, which then keeps it alive.
     *
     * @param kind as in /proc: ipc, uts, net
     */
    public static void keep(String kind, Path file) throws IOException {
        if (Files.notExists(file)) {
            Files.createFile(file);
        }
        Mounts.bind(Path.of("/proc/thread-self/ns/" + kind), file);
    }

    /** Names the machine, in this thread's namespace of names. */
    public static void setHostname(String name) throws IOException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = CLibrary.string(arena, name);
            CLibrary.call("set hostname " + name, SystemCall.SETHOSTNAME, text.address(), bytes.length);
        }
    }

    private static void inThread(Work work) throws IOException {
        var failure = new Object() {
            @Nullable
            Throwable thrown;
        };
        Thread thread = Thread.ofPlatform().daemon().name("namespace").start(() -> {
            try {
                work.run();
            } catch (IOException | RuntimeException | Error e) {
                failure.thrown = e;
            }
        });
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        switch (failure.thrown) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure.thrown);
        }
    }
}
