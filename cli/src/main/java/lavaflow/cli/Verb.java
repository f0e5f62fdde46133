package lavaflow.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A command or a family of commands.
 *
 * @param failure what stands before the reason where it fails; empty for families
 * @param flags without those of every command
 * @param action null for families
 */
record Verb(
        String name,
        String summary,
        String failure,
        List<Flag> flags,
        List<Verb> children,
        @Nullable Action action) {
    /** Does it. What goes wrong is told after {@link #failure}. */
    @FunctionalInterface
    interface Action {
        void run(Call call) throws Exception;
    }

    /** What is wrong with what was asked, in upstream's words. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refusal(String message) {
            super(message);
        }
    }

    /** How a cluster is reached: flags of every command that asks one. */
    private static final List<Flag> CONNECTION = List.of(
            Flag.text("kubeconfig", "k", "", "(optional) absolute path to the kubeconfig file"),
            Flag.text("master", "s", "", "the address of apiserver"));

    static Verb family(String name, String summary, Verb... children) {
        return new Verb(name, summary, "", List.of(), List.of(children), null);
    }

    /** A command that asks a cluster. */
    static Verb of(String name, String summary, String failure, List<Flag> flags, Action action) {
        List<Flag> all = new ArrayList<>(flags);
        all.addAll(CONNECTION);
        return new Verb(name, summary, failure, all, List.of(), action);
    }

    /** In the order of help. */
    List<Verb> sortedChildren() {
        return children.stream().sorted(Comparator.comparing(Verb::name)).toList();
    }

    @Nullable
    Verb child(String word) {
        return children.stream()
                .filter(each -> each.name().equals(word))
                .findFirst()
                .orElse(null);
    }
}
