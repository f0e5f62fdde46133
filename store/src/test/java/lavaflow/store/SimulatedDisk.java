package lavaflow.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A disk in memory that knows what is durable. A crash keeps what was forced and any part of the rest; failures can be
 * ordered for any operation.
 */
final class SimulatedDisk implements Disk {

    private static final int SECTOR = 512;

    /** A change of a file that is not yet durable: bytes at a position, or a new size. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Pending(long position, byte[] bytes, boolean truncation) {}

    private static final class Node {
        byte[] current = new byte[0];
        byte[] durable = new byte[0];
        final List<Pending> pending = new ArrayList<>();
    }

    /** A change of the directory that is not yet durable. */
    private interface Renaming {
        void apply(Map<Path, Node> entries);
    }

    private final Map<Path, Node> entries = new TreeMap<>();
    private final Map<Path, Node> durableEntries = new TreeMap<>();
    private final List<Renaming> pendingEntries = new ArrayList<>();
    private final Set<Path> locks = new HashSet<>();
    private Node lastWritten;
    private int operations;
    private int forces;
    private int powerOffAt = Integer.MAX_VALUE;
    private int failForceAt = Integer.MAX_VALUE;
    private int failAfterOperation = Integer.MAX_VALUE;
    private long capacity = Long.MAX_VALUE;

    /** How many changes were made so far. */
    synchronized int operations() {
        return operations;
    }

    synchronized int forces() {
        return forces;
    }

    /** Every change from this one on fails, as if the machine had stopped. */
    synchronized void powerOffAt(int operation) {
        powerOffAt = operation;
    }

    /** The fsync with this number fails, once. */
    synchronized void failForceAt(int force) {
        failForceAt = force;
    }

    /** The write with this number is made completely and fails nevertheless, once. */
    synchronized void failAfterOperation(int operation) {
        failAfterOperation = operation;
    }

    /** Bytes that fit on the disk. */
    synchronized void capacity(long bytes) {
        capacity = bytes;
    }

    synchronized long used() {
        return entries.values().stream().mapToLong(node -> node.current.length).sum();
    }

    /** The disk after the process was killed: everything is there. */
    synchronized SimulatedDisk afterKill() {
        SimulatedDisk disk = new SimulatedDisk();
        entries.forEach((path, node) -> disk.add(path, node.current));
        return disk;
    }

    /** The process ends, the machine goes on: everything can be read, but what was not forced is still not durable. */
    synchronized void kill() {
        locks.clear();
    }

    /** The disk after a power failure: of what was not forced, a random part is there. */
    synchronized SimulatedDisk afterPowerFailure(Random random) {
        Map<Path, Node> kept = new TreeMap<>(durableEntries);
        pendingEntries.subList(0, random.nextInt(pendingEntries.size() + 1)).forEach(change -> change.apply(kept));
        SimulatedDisk disk = new SimulatedDisk();
        kept.forEach((path, node) -> disk.add(path, survivors(node, random)));
        return disk;
    }

    private static byte[] survivors(Node node, Random random) {
        byte[] bytes = node.durable;
        for (Pending change : node.pending) {
            if (change.truncation) {
                bytes = random.nextBoolean() ? resized(bytes, change.position) : bytes;
                continue;
            }
            for (int at = 0; at < change.bytes.length; ) {
                int sectorEnd = (int) (((change.position + at) / SECTOR + 1) * SECTOR - change.position);
                int end = Math.min(change.bytes.length, sectorEnd);
                if (random.nextBoolean()) {
                    bytes = written(bytes, change.position + at, Arrays.copyOfRange(change.bytes, at, end));
                }
                at = end;
            }
        }
        return bytes;
    }

    /** The length of the last write, if it was not forced. */
    synchronized int lastWriteBytes() {
        return lastWritten.pending.getLast().bytes.length;
    }

    /** The disk on which only so many bytes of the last write arrived, but everything before it. */
    synchronized SimulatedDisk afterTornWrite(int bytes) {
        SimulatedDisk disk = new SimulatedDisk();
        entries.forEach((path, node) -> {
            byte[] content = node.current;
            if (node == lastWritten) {
                content = node.durable;
                for (Pending change : node.pending.subList(0, node.pending.size() - 1)) {
                    content = change.truncation
                            ? resized(content, change.position)
                            : written(content, change.position, change.bytes);
                }
                Pending last = node.pending.getLast();
                content = written(content, last.position, Arrays.copyOf(last.bytes, bytes));
            }
            disk.add(path, content);
        });
        return disk;
    }

    private void add(Path path, byte[] content) {
        Node node = new Node();
        node.current = content.clone();
        node.durable = node.current.clone();
        entries.put(path, node);
        durableEntries.put(path, node);
    }

    /** The bytes of a file, to look at or to damage. */
    synchronized byte[] content(Path path) {
        return entries.get(path).current.clone();
    }

    synchronized void replace(Path path, byte[] content) {
        add(path, content);
    }

    synchronized List<Path> files() {
        return List.copyOf(entries.keySet());
    }

    private static byte[] written(byte[] content, long position, byte[] bytes) {
        byte[] result = Arrays.copyOf(content, (int) Math.max(content.length, position + bytes.length));
        System.arraycopy(bytes, 0, result, (int) position, bytes.length);
        return result;
    }

    private static byte[] resized(byte[] content, long size) {
        return size < content.length ? Arrays.copyOf(content, (int) size) : content;
    }

    private void change() throws IOException {
        if (++operations >= powerOffAt) {
            throw new IOException("the power is off");
        }
    }

    private void rename(Renaming change) {
        change.apply(entries);
        pendingEntries.add(change);
    }

    @Override
    public void createDirectories(Path directory) {}

    @Override
    public synchronized List<String> list(Path directory) {
        return entries.keySet().stream()
                .filter(path -> path.getParent().equals(directory))
                .map(path -> path.getFileName().toString())
                .toList();
    }

    @Override
    public synchronized File create(Path path) throws IOException {
        change();
        if (entries.containsKey(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        Node node = new Node();
        rename(map -> map.put(path, node));
        return new Handle(node);
    }

    @Override
    public synchronized File open(Path path, boolean writable) throws IOException {
        Node node = entries.get(path);
        if (node == null) {
            throw new NoSuchFileException(path.toString());
        }
        return new Handle(node);
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        change();
        rename(map -> {
            Node node = map.remove(from);
            if (node != null) {
                map.put(to, node);
            }
        });
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        change();
        rename(map -> map.remove(path));
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        change();
        if (!list(directory).isEmpty()) { // otherwise it is the one above
            durableEntries.clear();
            durableEntries.putAll(entries);
            pendingEntries.clear();
        }
    }

    @Override
    public synchronized Closeable lock(Path file) throws IOException {
        if (!locks.add(file)) {
            throw new IOException(file + " is locked");
        }
        return () -> locks.remove(file);
    }

    private final class Handle implements File {

        private final Node node;

        Handle(Node node) {
            this.node = node;
        }

        @Override
        public long size() {
            synchronized (SimulatedDisk.this) {
                return node.current.length;
            }
        }

        @Override
        public int read(ByteBuffer target, long position) {
            synchronized (SimulatedDisk.this) {
                int bytes = (int) Math.min(target.remaining(), node.current.length - position);
                if (bytes <= 0) {
                    return -1;
                }
                target.put(node.current, (int) position, bytes);
                return bytes;
            }
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                change();
                long growth = Math.max(0, position + source.remaining() - node.current.length);
                long excess = used() + growth - capacity;
                int fitting = (int) Math.max(0, source.remaining() - Math.max(0, excess));
                byte[] bytes = new byte[excess > 0 ? fitting : source.remaining()];
                source.get(bytes);
                node.current = written(node.current, position, bytes);
                node.pending.add(new Pending(position, bytes, false));
                lastWritten = node;
                if (excess > 0) {
                    throw new IOException("No space left on device");
                }
                if (operations == failAfterOperation) {
                    throw new IOException("Input/output error");
                }
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (SimulatedDisk.this) {
                change();
                node.current = resized(node.current, size);
                node.pending.add(new Pending(size, new byte[0], true));
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            synchronized (SimulatedDisk.this) {
                change();
                if (++forces == failForceAt) {
                    throw new IOException("Input/output error");
                }
                node.durable = node.current.clone();
                node.pending.clear();
            }
        }

        @Override
        public void close() {}
    }
}
