package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.sandbox.ContainerSpec;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the NVIDIA cards of a machine: what its driver tells in /proc, its device files, and its own tool where that is needed. */
final class DeviceDiscovery {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceDiscovery.class);
    private static final Pattern NODE = Pattern.compile("nvidia(\\d+)");
    private static final Pattern LIBRARY =
            Pattern.compile("(libcuda|libcudadebugger|libnvidia-.*|libnvcuvid|libnvoptix)\\.so(\\..*)?");
    private static final List<String> COMMON = List.of("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset");
    private static final List<String> PROGRAMS = List.of("nvidia-smi", "nvidia-debugdump", "nvidia-cuda-mps-control");
    private static final List<String> LIBRARY_DIRECTORIES =
            List.of("usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib/wsl/lib");
    /** Where images for such cards look: their search paths name these directories. */
    private static final String INSIDE = "/usr/local/nvidia";

    private static final long PATIENCE_SECONDS = 60;

    /**
     * A card.
     *
     * @param id what programs call it
     */
    record Card(String id, String model, String node) {}

    private final Path root;

    /** @param root of the file system; another one in tests */
    DeviceDiscovery(Path root) {
        this.root = root;
    }

    /** Cards in the order of their numbers. */
    List<Card> cards() {
        Map<Integer, Card> byNumber = new TreeMap<>(told());
        for (Path node : entries(root.resolve("dev"))) {
            Matcher matcher = NODE.matcher(String.valueOf(node.getFileName()));
            if (matcher.matches()) {
                int number = Integer.parseInt(matcher.group(1));
                byNumber.putIfAbsent(number, new Card(Integer.toString(number), "", "/dev/" + node.getFileName()));
            }
        }
        boolean unnamed = byNumber.values().stream().anyMatch(card -> !isNamed(card.id()));
        return new ArrayList<>((unnamed ? named(byNumber) : byNumber).values());
    }

    /** The driver writes question marks until somebody has used a card. */
    private static boolean isNamed(String id) {
        return id.startsWith("GPU-") && id.indexOf('?') < 0;
    }

    /** What the driver tells, by the number of the card. */
    private Map<Integer, Card> told() {
        Map<Integer, Card> cards = new LinkedHashMap<>();
        for (Path card : entries(root.resolve("proc/driver/nvidia/gpus"))) {
            Map<String, String> facts = new LinkedHashMap<>();
            try {
                for (String line : Files.readAllLines(card.resolve("information"))) {
                    int colon = line.indexOf(':');
                    if (colon > 0) {
                        facts.put(
                                line.substring(0, colon).strip(),
                                line.substring(colon + 1).strip());
                    }
                }
                int number = Integer.parseInt(facts.getOrDefault("Device Minor", ""));
                String id = facts.getOrDefault("GPU UUID", "");
                cards.put(
                        number,
                        new Card(
                                isNamed(id) ? id : Integer.toString(number),
                                facts.getOrDefault("Model", ""),
                                "/dev/nvidia" + number));
            } catch (IOException | NumberFormatException e) {
                LOG.warn("the driver tells nothing useful in {}: {}", card, e.getMessage());
            }
        }
        return cards;
    }

    /** The same with the names that nvidia-smi knows, where there is one. */
    private Map<Integer, Card> named(Map<Integer, Card> cards) {
        Map<Integer, Card> named = new TreeMap<>(cards);
        for (String line : ask()) {
            String[] parts = line.split(",", 3);
            if (parts.length == 3) {
                try {
                    int number = Integer.parseInt(parts[0].strip());
                    named.computeIfPresent(
                            number, (_, card) -> new Card(parts[1].strip(), parts[2].strip(), card.node()));
                } catch (NumberFormatException e) {
                    LOG.debug("nvidia-smi said: {}", line);
                }
            }
        }
        return named;
    }

    private List<String> ask() {
        Path program = root.resolve("usr/bin/nvidia-smi");
        if (!Files.isExecutable(program)) {
            return List.of();
        }
        try {
            Process process = new ProcessBuilder(
                            program.toString(), "--query-gpu=index,uuid,name", "--format=csv,noheader")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
                LOG.warn("nvidia-smi does not answer");
                return List.of();
            }
            return process.inputReader().lines().toList();
        } catch (IOException e) {
            LOG.warn("cannot ask nvidia-smi: {}", e.getMessage());
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    /** Whether a device file is there; the driver takes away those of cards that fell off the bus. */
    boolean isThere(String node) {
        return Files.exists(root.resolve(node.substring(1)));
    }

    /** Device files that every container with a card needs. */
    List<String> common() {
        return COMMON.stream().map("/dev/"::concat).filter(this::isThere).toList();
    }

    /** The driver's own libraries and programs, which must be of the same version as its kernel module. */
    List<ContainerSpec.Mount> driver() {
        List<ContainerSpec.Mount> mounts = new ArrayList<>();
        for (String directory : LIBRARY_DIRECTORIES) {
            for (Path file : entries(root.resolve(directory))) {
                if (LIBRARY.matcher(String.valueOf(file.getFileName())).matches()) {
                    add(mounts, file, INSIDE + "/lib64/" + file.getFileName());
                }
            }
        }
        for (String program : PROGRAMS) {
            add(mounts, root.resolve("usr/bin").resolve(program), INSIDE + "/bin/" + program);
        }
        return mounts;
    }

    /** What a link leads to: inside, its target is not where it was. */
    private static void add(List<ContainerSpec.Mount> mounts, Path file, String target) {
        boolean taken = mounts.stream().anyMatch(mount -> mount.target().equals(target));
        try {
            Path real = file.toRealPath();
            if (!taken && Files.isRegularFile(real)) {
                mounts.add(new ContainerSpec.Mount(real, target, true, "rprivate"));
            }
        } catch (IOException _) {
            LOG.debug("no {}", file);
        }
    }

    private static List<Path> entries(Path directory) {
        List<Path> entries = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
                stream.forEach(entries::add);
            } catch (IOException | DirectoryIteratorException e) {
                LOG.warn("cannot list {}: {}", directory, e.getMessage());
            }
        }
        entries.sort(null);
        return entries;
    }
}
