package lavaflow.cli;

import java.io.PrintWriter;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Prints what many say at once: lines whole, each with whom it is of, and below them, on a terminal, one line that is drawn over itself.
 * Safe for concurrent use.
 */
public final class LogLines {
    private final Palette palette;
    private final PrintWriter out;
    private final boolean prefix;
    private final boolean timestamps;
    private final BiConsumer<String, String> listener;
    private final Supplier<GangWatch.@Nullable Size> terminal;
    private int width;
    private int colours;
    private String status = "";
    private boolean drawn;

    LogLines(Palette palette, PrintWriter out, boolean prefix, boolean timestamps) {
        this(palette, out, prefix, timestamps, (_, _) -> {}, () -> null);
    }

    /**
     * @param listener hears of each line who said it, and what
     * @param terminal null where nothing can be drawn over
     */
    LogLines(
            Palette palette,
            PrintWriter out,
            boolean prefix,
            boolean timestamps,
            BiConsumer<String, String> listener,
            Supplier<GangWatch.@Nullable Size> terminal) {
        this.palette = palette;
        this.out = out;
        this.prefix = prefix;
        this.timestamps = timestamps;
        this.listener = listener;
        this.terminal = terminal;
    }

    /** A colour nobody else has, as long as there are some. */
    synchronized int nextColour() {
        return colours++;
    }

    synchronized void print(String label, int colour, LogPlace.Line line) {
        StringBuilder text = new StringBuilder();
        if (prefix) {
            width = Math.max(width, label.length());
            text.append(palette.any(colour, label + " ".repeat(width - label.length()) + " │ "));
        }
        if (timestamps && !line.time().isEmpty()) {
            text.append(palette.dim(line.time())).append(' ');
        }
        write(text.append(line.text()).toString());
        listener.accept(label, line.text());
    }

    /** A line that is of nobody's log. */
    public synchronized void note(String text) {
        write(text);
    }

    /** False once whoever read this has gone, as {@code head} does after a few lines. */
    synchronized boolean isRead() {
        return !out.checkError();
    }

    private void write(String line) {
        clear();
        out.println(line);
        draw();
        out.flush();
    }

    /** What stands below everything from now on; nothing where it is empty. */
    synchronized void status(String line) {
        if (!line.equals(status)) {
            clear();
            status = line;
            draw();
            out.flush();
        }
    }

    private void clear() {
        if (drawn) {
            out.print("\r\u001b[K");
            drawn = false;
        }
    }

    private void draw() {
        GangWatch.Size size = status.isEmpty() ? null : terminal.get();
        if (size != null) {
            out.print(GangView.fitted(status, size.columns() - 1));
            drawn = true;
        }
    }
}
