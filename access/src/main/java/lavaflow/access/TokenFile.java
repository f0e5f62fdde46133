package lavaflow.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Fixed tokens from a file of lines {@code token,user,uid,"group,group"}. Kept by their hashes: a lookup then takes the
 * same time for a token that is nearly right as for one that is not.
 */
public final class TokenFile implements TokenAuthenticator {
    private final Map<String, User> byHash = new HashMap<>();

    private TokenFile() {}

    /**
     * Reads the text of such a file.
     *
     * @throws IllegalArgumentException where a line does not have at least three columns
     */
    public static TokenFile parse(String text) {
        TokenFile file = new TokenFile();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            List<String> columns = columns(line);
            if (columns.size() < 3) {
                throw new IllegalArgumentException("line " + number
                        + " must have at least 3 columns (token, user name, user uid), found " + columns.size());
            }
            if (columns.getFirst().isEmpty()) {
                continue;
            }
            List<String> groups = new ArrayList<>();
            if (columns.size() > 3 && !columns.get(3).isEmpty()) {
                groups.addAll(List.of(columns.get(3).split(",", -1)));
            }
            groups.add(User.AUTHENTICATED);
            file.byHash.put(
                    hash(columns.getFirst()), new User(columns.get(1), columns.get(2), List.copyOf(groups), Map.of()));
        }
        return file;
    }

    private static List<String> columns(String line) {
        List<String> columns = new ArrayList<>();
        StringBuilder column = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                boolean escaped = quoted && i + 1 < line.length() && line.charAt(i + 1) == '"';
                if (escaped) {
                    column.append('"');
                    i++;
                } else {
                    quoted = !quoted;
                }
            } else if (c == ',' && !quoted) {
                columns.add(column.toString());
                column.setLength(0);
            } else {
                column.append(c);
            }
        }
        columns.add(column.toString());
        return columns;
    }

    @Override
    public Outcome authenticate(String token, List<String> audiences) {
        @Nullable User user = byHash.get(hash(token));
        return user == null ? NOT_MINE : new Good(user, audiences);
    }

    private static String hash(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return new String(digest, StandardCharsets.ISO_8859_1);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
