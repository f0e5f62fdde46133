package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import lavaflow.linux.Mounts;
import lavaflow.linux.OpenFile;

import org.jspecify.annotations.Nullable;

/**
 * A program that makes containers as the Open Container Initiative says: runc, or crun where that is asked for or alone there.
 * What one of them made the other cannot handle, so what lies in the state of a container tells whose it is.
 */
record OciRuntime(String name, Path program) {
    static final List<String> KNOWN = List.of("runc", "crun");
    static final String RECURSIVELY_READ_ONLY = "rro";
    private static final String CRUN = "crun";
    private static final long LOOK_MILLIS = 100;
    /** What crun writes about a container; runc writes another file. */
    private static final String CRUN_STATE = "status";

    /** The one that is wanted, or else the first there is. */
    static Optional<OciRuntime> find(@Nullable String wanted) {
        return KNOWN.stream()
                .filter(name -> wanted == null || name.equals(wanted))
                .flatMap(name -> Programs.find(name).stream().map(path -> new OciRuntime(name, path)))
                .findFirst();
    }

    /** Why it cannot be used on this machine. */
    Optional<String> obstacle() throws IOException {
        return name.equals(CRUN) ? obstacle(Mounts.table()) : Optional.empty();
    }

    /** crun takes control groups of one version only. */
    static Optional<String> obstacle(List<Mounts.Entry> mounts) {
        boolean first = mounts.stream().anyMatch(entry -> entry.type().equals("cgroup"));
        for (Mounts.Entry entry : mounts) {
            if (first && entry.type().equals("cgroup2") && hasControllers(entry.target())) {
                return Optional.of("crun refuses control groups of both versions beside each other, and version 2 has"
                        + " controllers here (" + entry.target() + "/cgroup.controllers): install runc.");
            }
        }
        return Optional.empty();
    }

    private static boolean hasControllers(Path hierarchy) {
        try {
            return !Files.readString(hierarchy.resolve("cgroup.controllers")).isBlank();
        } catch (IOException e) {
            return false;
        }
    }

    /** Older ones take an option they do not know for the file system's own and mount without it. */
    boolean mountsRecursivelyReadOnly() throws IOException {
        return Programs.output(program, "features").contains("\"" + RECURSIVELY_READ_ONLY + "\"");
    }

    static boolean isCrun(Path state) {
        return Files.exists(state.resolve(CRUN_STATE));
    }

    /** Whose container it is. */
    OciRuntime of(Path state) {
        String maker = isCrun(state) ? CRUN : "runc";
        return maker.equals(name) ? this : find(maker).orElse(this);
    }

    /**
     * Lets the program of a container run, which waits at a pipe, as the runtime's {@code start} would: it costs a tenth of a
     * millisecond instead of a program. With runc the container writes, with crun it reads.
     *
     * @param patience asked now and then whether to wait longer
     * @return false if it was not there yet when patience ended
     */
    static boolean letGo(Path state, BooleanSupplier patience) throws IOException {
        Path pipe = state.resolve("exec.fifo");
        if (isCrun(state)) {
            try (OpenFile opened = OpenFile.writePipe(pipe)) {
                opened.send(new byte[] {0});
            }
        } else {
            try (OpenFile opened = OpenFile.readPipe(pipe)) {
                while (!opened.awaitInput(LOOK_MILLIS)) {
                    if (!patience.getAsBoolean()) {
                        return false;
                    }
                }
            }
        }
        Files.deleteIfExists(pipe);
        return true;
    }
}
