package lavaflow;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import lavaflow.cli.Palette;

/** What people see: colour only on a terminal that wants it. Errors go to standard error. */
final class Console {
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

    private final PrintWriter out;
    private final PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
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

    /** Whether what is written to an open file of this process gets to a terminal, as far as the system tells. */
    private static boolean isSeen(int file) {
        try {
            String place =
                    Files.readSymbolicLink(Path.of("/proc/self/fd/" + file)).toString();
            return place.startsWith("/dev/pts/") || place.startsWith("/dev/tty") || place.equals("/dev/console");
        } catch (IOException _) {
            return true; // no such system: what holds for one output holds for both
        }
    }

    /** Asks a person; false for anything but yes. */
    @SuppressWarnings("SystemConsoleNull")
    static boolean confirms(String question) {
        java.io.Console console = System.console();
        String answer = console == null ? null : console.readLine("%s [y/N] ", question);
        return answer != null && answer.trim().equalsIgnoreCase("y");
    }

    private String painted(String code, String text) {
        return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    private String bold(String text) {
        return painted("1", text);
    }

    String green(String text) {
        return painted("32", text);
    }

    String yellow(String text) {
        return painted("33", text);
    }

    String red(String text) {
        return painted("31", text);
    }

    String dim(String text) {
        return painted("2", text);
    }

    /** The same colours for what is drawn elsewhere. */
    Palette palette() {
        return new Palette(colour);
    }

    PrintWriter out() {
        return out;
    }

    void ready(Home home, String url, long millis) {
        line(green("●") + " " + bold("Lavaflow " + Lava.version()) + " is ready at " + bold(url) + " "
                + dim("(" + millis + " ms)"));
        line("  export KUBECONFIG=" + home.kubeconfig());
        line(dim("  kubectl get namespaces     lava status     Ctrl-C or 'lava down' stops it"));
    }

    void alreadyRunning(Home home, Home.Running running) {
        line(green("●") + " Lavaflow is already running at " + bold(running.url())
                + dim(" (pid " + running.pid() + ")"));
        line("  export KUBECONFIG=" + home.kubeconfig());
    }

    void line(String text) {
        out.println(text);
        out.flush();
    }

    /** Columns as wide as what is in them; the last may be of any width. */
    void table(List<String> heads, List<List<String>> rows) {
        int[] widths = new int[heads.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = width(heads.get(i));
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        line(bold(aligned(heads, widths)));
        rows.forEach(row -> line(aligned(row, widths)));
    }

    private static String aligned(List<String> cells, int[] widths) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cells.get(i);
            text.append(cell).append(" ".repeat(widths[i] + 3 - width(cell)));
        }
        return text.toString().stripTrailing();
    }

    /** Colour takes no room. */
    static int width(String cell) {
        return COLOUR.matcher(cell).replaceAll("").length();
    }

    /** Shows how far something is, where a person watches. */
    ProgressBar progress() {
        TerminalSize terminal = new TerminalSize();
        return new ProgressBar(err, isTerminal(), terminal::columns, System::nanoTime);
    }

    void status(String label, String value) {
        line(bold(String.format("%-12s", label)) + value);
    }

    void error(String message) {
        err.println((isSeen(2) ? painted("31", "lava: ") : "lava: ") + message);
        err.flush();
    }

    void trace(Exception problem) {
        problem.printStackTrace(err);
        err.flush();
    }
}
