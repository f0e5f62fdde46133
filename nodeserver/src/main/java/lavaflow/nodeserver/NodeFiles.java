package lavaflow.nodeserver;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** The node's own log files, to look at. Nothing outside their directory is shown, whatever links lead there. */
final class NodeFiles {
    private static final int MOST_LISTED = 10_000;

    private final @Nullable Path directory;

    NodeFiles(@Nullable Path directory) {
        this.directory = directory;
    }

    void serve(NodeRequest request, NodeReply reply) throws IOException {
        Path file = find(request.segments().subList(1, request.segments().size()));
        if (Files.isDirectory(file)) {
            if (!request.path().endsWith("/")) {
                reply.header("Location", request.path() + "/");
                reply.text(301, "");
                return;
            }
            reply.send(200, "text/html; charset=utf-8", listing(file).getBytes(StandardCharsets.UTF_8));
            return;
        }
        try (OutputStream out = reply.stream("text/plain; charset=utf-8")) {
            Files.copy(file, out);
        }
    }

    private Path find(List<String> segments) {
        ApiException none = ApiException.of(404, "NotFound", "404 page not found\n");
        if (directory == null) {
            throw none;
        }
        try {
            Path root = directory.toRealPath();
            Path wanted = root;
            for (String segment : segments) {
                if (segment.indexOf('/') >= 0 || segment.indexOf('\0') >= 0) {
                    throw none;
                }
                wanted = segment.isEmpty() ? wanted : wanted.resolve(segment);
            }
            Path real = wanted.toRealPath();
            if (!real.startsWith(root) || !(Files.isRegularFile(real) || Files.isDirectory(real))) {
                throw none;
            }
            return real;
        } catch (IOException e) {
            throw none;
        }
    }

    private static String listing(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (var files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (names.size() < MOST_LISTED) {
                    names.add(file.getFileName() + (Files.isDirectory(file) ? "/" : ""));
                }
            }
        }
        names.sort(null);
        StringBuilder page = new StringBuilder("<pre>\n");
        for (String name : names) {
            String shown = name.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
            page.append("<a href=\"").append(shown).append("\">").append(shown).append("</a>\n");
        }
        return page.append("</pre>\n").toString();
    }
}
