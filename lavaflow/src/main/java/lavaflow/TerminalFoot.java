package lavaflow;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * A few lines at the end of what a terminal shows; everything else that is written scrolls by above them. Whatever is done to the
 * terminal is one write, so that nobody sees half of it. No mode of the terminal is changed: there is nothing to put back but the lines.
 */
final class TerminalFoot implements AutoCloseable {
    /** A terminal may be halted (Ctrl-S); nobody waits for it at the end. */
    private static final long PATIENCE_MILLIS = 1000;

    private final PrintStream terminal;
    private final IntSupplier columns;
    private final ReentrantLock turn = new ReentrantLock();
    private List<String> shown = List.of();
    /** Whether what was written last above is no whole line. */
    private boolean within;

    private volatile boolean closed;

    TerminalFoot(PrintStream terminal, IntSupplier columns) {
        this.terminal = terminal;
        this.columns = columns;
    }

    /** Shows other lines, if they are others; none of them may be as wide as the terminal. */
    void show(List<String> lines) {
        turn.lock();
        try {
            if (!closed && !within && !lines.equals(shown)) {
                String before = erased();
                shown = List.copyOf(lines);
                write((before + String.join("\n", shown)).getBytes(StandardCharsets.UTF_8));
            }
        } finally {
            turn.unlock();
        }
    }

    /** The terminal is somebody else's for now: what stands there is not ours to take away any more. */
    void forget() {
        turn.lock();
        try {
            shown = List.of();
        } finally {
            turn.unlock();
        }
    }

    /** What is written there comes above. */
    PrintStream above() {
        return new PrintStream(new Above(), true, StandardCharsets.UTF_8);
    }

    /** Back to where the lines begin, and all of them away; a terminal that has become narrower has broken them. */
    private String erased() {
        if (shown.isEmpty()) {
            return "";
        }
        int width = Math.max(1, columns.getAsInt());
        int rows = 0;
        for (String line : shown) {
            rows += Math.max(1, (Console.width(line) + width - 1) / width);
        }
        return "\r" + (rows > 1 ? "\u001b[" + (rows - 1) + "A" : "") + "\u001b[J";
    }

    private void scroll(byte[] bytes, int offset, int length) {
        turn.lock();
        try {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            if (!closed && !within) {
                all.writeBytes(erased().getBytes(StandardCharsets.UTF_8));
            }
            all.write(bytes, offset, length);
            within = bytes[offset + length - 1] != '\n';
            if (!closed && !within) {
                all.writeBytes(String.join("\n", shown).getBytes(StandardCharsets.UTF_8));
            }
            write(all.toByteArray());
        } finally {
            turn.unlock();
        }
    }

    private void write(byte[] bytes) {
        terminal.write(bytes, 0, bytes.length);
        terminal.flush();
    }

    /** Takes the lines away; what is still written above goes straight to the terminal. */
    @Override
    public void close() {
        try {
            if (turn.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                try {
                    if (!closed && !within) {
                        write(erased().getBytes(StandardCharsets.UTF_8));
                    }
                    shown = List.of();
                } finally {
                    turn.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closed = true;
    }

    private final class Above extends OutputStream {
        @Override
        public void write(int one) {
            scroll(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (length > 0) {
                scroll(bytes, offset, length);
            }
        }
    }
}
