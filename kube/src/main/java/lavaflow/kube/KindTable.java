package lavaflow.kube;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Every built-in kind a default server serves, in the order in which discovery lists them. Immutable. */
public final class KindTable {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";

    /** One version of one group. */
    public record GroupVersion(String group, String version, List<KindInfo> kinds) {}

    private final List<GroupVersion> versions;
    private final Map<String, KindInfo> byResource = new HashMap<>();
    private final Map<String, String> structByKind;

    private KindTable(List<GroupVersion> versions, Map<String, String> structByKind) {
        this.versions = Collections.unmodifiableList(versions);
        this.structByKind = structByKind;
        for (GroupVersion each : versions) {
            for (KindInfo kind : each.kinds()) {
                byResource.put(key(each.group(), each.version(), kind.resource()), kind);
            }
        }
    }

    /** The table of the built-in kinds. */
    public static KindTable builtin() {
        return BuiltinTypes.instance().kinds();
    }

    /** Groups by priority, versions by preference. */
    public List<GroupVersion> versions() {
        return versions;
    }

    /** The kind served at {@code /apis/group/version/resource}, or null. */
    public @Nullable KindInfo resource(String group, String version, String resource) {
        return byResource.get(key(group, version, resource));
    }

    /** The kind with a resource of its own, or null. */
    public @Nullable KindInfo kind(String group, String version, String kind) {
        for (GroupVersion each : versions) {
            if (each.group().equals(group) && each.version().equals(version)) {
                for (KindInfo candidate : each.kinds()) {
                    if (candidate.kind().equals(kind)) {
                        return candidate;
                    }
                }
            }
        }
        return null;
    }

    /**
     * The struct of any kind a client may send or receive, also of lists, options and reviews without a resource; null
     * where no such kind is known.
     */
    public @Nullable String struct(String group, String version, String kind) {
        String found = structByKind.get(key(group, version, kind));
        if (found != null) {
            return found;
        }
        // Upstream registers the options of requests with every group, so they may come under any apiVersion.
        return switch (kind) {
            case "CreateOptions",
                    "DeleteOptions",
                    "GetOptions",
                    "ListOptions",
                    "PatchOptions",
                    "UpdateOptions",
                    "WatchEvent" -> META + kind;
            default -> null;
        };
    }

    private static String key(String group, String version, String name) {
        return group + '\t' + version + '\t' + name;
    }

    /** Reads the lines of the resource that start with an exclamation mark. */
    static final class Reader {
        private final List<GroupVersion> versions = new ArrayList<>();
        private final Map<String, String> structByKind = new HashMap<>(1024);
        private List<KindInfo> kinds = new ArrayList<>();
        private List<KindInfo.Subresource> subresources = new ArrayList<>();
        private String group = "";
        private String version = "";

        void line(String line) {
            if (line.startsWith("!struct")) {
                int last = line.lastIndexOf('\t');
                structByKind.put(line.substring("!struct\t".length(), last), line.substring(last + 1));
                return;
            }
            String[] part = line.split("\t", -1);
            switch (part[0]) {
                case "!version" -> {
                    group = part[1];
                    version = part[2];
                    kinds = new ArrayList<>();
                    versions.add(new GroupVersion(group, version, Collections.unmodifiableList(kinds)));
                }
                case "!kind" -> kind(part);
                case "!sub" ->
                    subresources.add(new KindInfo.Subresource(
                            part[1], part[2], part[3], part[4], part[5].equals("namespaced"), words(part[6]), part[7]));
                default -> throw new IllegalStateException("unknown line in the table of kinds: " + line);
            }
        }

        private void kind(String[] part) {
            subresources = new ArrayList<>();
            kinds.add(new KindInfo(
                    group,
                    version,
                    part[1],
                    part[2],
                    part[3],
                    part[4],
                    part[5].equals("namespaced"),
                    words(part[6]),
                    words(part[7]),
                    words(part[8]),
                    part[9],
                    part[10],
                    Collections.unmodifiableList(subresources)));
        }

        private static List<String> words(String text) {
            return text.isEmpty() ? List.of() : List.of(text.split(","));
        }

        KindTable table() {
            return new KindTable(versions, structByKind);
        }
    }
}
