package lavaflow.kube;

/** A group of APIs in one version; the group of the core API is empty. */
public record GroupVersion(String group, String version) {
    /** Reads an apiVersion: {@code v1} or {@code apps/v1}. */
    public static GroupVersion parse(String text) throws MalformedException {
        if (text.isEmpty() || text.equals("/")) {
            return new GroupVersion("", "");
        }
        int slash = text.indexOf('/');
        if (slash < 0) {
            return new GroupVersion("", text);
        }
        if (text.indexOf('/', slash + 1) >= 0) {
            throw new MalformedException("unexpected GroupVersion string: " + text);
        }
        return new GroupVersion(text.substring(0, slash), text.substring(slash + 1));
    }

    public GroupVersionKind kind(String kind) {
        return new GroupVersionKind(group, version, kind);
    }

    /** The apiVersion. */
    @Override
    public String toString() {
        return group.isEmpty() ? version : group + "/" + version;
    }
}
