package lavaflow.access;

import java.util.List;

/**
 * What may be asked without saying who one is.
 *
 * @param paths only these, exactly as written; empty for all
 */
public record AnonymousRequests(boolean enabled, List<String> paths) {
    /** Health and version: what does no harm. */
    public static final AnonymousRequests HEALTH =
            new AnonymousRequests(true, List.of("/healthz", "/livez", "/readyz", "/version", "/version/"));

    public boolean allow(String path) {
        return enabled && (paths.isEmpty() || paths.contains(path));
    }
}
