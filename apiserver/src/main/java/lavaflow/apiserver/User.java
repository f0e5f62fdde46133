package lavaflow.apiserver;

import java.util.List;

/** Who asks. */
public record User(String name, List<String> groups) {
    public static final User ANONYMOUS = new User("system:anonymous", List.of("system:unauthenticated"));

    public boolean inGroup(String group) {
        return groups.contains(group);
    }

    /** Members of this group may do everything. */
    public boolean isMaster() {
        return groups.contains("system:masters");
    }
}
