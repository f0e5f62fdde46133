package lavaflow.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** Where logs of containers come from. */
@FunctionalInterface
public interface LogSource {
    /** Lines that come one after another. */
    interface LogText extends AutoCloseable {
        /** The next line; null after the last. Fails where the log is cut off. */
        @Nullable
        String next() throws InterruptedException;

        @Override
        void close();
    }

    /** Opens the answer to a path of the API. */
    LogText open(String path);

    /**
     * Where the log of a container is, with times before its lines.
     *
     * @param tail how many lines at most, of the end; below zero for all
     * @param since the second it begins with, empty for the beginning
     * @param ago how many seconds before now it begins; below zero for the beginning
     */
    static String path(
            String namespace, String pod, String container, boolean follow, long tail, String since, long ago) {
        StringBuilder path = new StringBuilder("/api/v1/namespaces/" + namespace + "/pods/" + pod + "/log?container=")
                .append(container)
                .append("&timestamps=true");
        if (follow) {
            path.append("&follow=true");
        }
        if (tail >= 0) {
            path.append("&tailLines=").append(tail);
        }
        if (!since.isEmpty()) {
            path.append("&sinceTime=").append(URLEncoder.encode(since, StandardCharsets.UTF_8));
        } else if (ago >= 0) {
            path.append("&sinceSeconds=").append(ago);
        }
        return path.toString();
    }
}
