package lavaflow.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import lavaflow.linux.FileCalls;

/**
 * Unpacked layers seen as one tree, the way an overlay file system shows them. Paths are relative, without links in front of
 * their last step.
 */
final class LayerView {
    /** The marks overlay file systems know, of those mounted by root and by anybody else. */
    static final String OPAQUE = "trusted.overlay.opaque";

    static final String USER_OPAQUE = "user.overlay.opaque";

    private final List<String> highestFirst;

    /** A file and where it really is. */
    record Found(String path, FileCalls.Status status) {}

    LayerView(List<String> highestFirst) {
        this.highestFirst = List.copyOf(highestFirst);
    }

    /** The name of a file of ours as {@link FileCalls} wants it. */
    static String name(Path path) {
        return new String(path.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    Optional<Found> find(String path) throws IOException {
        for (String layer : highestFirst) {
            String[] steps = path.isEmpty() ? new String[0] : path.split("/", -1);
            StringBuilder place = new StringBuilder(layer);
            FileCalls.Status status = FileCalls.find(layer).orElseThrow(() -> new IOException(layer + " is missing"));
            boolean hidesLower = false;
            boolean present = true;
            for (int i = 0; i < steps.length && present; i++) {
                hidesLower |= i > 0 && isOpaque(place.toString());
                place.append('/').append(steps[i]);
                Optional<FileCalls.Status> next = FileCalls.find(place.toString());
                present = next.isPresent();
                if (present) {
                    status = next.get();
                    if (status.isWhiteout() || (i < steps.length - 1 && !status.isDirectory())) {
                        return Optional.empty();
                    }
                }
            }
            if (present) {
                return Optional.of(new Found(place.toString(), status));
            }
            if (hidesLower) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    static boolean isOpaque(String directory) throws IOException {
        return FileCalls.hasAttribute(directory, OPAQUE) || FileCalls.hasAttribute(directory, USER_OPAQUE);
    }
}
