package lavaflow.sandbox;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what a plain process writes into two files into a log as containers have one. How far it came is written down after
 * the lines themselves: a kill in between repeats some of them, but loses none.
 */
final class PlainLog {
    private static final Logger LOG = LoggerFactory.getLogger(PlainLog.class);
    private static final int PIECE = 16 << 10;

    /** Hears of new output as it comes; for attachments. */
    interface Listener {
        void received(String stream, byte[] bytes);
    }

    private final Path directory;
    private final Path log;
    private final List<Listener> listeners = new java.util.concurrent.CopyOnWriteArrayList<>();

    PlainLog(Path directory, Path log) {
        this.directory = directory;
        this.log = log;
    }

    void add(Listener listener) {
        listeners.add(listener);
    }

    void remove(Listener listener) {
        listeners.remove(listener);
    }

    /**
     * Copies what is new.
     *
     * @param whole whether nothing more will come: then also a line without an end is written
     */
    synchronized void copy(boolean whole) {
        for (String stream : List.of("stdout", "stderr")) {
            try {
                copy(stream, whole);
            } catch (IOException e) {
                LOG.warn("cannot write {}", log, e);
            }
        }
    }

    private void copy(String stream, boolean whole) throws IOException {
        Path raw = directory.resolve(stream);
        Path mark = directory.resolve(stream + ".copied");
        if (Files.notExists(raw)) {
            return;
        }
        long copied = ControlGroups.readLong(mark);
        try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "r")) {
            byte[] buffer = new byte[PIECE];
            while (copied < file.length()) {
                file.seek(copied);
                int count = file.read(buffer);
                int used = write(stream, buffer, count, whole || count == PIECE);
                if (used == 0) {
                    return;
                }
                byte[] piece = java.util.Arrays.copyOf(buffer, used);
                copied += used;
                Files.writeString(mark, Long.toString(copied));
                listeners.forEach(listener -> listener.received(stream, piece));
            }
        }
    }

    /** Writes the lines of a piece; what follows the last end of a line waits unless it must not. */
    private int write(String stream, byte[] bytes, int count, boolean all) throws IOException {
        StringBuilder lines = new StringBuilder();
        List<Integer> ends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (bytes[i] == '\n') {
                ends.add(i);
            }
        }
        int from = 0;
        String time = Instant.now().toString();
        for (int end : ends) {
            line(lines, time, stream, "F", bytes, from, end);
            from = end + 1;
        }
        if (all && from < count) {
            line(lines, time, stream, "P", bytes, from, count);
            from = count;
        }
        if (!lines.isEmpty()) {
            Files.writeString(
                    log,
                    lines,
                    StandardCharsets.ISO_8859_1,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND,
                    StandardOpenOption.WRITE);
        }
        return from;
    }

    private static void line(
            StringBuilder lines, String time, String stream, String tag, byte[] bytes, int from, int to) {
        lines.append(time)
                .append(' ')
                .append(stream)
                .append(' ')
                .append(tag)
                .append(' ')
                .append(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1))
                .append('\n');
    }
}
