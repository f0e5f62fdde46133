package lavaflow;

import java.io.PrintWriter;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import lavaflow.image.Progress;

/** One line that is written over and over; nothing where nobody watches. */
final class ProgressBar implements Progress, AutoCloseable {
    private static final int WIDTH = 24;
    /** What a bar takes of a narrow terminal at most: text says more. */
    private static final int LEAST_WIDTH = 8;

    /** Often enough to look alive, seldom enough to cost nothing. */
    private static final long STEP_NANOS = 80_000_000;

    private final PrintWriter out;
    private final boolean visible;
    private final IntSupplier columns;
    private final LongSupplier clock;
    private String text = "";
    private long done;
    private long total;
    private long drawnAt = Long.MIN_VALUE;
    private boolean drawn;

    /** @param columns how wide the terminal is: a line that is wider cannot be written over */
    ProgressBar(PrintWriter out, boolean visible, IntSupplier columns, LongSupplier clock) {
        this.out = out;
        this.visible = visible;
        this.columns = columns;
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
        int room = columns.getAsInt() - 1;
        String shown = text.replaceAll("\\p{Cntrl}", " ");
        if (total <= 0) {
            return fitted("  " + shown, room);
        }
        int width = Math.clamp(room / 4, LEAST_WIDTH, WIDTH);
        long part = Math.clamp(done, 0, total);
        int full = (int) (width * (double) part / total);
        // percents alone where the amount is only a measure, bytes where it is an amount of them
        String amount = total <= 100 ? "" : " " + Sizes.of(part) + " of " + Sizes.of(total);
        return fitted(
                String.format(
                        "  %s%s %3d%%%s  %s",
                        "█".repeat(full), "░".repeat(width - full), part * 100 / total, amount, shown),
                room);
    }

    private static String fitted(String line, int room) {
        return line.length() <= room ? line : line.substring(0, Math.max(0, room - 1)) + "…";
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
