package lavaflow.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import lavaflow.linux.Signals;

/** Processes of the machine that were started for something, found by their command lines. */
final class ProcessTable {
    /** Who has been killed still needs a processor to die. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PAGE = 4096;
    private static final long NANOS_PER_TICK = 10_000_000;

    private ProcessTable() {}

    /** Whether a process exists and one of its arguments is the given one. */
    static boolean mentions(long pid, String argument) {
        if (pid <= 1) {
            return false;
        }
        try {
            String command =
                    Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
            return ("\0" + command).contains("\0" + argument + "\0");
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a process exists and its environment has a variable, given as NAME=value. */
    static boolean hasVariable(long pid, String variable) {
        try {
            String environment =
                    Files.readString(Path.of("/proc", Long.toString(pid), "environ"), StandardCharsets.ISO_8859_1);
            return ("\0" + environment).contains("\0" + variable + "\0");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Whether a signal does anything to a process. The kernel keeps those that have no handler from the first process of a
     * namespace, so that {@code sleep} as the program of a container cannot be asked to end. A thread that blocks the signal
     * may wait for it.
     */
    static boolean hears(long pid, int signal) {
        long bit = 1L << (signal - 1);
        Path process = Path.of("/proc", Long.toString(pid));
        try {
            String status = Files.readString(process.resolve("status"), StandardCharsets.ISO_8859_1);
            String[] numbers = field(status, "NSpid").split("\\s+", -1);
            if (!numbers[numbers.length - 1].equals("1") || (mask(status, "SigCgt") & bit) != 0) {
                return true;
            }
            try (var threads = Files.newDirectoryStream(process.resolve("task"))) {
                for (Path thread : threads) {
                    String each = Files.readString(thread.resolve("status"), StandardCharsets.ISO_8859_1);
                    if ((mask(each, "SigBlk") & bit) != 0) {
                        return true;
                    }
                }
            }
            return false;
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }

    private static String field(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name + ":"))
                .findFirst()
                .map(line -> line.substring(name.length() + 1).strip())
                .orElse("");
    }

    private static long mask(String status, String name) {
        return Long.parseUnsignedLong(field(status, name), 16);
    }

    static boolean isZombie(long pid) {
        String[] fields = stat(pid);
        return fields.length > 0 && fields[0].equals("Z");
    }

    /** The fields of a process's figures after its name, which may hold anything. */
    static String[] stat(long pid) {
        try {
            String text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            return text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
        } catch (IOException | RuntimeException e) {
            return new String[0];
        }
    }

    /**
     * Kills every process with an argument and the children of those, until there are none: the runtime's helpers do not say
     * on whose behalf they run, but their parents do.
     */
    static void killMentioning(String argument) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() < deadline) {
            List<ProcessHandle> found = new ArrayList<>();
            for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
                if (mentions(process.pid(), argument)) {
                    found.add(process);
                    process.descendants().forEach(found::add);
                }
            }
            boolean any = false;
            for (ProcessHandle process : found) {
                any |= process.pid() > 1 && Signals.send(process.pid(), Signals.KILL);
            }
            if (!any) {
                return;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Kills a process and all it has started. They are stopped first: who is stopped starts nobody that we would not find. */
    static void killTree(long pid) throws IOException {
        ProcessHandle first = pid > 1 ? ProcessHandle.of(pid).orElse(null) : null;
        if (first == null) {
            return;
        }
        Set<ProcessHandle> stopped = new LinkedHashSet<>();
        List<ProcessHandle> found = List.of(first);
        while (!found.isEmpty()) {
            for (ProcessHandle process : found) {
                stopped.add(process);
                Signals.send(process.pid(), Signals.STOP);
            }
            found = first.descendants()
                    .filter(process -> !stopped.contains(process))
                    .toList();
        }
        for (ProcessHandle process : stopped) {
            Signals.send(process.pid(), Signals.KILL);
        }
    }

    /** What processes use, as far as they still run. */
    static Usage usage(List<Long> pids) {
        long ticks = 0;
        long pages = 0;
        long threads = 0;
        for (long pid : pids) {
            String[] fields = stat(pid);
            if (fields.length > 21) {
                ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
                threads += Long.parseLong(fields[17]);
                pages += Long.parseLong(fields[21]);
            }
        }
        long bytes = pages * PAGE;
        return new Usage(ticks * NANOS_PER_TICK, bytes, bytes, bytes, threads);
    }
}
