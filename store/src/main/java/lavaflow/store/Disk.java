package lavaflow.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The file operations the store depends on, few enough to be simulated with every way a disk can fail. */
public interface Disk {

    /** The real file system; new files can be read by their owner only. */
    static Disk real() {
        return new RealDisk();
    }

    void createDirectories(Path directory) throws IOException;

    /** The names of the files in a directory, sorted; empty if it does not exist. */
    List<String> list(Path directory) throws IOException;

    /** Creates a file that must not exist, for reading and writing. */
    File create(Path file) throws IOException;

    /** Opens a file that must exist. */
    File open(Path file, boolean writable) throws IOException;

    /** Renames atomically, replacing the target. */
    void rename(Path from, Path to) throws IOException;

    void delete(Path file) throws IOException;

    /** Makes creations, renames and deletions in a directory durable. */
    void forceDirectory(Path directory) throws IOException;

    /** Takes a lock that other processes respect until it is closed; throws if it is taken. */
    Closeable lock(Path file) throws IOException;

    /** An open file, addressed by position. */
    interface File extends Closeable {

        long size() throws IOException;

        /** Reads some bytes; -1 at the end. */
        int read(ByteBuffer target, long position) throws IOException;

        /** Writes all remaining bytes. */
        void write(ByteBuffer source, long position) throws IOException;

        void truncate(long size) throws IOException;

        /** Makes written bytes durable, and with metadata also what is not needed to read them back. */
        void force(boolean metadata) throws IOException;
    }
}
