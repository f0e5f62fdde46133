package lavaflow;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

import lavaflow.image.Progress;

/** One line that is written over and over; nothing where nobody watches. */
final class ProgressBar implements Progress, AutoCloseable {
    private static final int WIDTH = 24;
    private static final int TEXT = 50;
    /** Often enough to look alive, seldom enough to cost nothing. */
    private static final long STEP_NANOS = 80_000_000;

    private final PrintWriter out;
    private final boolean visible;
    private final LongSupplier clock;
    private String text = "";
    private long done;
    private long total;
    private long drawnAt = Long.MIN_VALUE;
    private boolean drawn;

    ProgressBar(PrintWriter out, boolean visible, LongSupplier clock) {
        this.out = out;
        this.visible = visible;
        this.clock = clock;
    }

    @Override
    public synchronized void note(String what) {
        text = what;
        draw(true);
    }

    @Override
    public synchronized void amount(long part, long all) {
        done = part;
        total = all;
        draw(part >= all);
    }

    private void draw(boolean now) {
        long time = clock.getAsLong();
        if (!visible || (!now && drawnAt != Long.MIN_VALUE && time - drawnAt < STEP_NANOS)) {
            return;
        }
        drawnAt = time;
        drawn = true;
        out.print("\r\u001b[K" + line());
        out.flush();
    }

    private String line() {
        String shown = text.length() > TEXT ? text.substring(0, TEXT) : text;
        if (total <= 0) {
            return "  " + shown;
        }
        long part = Math.clamp(done, 0, total);
        int full = (int) (WIDTH * (double) part / total);
        // percents alone where the amount is only a measure, bytes where it is an amount of them
        String amount = total <= 100 ? "" : " " + Sizes.of(part) + " of " + Sizes.of(total);
        return String.format(
                "  %s%s %3d%%%s  %s", "█".repeat(full), "░".repeat(WIDTH - full), part * 100 / total, amount, shown);
    }

    /** Takes the line away. */
    @Override
    public synchronized void close() {
        if (drawn) {
            out.print("\r\u001b[K");
            out.flush();
        }
    }
}
