package lavaflow.access;

import java.util.List;
import java.util.Map;

/**
 * What there is to say about a credential that is good.
 *
 * @param warnings for whoever showed it
 * @param annotations for the audit log
 */
public record Remarks(List<String> warnings, Map<String, String> annotations) {
    public static final Remarks NONE = new Remarks(List.of(), Map.of());
}
