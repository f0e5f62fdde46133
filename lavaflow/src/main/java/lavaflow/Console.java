package lavaflow;

import java.io.PrintWriter;

/** What people see: colour only on a terminal that wants it. */
final class Console {
    private final PrintWriter out;
    private final boolean colour;

    Console(PrintWriter out) {
        this.out = out;
        String none = System.getenv("NO_COLOR");
        this.colour = isTerminal() && (none == null || none.isEmpty());
    }

    /** True if a person is watching. */
    @SuppressWarnings("SystemConsoleNull") // since JDK 25 it is null again where there is no terminal
    static boolean isTerminal() {
        java.io.Console console = System.console();
        return console != null && console.isTerminal();
    }

    private String bold(String text) {
        return colour ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    private String green(String text) {
        return colour ? "\u001b[32m" + text + "\u001b[0m" : text;
    }

    private String dim(String text) {
        return colour ? "\u001b[2m" + text + "\u001b[0m" : text;
    }

    void ready(Home home, String url, long millis) {
        out.println(green("●") + " " + bold("Lavaflow " + Lava.version()) + " is ready at " + bold(url) + " "
                + dim("(" + millis + " ms)"));
        out.println("  export KUBECONFIG=" + home.kubeconfig());
        out.println(dim("  kubectl get namespaces        lava status        Ctrl-C or 'lava down' stops it"));
        out.flush();
    }

    void alreadyRunning(Home home, Home.Running running) {
        out.println(green("●") + " Lavaflow is already running at " + bold(running.url())
                + dim(" (pid " + running.pid() + ")"));
        out.println("  export KUBECONFIG=" + home.kubeconfig());
        out.flush();
    }

    void line(String text) {
        out.println(text);
        out.flush();
    }

    void status(String label, String value) {
        out.println(bold(String.format("%-12s", label)) + value);
        out.flush();
    }

    String ok(String text) {
        return green(text);
    }
}
