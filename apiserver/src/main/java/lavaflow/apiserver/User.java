package lavaflow.apiserver;

import java.util.List;
import java.util.Map;

/**
 * Who asks.
 *
 * @param extra what else is known, as which credential was shown
 */
public record User(String name, List<String> groups, Map<String, List<String>> extra) {
    public static final User ANONYMOUS = new User("system:anonymous", List.of("system:unauthenticated"));

    public User(String name, List<String> groups) {
        this(name, groups, Map.of());
    }

    public boolean inGroup(String group) {
        return groups.contains(group);
    }

    /** Members of this group may do everything. */
    public boolean isMaster() {
        return groups.contains("system:masters");
    }
}
