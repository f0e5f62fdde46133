package lavaflow;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Which clusters have something on this machine, and who serves them: one entry each, which goes when nothing is left of it, and
 * a lock that its process holds and loses with its life.
 *
 * @param directory of the machine, not of a cluster: it has to be found when that is gone
 */
record MachineRegister(Path directory) {
    /** A process that opens and closes the file of its own lock loses it. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private static final long PAUSE_NANOS = 1_000_000;

    static MachineRegister usual() {
        return new MachineRegister(Path.of("/run/lavaflow"));
    }

    /**
     * A cluster.
     *
     * @param id what everything of it on this machine is named after
     * @param home its data directory
     * @param incarnation tells it from others that had the same directory before or after
     * @param pid who serves it, if anybody does
     */
    record Entry(String id, Path home, String incarnation, long pid) {}

    /** The right to do something about a cluster, which nobody else has meanwhile. */
    final class Tenancy implements AutoCloseable {
        private final String id;
        private final FileChannel channel;

        private Tenancy(String id, FileChannel channel) {
            this.id = id;
            this.channel = channel;
        }

        void enter(Entry entry) throws IOException {
            ObjectNode node = Json.object();
            node.put("directory", entry.home().toString());
            node.put("incarnation", entry.incarnation()).put("pid", entry.pid());
            Path next = directory.resolve(id + ".json.next");
            Files.writeString(next, Json.pretty(node) + "\n");
            Files.move(next, entryFile(id), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }

        /** Nothing is left of the cluster. */
        void leave() throws IOException {
            Files.deleteIfExists(entryFile(id));
            Files.deleteIfExists(lockFile(id));
            close();
            try {
                Files.deleteIfExists(directory);
            } catch (DirectoryNotEmptyException e) {
                // Others are here.
            }
        }

        @Override
        public void close() {
            HELD.remove(lockFile(id));
            try {
                channel.close();
            } catch (IOException e) {
                // The lock goes with the process at the latest.
            }
        }
    }

    private Path entryFile(String id) {
        return directory.resolve(id + ".json");
    }

    private Path lockFile(String id) {
        return directory.resolve(id + ".lock");
    }

    /** Null if somebody else has it. */
    @Nullable
    Tenancy claim(String id) throws IOException {
        Path file = lockFile(id);
        if (!HELD.add(file)) {
            return null;
        }
        Tenancy made = null;
        try {
            while (made == null) {
                FileChannel channel = open(file);
                Object before = inode(file);
                FileLock lock = channel.tryLock();
                if (lock == null) {
                    channel.close();
                    return null;
                }
                // Who had it before may have deleted the file meanwhile, and others made a new one.
                if (before != null && before.equals(inode(file))) {
                    made = new Tenancy(id, channel);
                } else {
                    channel.close();
                }
            }
            return made;
        } finally {
            if (made == null) {
                HELD.remove(file);
            }
        }
    }

    private FileChannel open(Path file) throws IOException {
        while (true) {
            make();
            try {
                return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            } catch (NoSuchFileException e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Who leaves last takes the directory away, perhaps right now. */
    private void make() throws IOException {
        while (true) {
            try {
                Files.createDirectories(directory);
                return;
            } catch (FileAlreadyExistsException e) {
                if (Files.exists(directory) && !Files.isDirectory(directory)) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Whether this user may write here. */
    boolean isOpen() {
        while (true) {
            try {
                make();
            } catch (IOException e) {
                return false;
            }
            boolean writable = Files.isWritable(directory);
            if (writable || Files.exists(directory)) {
                return writable;
            }
        }
    }

    private static @Nullable Object inode(Path file) throws IOException {
        try {
            return Files.getAttribute(file, "unix:ino");
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    Optional<Entry> find(String id) throws IOException {
        try {
            ObjectNode node = Json.parseObject(Files.readAllBytes(entryFile(id)));
            return Optional.of(new Entry(
                    id,
                    Path.of(Json.textAt(node, "directory")),
                    Json.textAt(node, "incarnation"),
                    Json.longAt(node, 0, "pid")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Who serves a cluster; empty if nobody does. */
    Optional<ProcessHandle> server(String id) throws IOException {
        Optional<Entry> entry = find(id);
        if (entry.isEmpty() || HELD.contains(lockFile(id))) {
            return Optional.empty();
        }
        Tenancy free = claim(id);
        if (free != null) {
            free.close();
            return Optional.empty();
        }
        return ProcessHandle.of(entry.get().pid());
    }

    List<Entry> all() throws IOException {
        List<Entry> found = new ArrayList<>();
        try (var files = Files.newDirectoryStream(directory, "*.json")) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                find(name.substring(0, name.length() - ".json".length())).ifPresent(found::add);
            }
        } catch (NoSuchFileException e) {
            return List.of(); // nobody is here, or the last one just left
        }
        found.sort(java.util.Comparator.comparing(Entry::id));
        return found;
    }
}
