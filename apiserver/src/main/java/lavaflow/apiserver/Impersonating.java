package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.access.Attributes;
import lavaflow.access.Impersonation;
import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;

/** Reads the Impersonate headers, and lets a request go on as the user they name if its sender may. */
final class Impersonating {
    private static final String USER = "Impersonate-User";
    private static final String UID = "Impersonate-Uid";
    private static final String GROUP = "Impersonate-Group";
    private static final String EXTRA = "impersonate-extra-";

    private final Impersonation impersonation;

    Impersonating(Impersonation impersonation) {
        this.impersonation = impersonation;
    }

    /** The user to go on as: the sender, or whom the headers name. */
    User apply(Exchange exchange, RequestInfo info, User sender) {
        User wanted = wanted(exchange);
        if (wanted == null) {
            return sender;
        }
        if (wanted.name().isEmpty()) {
            throw ApiException.badRequest("requested " + print(wanted) + " without impersonating a user name");
        }
        Attributes attributes = Authorization.attributes(info, exchange.query());
        return switch (impersonation.decide(sender, wanted, attributes)) {
            case Impersonation.Granted granted -> granted.user();
            case Impersonation.Refused refused ->
                throw Authorization.forbidden(sender, refused.attributes(), refused.reason());
        };
    }

    private static @org.jspecify.annotations.Nullable User wanted(Exchange exchange) {
        Map<String, List<String>> extra = new TreeMap<>();
        boolean any = false;
        for (String header : exchange.headerNames()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (!lower.startsWith("impersonate-")) {
                continue;
            }
            any = true;
            if (lower.startsWith(EXTRA)) {
                String key = decoded(lower.substring(EXTRA.length()));
                extra.computeIfAbsent(key, _ -> new ArrayList<>()).addAll(exchange.headers(header));
            }
        }
        if (!any) {
            return null;
        }
        User wanted = new User(
                text(exchange, USER), text(exchange, UID), exchange.headers(GROUP), new LinkedHashMap<>(extra));
        boolean nothing = wanted.name().isEmpty()
                && wanted.uid().isEmpty()
                && wanted.groups().isEmpty()
                && extra.isEmpty();
        return nothing ? null : wanted;
    }

    private static String decoded(String key) {
        String decoded = Query.decode(key, false);
        return decoded == null ? key : decoded.toLowerCase(Locale.ROOT);
    }

    private static String text(Exchange exchange, String header) {
        String value = exchange.header(header);
        return value == null ? "" : value;
    }

    /** As Go prints a structure; clients' tests look for it. */
    private static String print(User user) {
        StringBuilder extra = new StringBuilder("map[string][]string");
        if (user.extra().isEmpty()) {
            extra.append("(nil)");
        } else {
            List<String> entries = new ArrayList<>();
            user.extra().forEach((key, values) -> entries.add(FieldErrors.quoted(key) + ":" + list(values)));
            extra.append('{').append(String.join(", ", entries)).append('}');
        }
        return "&user.DefaultInfo{Name:" + FieldErrors.quoted(user.name()) + ", UID:" + FieldErrors.quoted(user.uid())
                + ", Groups:" + list(user.groups()) + ", Extra:" + extra + "}";
    }

    private static String list(List<String> values) {
        if (values.isEmpty()) {
            return "[]string(nil)";
        }
        return "[]string{"
                + String.join(", ", values.stream().map(FieldErrors::quoted).toList()) + "}";
    }
}
