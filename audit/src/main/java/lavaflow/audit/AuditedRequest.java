package lavaflow.audit;

import java.time.Instant;
import java.util.List;

/**
 * What is known of a request when it arrives.
 *
 * @param uri path and query as they came
 * @param path the decoded path, by which policies match what is no resource
 * @param target what it is about; null parts do not exist, the empty group is the core group
 */
public record AuditedRequest(
        String id,
        Instant received,
        String verb,
        String uri,
        String path,
        Asker asker,
        List<String> sourceAddresses,
        String userAgent,
        Target target) {

    /** The resource a request is about; {@link #NONE} for paths such as /healthz. */
    public record Target(
            boolean isResource,
            String group,
            String version,
            String resource,
            String subresource,
            String namespace,
            String name) {
        public static final Target NONE = new Target(false, "", "", "", "", "", "");
    }
}
