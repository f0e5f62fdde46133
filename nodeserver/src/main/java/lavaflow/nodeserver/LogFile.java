package lavaflow.nodeserver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** A log file being read line by line, forwards, while somebody may be writing to it. Used by one thread. */
final class LogFile implements AutoCloseable {
    private static final int BLOCK = 64 << 10;
    /** Who writes logs cuts lines long before. */
    private static final int MOST_LINE = 1 << 20;

    /** Takes lines; false wants no more. */
    interface Sink {
        boolean line(byte[] bytes, int from, int to) throws IOException;
    }

    private final FileChannel channel;
    private final @Nullable Object key;
    private byte[] buffer = new byte[BLOCK];
    private int begin;
    private int end;
    private long position;
    /** In the middle of a line too long to be one. */
    private boolean skipping;

    LogFile(Path path, long position) throws IOException {
        Object expected = key(path);
        FileChannel opened = FileChannel.open(path, StandardOpenOption.READ);
        try {
            // Whoever gives it another name meanwhile must not make one file be taken for the other.
            for (Object now = key(path); !Objects.equals(expected, now); now = key(path)) {
                opened.close();
                expected = now;
                opened = FileChannel.open(path, StandardOpenOption.READ);
            }
        } catch (IOException e) {
            opened.close();
            throw e;
        }
        channel = opened;
        key = expected;
        this.position = position;
    }

    private static @Nullable Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** Whether the path leads elsewhere by now. */
    boolean isRotated(Path path) throws IOException {
        try {
            Object now = key(path);
            return key != null && !key.equals(now);
        } catch (NoSuchFileException e) {
            return false; // the next one is not there yet
        }
    }

    /** Shows every line that is complete; false when the sink wants no more. */
    boolean lines(Sink sink) throws IOException {
        while (true) {
            for (int next = newline(); next >= 0; next = newline()) {
                int from = begin;
                begin = next + 1;
                boolean skipped = skipping;
                skipping = false;
                if (!skipped && !sink.line(buffer, from, next)) {
                    return false;
                }
            }
            if (!fill()) {
                return true;
            }
        }
    }

    /** Shows what follows the last complete line, where there is something. */
    boolean rest(Sink sink) throws IOException {
        int from = begin;
        begin = end;
        return from == end || skipping || sink.line(buffer, from, end);
    }

    private int newline() {
        for (int i = begin; i < end; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    private boolean fill() throws IOException {
        if (begin > 0) {
            System.arraycopy(buffer, begin, buffer, 0, end - begin);
            end -= begin;
            begin = 0;
        }
        if (end == buffer.length) {
            if (buffer.length >= MOST_LINE) {
                skipping = true;
                end = 0;
            } else {
                buffer = Arrays.copyOf(buffer, buffer.length * 2);
            }
        }
        int read = channel.read(ByteBuffer.wrap(buffer, end, buffer.length - end), position);
        if (read <= 0) {
            return false;
        }
        position += read;
        end += read;
        return true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Where the last lines of a file begin, or how many it has, where it has fewer. */
    record Tail(long position, long lines) {}

    /** Looks for the beginning of the last whole lines, from the end of a file; parts of lines are not counted. */
    static Tail tail(Path path, long lines) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            Backwards bytes = new Backwards(channel);
            long size = channel.size();
            long found = 0;
            long lineEnd = size;
            boolean last = true;
            for (long at = size - 1; at >= -1; at--) {
                if (at >= 0 && bytes.at(at) != '\n') {
                    continue;
                }
                if (at + 1 < lineEnd) {
                    // A line that is still being written counts as one; a part belongs to the line behind it.
                    boolean whole = bytes.isWhole(at + 1, lineEnd) || last;
                    if (whole && found == lines) {
                        return new Tail(lineEnd, found);
                    }
                    found += whole ? 1 : 0;
                    last = false;
                }
                lineEnd = at + 1;
            }
            return new Tail(0, found);
        }
    }

    /** Bytes of a file by position, read in blocks from behind. */
    private static final class Backwards {
        private final FileChannel channel;
        private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
        private long start = Long.MAX_VALUE;

        Backwards(FileChannel channel) {
            this.channel = channel;
        }

        byte at(long position) throws IOException {
            if (position < start || position >= start + block.limit()) {
                long from = Math.max(0, position - BLOCK + 1024);
                block.clear();
                while (block.hasRemaining()) {
                    int read = channel.read(block, from + block.position());
                    if (read < 0) {
                        break;
                    }
                }
                block.flip();
                start = from;
            }
            int index = (int) (position - start);
            return index < block.limit() ? block.get(index) : 0;
        }

        /** Whether a line ends here, by the tag behind its second space. */
        boolean isWhole(long from, long to) throws IOException {
            int spaces = 0;
            for (long at = from; at < to && at < from + 64; at++) {
                if (at(at) == ' ' && ++spaces == 2) {
                    return at + 1 < to && at(at + 1) != 'P';
                }
            }
            return true;
        }
    }
}
