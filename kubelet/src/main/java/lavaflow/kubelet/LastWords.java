package lavaflow.kubelet;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a container said at its end: in its file, or, if it failed and wanted that, at the end of its log. */
final class LastWords {
    private static final int MOST_OF_FILE = 4096;
    private static final int MOST_OF_LOG = 2048;
    private static final int MOST_LINES = 80;
    private static final int LOG_TAIL = 64 * 1024;

    private LastWords() {}

    static String of(Path file, Path log, boolean logOnError, int code) {
        try {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) > 0) {
                return new String(start(file, MOST_OF_FILE), StandardCharsets.UTF_8);
            }
            if (logOnError && code != 0 && Files.isRegularFile(log)) {
                return tail(lines(end(log)));
            }
        } catch (IOException e) {
            return "Error on reading termination log " + file + ": " + e.getMessage();
        }
        return "";
    }

    private static byte[] start(Path file, int most) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return in.readNBytes(most);
        }
    }

    private static String end(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(0, in.length() - LOG_TAIL);
            in.seek(from);
            byte[] bytes = new byte[(int) (in.length() - from)];
            in.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** What was said, without the time, stream and tag before it; a line that was ended has its end. */
    static List<String> lines(String log) {
        List<String> lines = new ArrayList<>();
        boolean open = false;
        for (String line : log.split("\n", -1)) {
            String[] parts = line.split(" ", 4);
            if (parts.length < 4) {
                continue;
            }
            boolean goesOn = parts[2].startsWith("P");
            String said = goesOn ? parts[3] : parts[3] + "\n";
            if (open) {
                lines.set(lines.size() - 1, lines.getLast() + said);
            } else {
                lines.add(said);
            }
            open = goesOn;
        }
        return lines;
    }

    static String tail(List<String> lines) {
        List<String> last = lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size());
        byte[] bytes = String.join("", last).getBytes(StandardCharsets.UTF_8);
        int from = Math.max(0, bytes.length - MOST_OF_LOG);
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }
}
