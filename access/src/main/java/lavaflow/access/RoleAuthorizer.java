package lavaflow.access;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Role-based access control: allows what a rule of a bound role allows. */
public final class RoleAuthorizer implements Authorizer {
    /**
     * What somebody may in a namespace, as far as it could be found out.
     *
     * @param errors why not everything could be found out
     * @param missingRoles the names of roles that are bound and do not exist
     */
    public record Held(List<Rule> rules, List<String> errors, List<String> missingRoles) {
        /** The errors in one text, empty where there are none. */
        public String error() {
            return errors.isEmpty()
                    ? ""
                    : errors.size() == 1 ? errors.getFirst() : "[" + String.join(", ", errors) + "]";
        }
    }

    private interface Visitor {
        /** True to go on. */
        boolean visit(Roles.Bound bound, List<Rule> rules);
    }

    private final Roles roles;

    public RoleAuthorizer(Roles roles) {
        this.roles = roles;
    }

    public Roles roles() {
        return roles;
    }

    @Override
    public Decision decide(User user, Attributes attributes) {
        roles.refresh();
        Decision[] found = new Decision[1];
        Set<Binding> unresolved = visit(user, attributes.namespace(), (bound, rules) -> {
            for (Rule rule : rules) {
                if (rule.allows(attributes)) {
                    found[0] = bound.allow();
                    return false;
                }
            }
            return true;
        });
        Decision decision = found[0];
        if (decision != null) {
            return decision;
        }
        return unresolved.isEmpty()
                ? NO_OPINION
                : new NoOpinion("RBAC: " + held(List.of(), unresolved).error());
    }

    private static Held held(List<Rule> rules, Set<Binding> unresolved) {
        return new Held(
                rules,
                unresolved.stream().map(Binding::missingRole).distinct().toList(),
                unresolved.stream().map(Binding::role).distinct().toList());
    }

    /** Everything a user may in a namespace and everywhere. */
    public Held held(User user, String namespace) {
        roles.refresh();
        List<Rule> all = new ArrayList<>();
        Set<Binding> unresolved = visit(user, namespace, (_, rules) -> {
            all.addAll(rules);
            return true;
        });
        return held(all, unresolved);
    }

    /** The rules of a role, or null where it does not exist. */
    public @Nullable List<Rule> rules(boolean cluster, String namespace, String name) {
        roles.refresh();
        return roles.rules(cluster, namespace, name);
    }

    /** Shows the roles of a user; returns the bindings whose role does not exist. */
    private Set<Binding> visit(User user, String namespace, Visitor visitor) {
        Set<Binding> unresolved = new LinkedHashSet<>();
        boolean more = visitIn("", user, visitor, unresolved);
        if (more && !namespace.isEmpty()) {
            visitIn(namespace, user, visitor, unresolved);
        }
        return unresolved;
    }

    private boolean visitIn(String namespace, User user, Visitor visitor, Set<Binding> unresolved) {
        if (!visitAll(roles.of(namespace, false, user.name()), visitor, unresolved)) {
            return false;
        }
        for (String group : user.groups()) {
            if (!visitAll(roles.of(namespace, true, group), visitor, unresolved)) {
                return false;
            }
        }
        return true;
    }

    private boolean visitAll(List<Roles.Bound> bindings, Visitor visitor, Set<Binding> unresolved) {
        for (Roles.Bound bound : bindings) {
            List<Rule> rules = roles.rules(bound.binding());
            if (rules == null) {
                unresolved.add(bound.binding());
            } else if (!visitor.visit(bound, rules)) {
                return false;
            }
        }
        return true;
    }
}
