package lavaflow.simulation;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.store.Disk;

/** A disk that never fails and forgets everything with its process: what the store does on bad ones is tested elsewhere. */
final class MemoryDisk implements Disk {
    private static final class Contents {
        private byte[] bytes = new byte[0];
        private int size;

        synchronized void write(ByteBuffer source, long position) {
            int start = Math.toIntExact(position);
            int end = start + source.remaining();
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            }
            source.get(bytes, start, end - start);
            size = Math.max(size, end);
        }

        synchronized int read(ByteBuffer target, long position) {
            int start = Math.toIntExact(position);
            if (start >= size) {
                return -1;
            }
            int count = Math.min(target.remaining(), size - start);
            target.put(bytes, start, count);
            return count;
        }

        synchronized void resize(long wanted) {
            int next = Math.toIntExact(wanted);
            bytes = Arrays.copyOf(bytes, next);
            size = next;
        }

        synchronized int size() {
            return size;
        }
    }

    private final Map<Path, Contents> files = new TreeMap<>();

    @Override
    public void createDirectories(Path directory) {}

    @Override
    public synchronized List<String> list(Path directory) {
        return files.keySet().stream()
                .filter(file -> directory.equals(file.getParent()))
                .map(file -> file.getFileName().toString())
                .toList();
    }

    @Override
    public synchronized File create(Path file) throws IOException {
        if (files.containsKey(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        Contents contents = new Contents();
        files.put(file, contents);
        return opened(contents);
    }

    @Override
    public synchronized File open(Path file, boolean writable) throws IOException {
        Contents contents = files.get(file);
        if (contents == null) {
            throw new NoSuchFileException(file.toString());
        }
        return opened(contents);
    }

    private static File opened(Contents contents) {
        return new File() {
            @Override
            public long size() {
                return contents.size();
            }

            @Override
            public int read(ByteBuffer target, long position) {
                return contents.read(target, position);
            }

            @Override
            public void write(ByteBuffer source, long position) {
                contents.write(source, position);
            }

            @Override
            public void truncate(long size) {
                contents.resize(size);
            }

            @Override
            public void force(boolean metadata) {}

            @Override
            public void close() {}
        };
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        Contents contents = files.remove(from);
        if (contents == null) {
            throw new NoSuchFileException(from.toString());
        }
        files.put(to, contents);
    }

    @Override
    public synchronized void delete(Path file) {
        files.remove(file);
    }

    @Override
    public void forceDirectory(Path directory) {}

    @Override
    public Closeable lock(Path file) {
        return () -> {};
    }
}
