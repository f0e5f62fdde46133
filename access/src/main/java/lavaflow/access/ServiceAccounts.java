package lavaflow.access;

import java.util.List;

import lavaflow.kube.Names;

import org.jspecify.annotations.Nullable;

/** The names under which service accounts act. */
public final class ServiceAccounts {
    private static final String PREFIX = "system:serviceaccount:";
    public static final String ALL_GROUP = "system:serviceaccounts";

    /** An account by namespace and name. */
    public record Account(String namespace, String name) {}

    private ServiceAccounts() {}

    public static String userName(String namespace, String name) {
        return PREFIX + namespace + ":" + name;
    }

    public static List<String> groups(String namespace) {
        return List.of(ALL_GROUP, ALL_GROUP + ":" + namespace);
    }

    /** The account behind a user name; null where no account can have that name. */
    public static @Nullable Account account(String userName) {
        if (!userName.startsWith(PREFIX)) {
            return null;
        }
        String rest = userName.substring(PREFIX.length());
        int colon = rest.indexOf(':');
        if (colon < 0) {
            return null;
        }
        String namespace = rest.substring(0, colon);
        String name = rest.substring(colon + 1);
        boolean good = Names.dns1123Label(namespace).isEmpty()
                && Names.dns1123Subdomain(name).isEmpty();
        return good ? new Account(namespace, name) : null;
    }

    /** An account as a user that an in-process component acts as. */
    public static User user(String namespace, String name) {
        List<String> groups = List.of(ALL_GROUP, ALL_GROUP + ":" + namespace, User.AUTHENTICATED);
        return new User(userName(namespace, name), groups);
    }
}
