package lavaflow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import lavaflow.cli.GangWatch;

import org.jspecify.annotations.Nullable;

/** How large the terminal is; asked anew now and then, because people change it. */
final class TerminalSize {
    private static final long GOOD_FOR = TimeUnit.SECONDS.toNanos(3);
    private static final GangWatch.Size USUAL = new GangWatch.Size(80, 24);

    private final boolean there = Console.isTerminal();
    private long askedAt;
    private GangWatch.@Nullable Size known;

    GangWatch.@Nullable Size now() {
        if (!there) {
            return null;
        }
        GangWatch.Size size = known;
        if (size == null || System.nanoTime() - askedAt > GOOD_FOR) {
            size = ask();
            known = size;
            askedAt = System.nanoTime();
        }
        return size;
    }

    /** How wide it is, as far as anybody knows. */
    int columns() {
        GangWatch.Size size = now();
        return size == null ? USUAL.columns() : size.columns();
    }

    /** Every system with terminals has this program; Java has no call for it. */
    private static GangWatch.Size ask() {
        try {
            Process process = new ProcessBuilder("stty", "size")
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String[] said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .split(" ", -1);
            int rows = Integer.parseInt(said[0]);
            int columns = Integer.parseInt(said[1]);
            return rows > 4 && columns > 20 ? new GangWatch.Size(columns, rows) : USUAL;
        } catch (IOException | UncheckedIOException | NumberFormatException | ArrayIndexOutOfBoundsException _) {
            return USUAL;
        }
    }
}
