package lavaflow.nodeserver;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Shows clients the logs of containers, as the files have them that conmon (or anyone with that format) writes. */
public final class ContainerLogs {
    private static final int BUFFER = 32 << 10;

    /** How long there can still be something new in a log. */
    public interface Life {
        boolean isOver();

        /** Calls once at the end, at once if that has been; closing it calls it off. */
        AutoCloseable onEnd(Runnable action);

        /** Of a container that has ended. */
        Life OVER = new Life() {
            @Override
            public boolean isOver() {
                return true;
            }

            @Override
            public AutoCloseable onEnd(Runnable action) {
                action.run();
                return () -> {};
            }
        };
    }

    private final Path path;
    private final NodeView.LogRequest request;
    private final OutputStream out;
    private long room;
    private boolean begun = true;

    private ContainerLogs(Path path, NodeView.LogRequest request, OutputStream out) {
        this.path = path;
        this.request = request;
        this.out = out;
        this.room = request.limitBytes() > 0 ? request.limitBytes() : Long.MAX_VALUE;
    }

    /**
     * Writes what is wanted of a log, and what was moved out of its way (the same name, a dot, and when) before it; following, until the
     * container's life is over or the thread is interrupted.
     */
    public static void write(Path log, NodeView.LogRequest request, Life life, OutputStream out) throws IOException {
        BufferedLog buffered = new BufferedLog(out);
        new ContainerLogs(log, request, buffered).write(life);
        if (!Thread.currentThread().isInterrupted()) {
            buffered.flush();
        }
    }

    /**
     * The id of the container whose log is meant, without the scheme, by the statuses of its pod. Refusals are worded as kubelets word them.
     */
    public static String container(ObjectNode pod, String container, boolean previous) {
        JsonNode status = status(pod, container);
        String where = "container " + GoQuote.quote(container) + " in pod "
                + GoQuote.quote(Json.textAt(pod, "metadata", "name"));
        if (status == null) {
            throw ApiException.badRequest(where + " is not available");
        }
        String last = Json.textAt(status, "lastState", "terminated", "containerID");
        if (previous) {
            if (last.isEmpty()) {
                throw ApiException.badRequest("previous terminated " + where + " not found");
            }
            return id(last);
        }
        if (Json.at(status, "state", "running") != null) {
            return id(Json.textAt(status, "containerID"));
        }
        boolean ended =
                Json.at(status, "state", "terminated") != null || Json.at(status, "lastState", "terminated") != null;
        if (ended) {
            String id = Json.textAt(status, "state", "terminated", "containerID");
            if (id.isEmpty() && last.isEmpty()) {
                throw ApiException.badRequest(where + " is terminated");
            }
            return id(id.isEmpty() ? last : id);
        }
        if (Json.at(status, "state", "waiting") == null) {
            throw ApiException.badRequest(where + " is waiting to start - no logs yet");
        }
        String reason = Json.textAt(status, "state", "waiting", "reason");
        String why = switch (reason) {
            case "ErrImagePull" -> "image can't be pulled";
            case "ImagePullBackOff" -> "trying and failing to pull image";
            default -> reason;
        };
        throw ApiException.badRequest(where + " is waiting to start: " + why);
    }

    private static @Nullable JsonNode status(ObjectNode pod, String container) {
        for (String list : List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")) {
            for (JsonNode status : Json.listAt(pod, "status", list)) {
                if (Json.textAt(status, "name").equals(container)) {
                    return status;
                }
            }
        }
        return null;
    }

    private static String id(String withScheme) {
        int slashes = withScheme.indexOf("://");
        return slashes < 0 ? withScheme : withScheme.substring(slashes + 3);
    }

    private void write(Life life) throws IOException {
        if (!request.follow()) {
            readOnce();
            return;
        }
        Semaphore changed = new Semaphore(0);
        try (var _ = LogWatch.watch(directory(), changed::release);
                AutoCloseable _ = life.onEnd(changed::release)) {
            follow(life, changed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private Path directory() {
        Path parent = path.toAbsolutePath().getParent();
        return parent == null ? path : parent;
    }

    private void readOnce() throws IOException {
        List<Path> files = files();
        long position = start(files);
        for (int i = 0; i < files.size(); i++) {
            try (LogFile file = new LogFile(files.get(i), i == 0 ? position : 0)) {
                if (!file.lines(this::line) || !file.rest(this::line)) {
                    return;
                }
            }
        }
    }

    private void follow(Life life, Semaphore changed) throws IOException, InterruptedException {
        List<Path> files = files();
        long position = start(files);
        for (int i = 0; i < files.size() - 1; i++) {
            try (LogFile file = new LogFile(files.get(i), i == 0 ? position : 0)) {
                if (!file.lines(this::line)) {
                    return;
                }
            }
        }
        long from = files.size() == 1 ? position : 0;
        while (followFile(from, life, changed)) {
            from = 0; // in the next file
        }
    }

    /** True when the log goes on in another file. */
    private boolean followFile(long from, Life life, Semaphore changed) throws IOException, InterruptedException {
        try (LogFile file = new LogFile(path, from)) {
            while (true) {
                changed.drainPermits();
                // Asked before reading: what is written before the end is read after it.
                boolean over = life.isOver();
                boolean rotated = file.isRotated(path);
                if (!file.lines(this::line)) {
                    return false;
                }
                if (rotated) {
                    return true;
                }
                if (over) {
                    file.rest(this::line);
                    return false;
                }
                out.flush();
                changed.acquire();
            }
        }
    }

    /** The files of this log that are not compressed, the oldest first; at least one, which may not be there. */
    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        Path name = path.getFileName();
        if (name != null && Files.isDirectory(directory())) {
            try (var older = Files.newDirectoryStream(
                    directory(), each -> isOlder(each.getFileName().toString(), name + "."))) {
                older.forEach(files::add);
            }
        }
        files.sort(null);
        if (Files.exists(path)) {
            files.add(path);
        }
        if (files.isEmpty()) {
            throw new NoSuchFileException(path.toString());
        }
        return files;
    }

    private static boolean isOlder(String name, String prefix) {
        return name.startsWith(prefix) && name.substring(prefix.length()).matches("[0-9]{8}-[0-9]{6}(\\.[0-9]+)?");
    }

    /** Where to begin; files that are too old for it are taken off the list. */
    private long start(List<Path> files) throws IOException {
        if (request.tailLines() < 0) {
            return 0;
        }
        long wanted = request.tailLines();
        for (int i = files.size() - 1; i >= 0; i--) {
            LogFile.Tail tail = LogFile.tail(files.get(i), wanted);
            wanted -= tail.lines();
            if (tail.position() > 0 || i == 0) {
                files.subList(0, i).clear();
                return tail.position();
            }
        }
        return 0;
    }

    private boolean line(byte[] bytes, int from, int to) throws IOException {
        LogLine line = LogLine.parse(bytes, from, to);
        if (line == null || !isWanted(line)) {
            return true;
        }
        boolean more = true;
        if (begun && request.timestamps()) {
            byte[] time = (line.printedTime() + " ").getBytes(StandardCharsets.ISO_8859_1);
            more = say(time, 0, time.length);
        }
        begun = line.whole();
        more = more && say(line.bytes(), line.from(), line.to());
        return more && (!line.whole() || say(new byte[] {'\n'}, 0, 1));
    }

    private boolean isWanted(LogLine line) {
        boolean stream = switch (request.stream()) {
            case ALL -> true;
            case STDOUT -> line.stdout();
            case STDERR -> !line.stdout();
        };
        if (!stream || request.since() == null) {
            return stream;
        }
        Instant when = line.instant();
        return when == null || !when.isBefore(request.since());
    }

    private boolean say(byte[] bytes, int from, int to) throws IOException {
        int length = (int) Math.min(room, to - from);
        out.write(bytes, from, length);
        room -= length;
        return room > 0;
    }

    /** Small pieces together; those who follow flush it. */
    private static final class BufferedLog extends OutputStream {
        private final OutputStream out;
        private final byte[] buffer = new byte[BUFFER];
        private int length;

        BufferedLog(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            if (count > buffer.length - length) {
                drain();
            }
            if (count > buffer.length) {
                out.write(bytes, offset, count);
                return;
            }
            System.arraycopy(bytes, offset, buffer, length, count);
            length += count;
        }

        private void drain() throws IOException {
            if (Thread.currentThread().isInterrupted()) {
                throw new EOFException("the client left");
            }
            out.write(buffer, 0, length);
            length = 0;
        }

        @Override
        public void flush() throws IOException {
            drain();
            out.flush();
        }
    }
}
