package lavaflow.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Acting in another's name. Like upstream since 1.36 it knows several ways in which that may be allowed: by kind of user
 * and then only for certain verbs on certain resources, or by the older verb {@code impersonate} for whatever that user
 * may do. One that allows it is enough; if none does the first refusal is told.
 */
public final class Impersonation {
    private static final String AUTHENTICATION = "authentication.k8s.io";
    private static final String NODE_PREFIX = "system:node:";
    private static final String NODES = "system:nodes";
    private static final String NODE_NAME = "authentication.kubernetes.io/node-name";
    private static final int MAX_REMEMBERED = 1_000;
    /** From this many values on, leave to take all of them is looked for first. */
    private static final int MANY = 4;

    /** What came of it: the user to act as, or what is refused and why. */
    public sealed interface Outcome {}

    public record Granted(User user) implements Outcome {}

    public record Refused(Attributes attributes, String reason) implements Outcome {}

    private enum Mode {
        ASSOCIATED_NODE("associated-node"),
        ARBITRARY_NODE("arbitrary-node"),
        SERVICE_ACCOUNT("serviceaccount"),
        USER_INFO("user-info"),
        LEGACY("");

        private final String word;

        Mode(String word) {
            this.word = word;
        }

        boolean constrained() {
            return this != LEGACY;
        }

        String verb() {
            return constrained() ? "impersonate:" + word : "impersonate";
        }
    }

    private final Authorizer authorizer;
    /** What worked for somebody the last time is tried first, and its refusal is the one told. */
    private final Map<String, Mode> lastSuccess = new ConcurrentHashMap<>();

    public Impersonation(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    /** Decides whether somebody may do something as somebody else. */
    public Outcome decide(User requestor, User wanted, Attributes request) {
        Refused first = null;
        List<Mode> order = new ArrayList<>(List.of(Mode.values()));
        Mode last = lastSuccess.get(requestor.name());
        if (last != null) {
            order.remove(last);
            order.addFirst(last);
        }
        for (Mode mode : order) {
            Outcome outcome = check(mode, requestor, wanted, request);
            if (outcome instanceof Granted) {
                if (lastSuccess.size() < MAX_REMEMBERED) {
                    lastSuccess.put(requestor.name(), mode);
                }
                return outcome;
            }
            if (first == null && outcome instanceof Refused refused) {
                first = refused;
            }
        }
        return first == null ? new Refused(request, "all impersonation modes failed") : first;
    }

    /** Null where the mode does not apply. */
    private @Nullable Outcome check(Mode mode, User requestor, User wanted, Attributes request) {
        if (!applies(mode, requestor, wanted)) {
            return null;
        }
        if (mode.constrained()) {
            Refused refused = ask(requestor, withVerb(request, "impersonate-on:" + mode.word + ":" + request.verb()));
            if (refused != null) {
                return refused;
            }
        }
        Refused refused = checkName(mode, requestor, wanted);
        if (refused == null && !wanted.uid().isEmpty()) {
            refused = ask(requestor, attributes(mode, AUTHENTICATION, "uids", "", wanted.uid()));
        }
        if (refused == null) {
            refused = checkGroups(mode, requestor, wanted.groups());
        }
        if (refused == null) {
            refused = checkExtra(mode, requestor, wanted.extra());
        }
        return refused == null ? new Granted(actual(mode, wanted)) : refused;
    }

    private static boolean applies(Mode mode, User requestor, User wanted) {
        boolean nameOnly = wanted.uid().isEmpty()
                && wanted.groups().isEmpty()
                && wanted.extra().isEmpty();
        boolean node = isNode(wanted.name());
        boolean account = ServiceAccounts.account(wanted.name()) != null;
        return switch (mode) {
            case ASSOCIATED_NODE ->
                nameOnly
                        && node
                        && ServiceAccounts.account(requestor.name()) != null
                        && requestor
                                .extra()
                                .getOrDefault(NODE_NAME, List.of())
                                .equals(List.of(wanted.name().substring(NODE_PREFIX.length())));
            case ARBITRARY_NODE -> nameOnly && node;
            case SERVICE_ACCOUNT -> nameOnly && account;
            case USER_INFO -> !node && !account;
            case LEGACY -> true;
        };
    }

    private static boolean isNode(String name) {
        return name.startsWith(NODE_PREFIX) && name.length() > NODE_PREFIX.length();
    }

    private @Nullable Refused checkName(Mode mode, User requestor, User wanted) {
        ServiceAccounts.Account account = ServiceAccounts.account(wanted.name());
        String group = mode.constrained() ? AUTHENTICATION : "";
        if (account != null) {
            return ask(
                    requestor,
                    Attributes.ofResource(
                            mode.verb(), group, "v1", "serviceaccounts", "", account.namespace(), account.name()));
        }
        if (mode.constrained() && isNode(wanted.name())) {
            String name = mode == Mode.ASSOCIATED_NODE ? "*" : wanted.name().substring(NODE_PREFIX.length());
            return ask(requestor, attributes(mode, group, "nodes", "", name));
        }
        return ask(requestor, attributes(mode, group, "users", "", wanted.name()));
    }

    private @Nullable Refused checkGroups(Mode mode, User requestor, List<String> groups) {
        String apiGroup = mode.constrained() ? AUTHENTICATION : "";
        if (mode.constrained()) {
            if (groups.contains("")) {
                return new Refused(
                        attributes(mode, apiGroup, "groups", "", ""),
                        "impersonating the empty string group is not allowed");
            }
            if (groups.contains(User.MASTERS)) {
                return new Refused(
                        attributes(mode, apiGroup, "groups", "", User.MASTERS),
                        "impersonating the system:masters group is not allowed");
            }
            if (groups.size() >= MANY && ask(requestor, attributes(mode, apiGroup, "groups", "", "*")) == null) {
                return null;
            }
        }
        for (String group : groups) {
            Refused refused = ask(requestor, attributes(mode, apiGroup, "groups", "", group));
            if (refused != null) {
                return refused;
            }
        }
        return null;
    }

    private @Nullable Refused checkExtra(Mode mode, User requestor, Map<String, List<String>> extra) {
        for (var entry : extra.entrySet()) {
            if (mode.constrained()) {
                String problem = extraProblem(entry.getKey(), entry.getValue());
                if (!problem.isEmpty()) {
                    return new Refused(attributes(mode, AUTHENTICATION, "userextras", "", ""), problem);
                }
            }
            for (String value : entry.getValue()) {
                Refused refused = ask(requestor, attributes(mode, AUTHENTICATION, "userextras", entry.getKey(), value));
                if (refused != null) {
                    return refused;
                }
            }
        }
        return null;
    }

    private static String extraProblem(String key, List<String> values) {
        if (key.isEmpty()) {
            return "impersonating the empty string key in extra is not allowed";
        }
        if (!key.equals(key.toLowerCase(Locale.ROOT))) {
            return "impersonating a non-lowercase key in extra is not allowed: \"" + key + "\"";
        }
        return values.contains("") ? "impersonating the empty string value in extra is not allowed" : "";
    }

    private static User actual(Mode mode, User wanted) {
        List<String> groups = new ArrayList<>(wanted.groups());
        ServiceAccounts.Account account = ServiceAccounts.account(wanted.name());
        if (groups.isEmpty() && account != null) {
            groups.addAll(ServiceAccounts.groups(account.namespace()));
        }
        if (groups.isEmpty() && mode.constrained() && isNode(wanted.name())) {
            groups.add(NODES);
        }
        String unauthenticated = User.ANONYMOUS.groups().getFirst();
        if (wanted.isAnonymous()) {
            addOnce(groups, unauthenticated);
        } else if (!groups.contains(unauthenticated)) {
            addOnce(groups, User.AUTHENTICATED);
        }
        return new User(wanted.name(), wanted.uid(), List.copyOf(groups), new LinkedHashMap<>(wanted.extra()));
    }

    private static void addOnce(List<String> groups, String group) {
        if (!groups.contains(group)) {
            groups.add(group);
        }
    }

    private static Attributes attributes(Mode mode, String group, String resource, String subresource, String name) {
        return Attributes.ofResource(mode.verb(), group, "v1", resource, subresource, "", name);
    }

    private static Attributes withVerb(Attributes request, String verb) {
        return new Attributes(
                request.resourceRequest(),
                verb,
                request.namespace(),
                request.group(),
                request.version(),
                request.resource(),
                request.subresource(),
                request.name(),
                request.path(),
                request.fieldSelector(),
                request.labelSelector());
    }

    private @Nullable Refused ask(User requestor, Attributes attributes) {
        Authorizer.Decision decision = authorizer.decide(requestor, attributes);
        return decision.allowed() ? null : new Refused(attributes, decision.reason());
    }
}
