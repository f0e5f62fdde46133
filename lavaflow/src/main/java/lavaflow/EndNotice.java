package lavaflow;

import java.util.function.IntConsumer;

/** Says that pods are waited for, and that nobody has to. */
final class EndNotice implements IntConsumer {
    private final Console console;
    private boolean said;

    EndNotice(Console console) {
        this.console = console;
    }

    @Override
    public synchronized void accept(int pods) {
        if (pods > 0 && !said) {
            said = true;
            console.line("Stopping; " + pods(pods) + " may take up to "
                    + WorkerNode.MOST_GRACE.toSeconds() + " s to end. Ctrl-C or 'lava down --now' ends "
                    + (pods == 1 ? "it" : "them") + " at once.");
        }
    }

    static String pods(int count) {
        return count == 1 ? "1 pod" : count + " pods";
    }
}
