package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.linux.FileTree;
import lavaflow.sandbox.ContainerRuntime;
import lavaflow.sandbox.SandboxException;

/** Keeps logs from growing without end: the file is renamed, the container writes on in a new one, the oldest goes. */
final class LogRotation {
    static final long MOST_BYTES = 10L << 20;
    static final int MOST_FILES = 5;
    private static final int MOST_LOGS = 1000;
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private LogRotation() {}

    /** True if the log was long enough to be renamed. */
    static boolean rotate(ContainerRuntime runtime, String container, Path log, Instant now)
            throws IOException, SandboxException {
        if (!Files.isRegularFile(log) || Files.size(log) < MOST_BYTES) {
            return false;
        }
        Path renamed = log.resolveSibling(log.getFileName() + "." + STAMP.format(now));
        Files.move(log, renamed);
        runtime.reopenLog(container);
        List<Path> old = rotated(log);
        // The one being written is one of them.
        for (int i = 0; i < old.size() - (MOST_FILES - 1); i++) {
            Files.deleteIfExists(old.get(i));
        }
        return true;
    }

    /** The renamed files of a log, the oldest first. */
    static List<Path> rotated(Path log) throws IOException {
        List<Path> files = new ArrayList<>();
        Path directory = log.getParent();
        if (directory == null || Files.notExists(directory)) {
            return files;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, log.getFileName() + ".*")) {
            found.forEach(files::add);
        }
        files.sort(null);
        return files;
    }

    /** What all logs of a container take. */
    static FileTree.Space space(Path directory) {
        return FileTree.measure(directory, MOST_LOGS);
    }
}
