package lavaflow.audit;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One rule of a policy: whom and what it is about, and what then applies. Empty lists match everything. */
record PolicyRule(
        Level level,
        List<String> users,
        List<String> userGroups,
        List<String> verbs,
        List<GroupResources> resources,
        List<String> namespaces,
        List<String> nonResourceUrls,
        Set<Stage> omitStages,
        boolean omitManagedFields) {

    PolicyRule {
        omitStages = omitStages.isEmpty() ? EnumSet.noneOf(Stage.class) : EnumSet.copyOf(omitStages);
    }

    /** Resources of one group: a resource, a subresource, all subresources of one, one subresource of all, or everything. */
    record GroupResources(String group, List<String> resources, List<String> resourceNames) {
        boolean matches(AuditedRequest.Target target) {
            if (!group.equals("*") && !group.equals(target.group())) {
                return false;
            }
            if (resources.isEmpty()) {
                return true;
            }
            boolean named = resourceNames.isEmpty() || resourceNames.contains(target.name());
            return named && resources.stream().anyMatch(each -> matches(each, target));
        }

        private static boolean matches(String pattern, AuditedRequest.Target target) {
            String sub = target.subresource();
            String whole = sub.isEmpty() ? target.resource() : target.resource() + "/" + sub;
            return pattern.equals("*")
                    || pattern.equals(whole)
                    || (!sub.isEmpty() && pattern.equals("*/" + sub))
                    || pattern.equals(target.resource() + "/*");
        }
    }

    boolean matches(AuditedRequest request) {
        if (!users.isEmpty() && !users.contains(request.asker().name())) {
            return false;
        }
        if (!userGroups.isEmpty() && request.asker().groups().stream().noneMatch(userGroups::contains)) {
            return false;
        }
        if (!verbs.isEmpty() && !verbs.contains(request.verb())) {
            return false;
        }
        if (!namespaces.isEmpty() || !resources.isEmpty()) {
            return matchesResource(request.target());
        }
        return nonResourceUrls.isEmpty()
                || (!request.target().isResource()
                        && nonResourceUrls.stream().anyMatch(pattern -> matchesPath(pattern, request.path())));
    }

    private boolean matchesResource(AuditedRequest.Target target) {
        if (!target.isResource()) {
            return false;
        }
        if (!namespaces.isEmpty() && !namespaces.contains(target.namespace())) {
            return false;
        }
        return resources.isEmpty() || resources.stream().anyMatch(each -> each.matches(target));
    }

    private static boolean matchesPath(String pattern, String path) {
        return pattern.equals("*")
                || pattern.equals(path)
                || (pattern.endsWith("*") && path.startsWith(pattern.substring(0, pattern.length() - 1)));
    }
}
