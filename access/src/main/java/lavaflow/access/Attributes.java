package lavaflow.access;

/**
 * What is to be done, for an {@link Authorizer} to decide about.
 *
 * @param resourceRequest false for paths such as /healthz; then only verb and path count
 * @param verb get, list, ...; the method in lower case where it is no resource
 * @param group empty for the core group
 * @param subresource empty for the object itself
 * @param name empty for collections
 * @param fieldSelector as the client wrote it, empty where it selects everything
 * @param labelSelector likewise
 */
public record Attributes(
        boolean resourceRequest,
        String verb,
        String namespace,
        String group,
        String version,
        String resource,
        String subresource,
        String name,
        String path,
        String fieldSelector,
        String labelSelector) {

    public static Attributes ofPath(String verb, String path) {
        return new Attributes(false, verb, "", "", "", "", "", "", path, "", "");
    }

    public static Attributes ofResource(
            String verb,
            String group,
            String version,
            String resource,
            String subresource,
            String namespace,
            String name) {
        return new Attributes(true, verb, namespace, group, version, resource, subresource, name, "", "", "");
    }

    /** The resource as roles name it: {@code pods} or {@code pods/log}. */
    public String qualifiedResource() {
        return subresource.isEmpty() ? resource : resource + "/" + subresource;
    }

    /** What upstream says of somebody who may not: {@code User "x" cannot get resource "pods" in API group "" ...}. */
    public String refusal(User user) {
        String who = "User \"" + user.name() + "\" cannot " + verb;
        if (!resourceRequest) {
            return who + " path \"" + path + "\"";
        }
        String where = namespace.isEmpty() ? " at the cluster scope" : " in the namespace \"" + namespace + "\"";
        return who + " resource \"" + qualifiedResource() + "\" in API group \"" + group + "\"" + where;
    }
}
