package lavaflow.access;

import java.util.List;
import java.util.Map;

/**
 * Who asks.
 *
 * @param uid empty where the credential has none
 * @param extra what else is known, as which credential was shown
 */
public record User(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
    public static final String AUTHENTICATED = "system:authenticated";
    public static final String MASTERS = "system:masters";

    public static final User ANONYMOUS = new User("system:anonymous", List.of("system:unauthenticated"));

    public User(String name, List<String> groups) {
        this(name, "", groups, Map.of());
    }

    public User(String name, List<String> groups, Map<String, List<String>> extra) {
        this(name, "", groups, extra);
    }

    public boolean inGroup(String group) {
        return groups.contains(group);
    }

    public boolean isAnonymous() {
        return name.equals(ANONYMOUS.name);
    }

    /** Members of this group may do everything. */
    public boolean isMaster() {
        return groups.contains(MASTERS);
    }
}
