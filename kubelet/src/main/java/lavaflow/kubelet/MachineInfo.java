package lavaflow.kubelet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a machine is and has. */
record MachineInfo(
        int processors,
        long memoryBytes,
        long diskBytes,
        String architecture,
        String kernel,
        String system,
        String machineId,
        String systemId,
        String bootId) {
    private static final long KIB = 1024;
    private static final int LONGEST_NUMBER = 32;
    private static final Pattern TASKS = Pattern.compile("/(\\d+) ");

    /** @param directory whose disk counts */
    static MachineInfo read(Path directory) throws IOException {
        FileStore store = Files.getFileStore(directory);
        String machineId = text(Path.of("/etc/machine-id"));
        String systemId = text(Path.of("/sys/class/dmi/id/product_uuid"));
        return new MachineInfo(
                Runtime.getRuntime().availableProcessors(),
                memory("MemTotal"),
                store.getTotalSpace(),
                architecture(System.getProperty("os.arch", "")),
                System.getProperty("os.version", ""),
                system(text(Path.of("/etc/os-release"))),
                machineId,
                systemId.isEmpty() ? machineId : systemId.toLowerCase(Locale.ROOT),
                text(Path.of("/proc/sys/kernel/random/boot_id")));
    }

    /** As Go calls it. */
    private static String architecture(String java) {
        return switch (java) {
            case "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default -> java;
        };
    }

    private static String system(String release) {
        for (String line : release.split("\n", -1)) {
            if (line.startsWith("PRETTY_NAME=")) {
                return line.substring("PRETTY_NAME=".length()).replace("\"", "");
            }
        }
        return "Linux";
    }

    static String text(Path file) {
        try {
            return Files.isReadable(file)
                    ? Files.readString(file, StandardCharsets.ISO_8859_1).strip()
                    : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** How many processes and threads there can be. */
    static long mostProcesses() {
        return Math.min(number("/proc/sys/kernel/pid_max"), number("/proc/sys/kernel/threads-max"));
    }

    /** How many more there can be. */
    static long freeProcesses() {
        // As in 0.20 0.18 0.12 1/80 11206: of 80, one runs.
        Matcher matcher = TASKS.matcher(text(Path.of("/proc/loadavg")));
        return mostProcesses() - (matcher.find() ? Long.parseLong(matcher.group(1)) : 0);
    }

    private static long number(String file) {
        // Settings of the kernel are told whole to the first who reads, however little: readString begins with one
        // byte.
        String text = "";
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            text = new String(in.readNBytes(LONGEST_NUMBER), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            // Then nobody knows, and nothing is made of it.
        }
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : Integer.MAX_VALUE;
    }

    /** An amount of /proc/meminfo in bytes; 0 where it is not told. */
    static long memory(String name) {
        for (String line : text(Path.of("/proc/meminfo")).split("\n", -1)) {
            if (line.startsWith(name + ":")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * KIB;
            }
        }
        return 0;
    }
}
