package lavaflow;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * What runs beside the API server, which is always there with what belongs to it: namespaces that go, tokens, quotas.
 *
 * @param of those that run here; others may run elsewhere, against this server
 */
record Roles(Set<Role> of) {
    /** What the command of the same name runs alone. */
    enum Role {
        CONTROLLERS,
        SCHEDULER,
        NODE;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final Command.Option OPTION = Command.Option.of(
            "--roles",
            "LIST",
            null,
            "What to run beside the API server, with commas between: controllers, scheduler, node (all of them).");

    static final Roles ALL = new Roles(EnumSet.allOf(Role.class));

    boolean has(Role role) {
        return of.contains(role);
    }

    static Roles of(Command command, @Nullable String written) {
        if (written == null) {
            return ALL;
        }
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String word : List.of(written.split(",", -1))) {
            // Saying what is there anyway does no harm.
            if (!word.isEmpty() && !word.equals("apiserver")) {
                roles.add(Stream.of(Role.values())
                        .filter(role -> role.word().equals(word))
                        .findFirst()
                        .orElseThrow(() -> Arguments.wrong(
                                command, OPTION.name() + " knows " + known() + ", not '" + word + "'")));
            }
        }
        return new Roles(roles);
    }

    private static String known() {
        return Stream.of(Role.values()).map(Role::word).collect(Collectors.joining(", "));
    }
}
