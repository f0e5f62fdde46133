package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.linux.Beneath;
import lavaflow.linux.ErrorCode;
import lavaflow.linux.FileTree;
import lavaflow.linux.Mounts;
import lavaflow.linux.OpenFile;
import lavaflow.linux.Overlays;
import lavaflow.linux.SystemException;
import lavaflow.linux.UserNamespace;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File systems that containers begin with: an overlay of a container's own layer over those of an image or over the machine's
 * own files.
 */
final class Roots {
    private static final Logger LOG = LoggerFactory.getLogger(Roots.class);
    /** Options of a mount end after a page. */
    private static final int MAX_OPTIONS = 4080;

    private static final String LOWER = "lowerdir=";
    private static final String UPPER = ",upperdir=";
    private static final String WORK = ",workdir=";

    /** In the place of options: a part that is bound. */
    private static final String BOUND = "bound";

    /** Of a container whose root has parts: a directory with the layers it writes to. */
    private static final String PARTS = "layers";

    private final Places places;
    private final List<Path> hidden;
    private @Nullable Path mask;
    private List<HostParts.Part> parts = List.of();
    private final Map<Path, Path> shortened = new HashMap<>();

    Roots(Places places, List<Path> hidden) {
        this.places = places;
        this.hidden = new ArrayList<>(hidden);
        this.hidden.add(places.directory());
        // Who goes by links finds the same place without them.
        for (Path each : List.copyOf(this.hidden)) {
            Path real = real(each);
            if (!this.hidden.contains(real)) {
                this.hidden.add(real);
            }
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path;
        }
    }

    /** Places of the machine that no container over its files sees. */
    List<Path> hidden() {
        return List.copyOf(hidden);
    }

    static Path mountPoint(Path container) {
        return container.resolve("root");
    }

    /** Where what a container writes is. */
    static Path written(Path container) {
        Path layers = container.resolve(PARTS);
        return Files.exists(layers) ? layers : upper(container);
    }

    private static Path upper(Path layer) {
        return layer.resolve("upper");
    }

    /** The options that mount a root. */
    String options(ContainerSpec.Root root, Path container) throws IOException, SandboxException {
        if (root instanceof ContainerSpec.HostTree && !UserNamespace.own().isInitial()) {
            return partOptions(root.readOnly(), container);
        }
        List<Path> lower = switch (root) {
            case ContainerSpec.HostTree ignored -> List.of(mask(), Path.of("/"));
            case ContainerSpec.Layers layers -> layers.lowestFirst().reversed();
        };
        if (lower.isEmpty()) {
            throw new SandboxException(SandboxException.Cause.CONFIGURATION, "the image has no layers");
        }
        for (Path layer : lower) {
            if (!Files.isDirectory(layer)) {
                throw new SandboxException(
                        SandboxException.Cause.CONFIGURATION, "layer " + layer + " of the image is missing");
            }
        }
        String options = join(lower, container);
        if (!UserNamespace.own().isInitial()) {
            return options; // long ones are shortened when they are mounted
        }
        if (options.length() > MAX_OPTIONS) {
            List<Path> links = new ArrayList<>();
            for (Path layer : lower) {
                links.add(shortened(layer));
            }
            options = join(links, container);
        }
        if (options.length() > MAX_OPTIONS) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION, "the image has too many layers: " + lower.size());
        }
        return options;
    }

    /** One line for the skeleton, then one for each part: where it belongs and its options, separated by a tab. */
    private String partOptions(boolean readOnly, Path container) throws IOException {
        Path skeleton = mask();
        int number = 0;
        StringBuilder text = new StringBuilder(join(List.of(skeleton), part(container, number++)));
        for (HostParts.Part part : parts) {
            text.append('\n').append(part.directory()).append('\t');
            if (part.bound()) {
                text.append(BOUND);
                continue;
            }
            List<Path> lower =
                    List.of(skeleton.resolve(part.directory()), Path.of("/").resolve(part.directory()));
            // The runtime makes only the root itself read-only, not what is mounted in it.
            text.append(readOnly ? lower(lower) : join(lower, part(container, number++)));
        }
        return text.toString();
    }

    private static Path part(Path container, int number) {
        return container.resolve(PARTS).resolve(Integer.toString(number));
    }

    /** Makes what every container over the machine's files needs, before the first of them asks. */
    void prepare() {
        try {
            LOG.debug("files of the machine are hidden by {}", mask());
        } catch (IOException e) {
            LOG.warn("cannot hide files of the machine", e);
        }
    }

    private synchronized Path mask() throws IOException {
        Path made = mask;
        if (made == null) {
            made = HostMask.of(places, hidden);
            if (!UserNamespace.own().isInitial()) {
                parts = HostParts.prepare(Path.of("/"), made, hidden, Mounts.table());
            }
            mask = made;
        }
        return made;
    }

    private static String lower(List<Path> layers) {
        StringBuilder text = new StringBuilder(LOWER);
        for (int i = 0; i < layers.size(); i++) {
            text.append(i == 0 ? "" : ":").append(escape(layers.get(i)));
        }
        return text.toString();
    }

    private static String join(List<Path> lower, Path container) {
        return lower(lower) + UPPER + escape(upper(container)) + WORK + escape(container.resolve("scratch"));
    }

    private static String unescape(String path) {
        return path.replaceAll("\\\\(.)", "$1");
    }

    private static String escape(Path path) {
        return path.toString().replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,");
    }

    /** A short name for a layer, so that many of them fit into the options of one mount: numbers, given as needed. */
    private synchronized Path shortened(Path layer) throws IOException {
        Path directory = places.run().resolve("l");
        if (shortened.isEmpty()) {
            Files.createDirectories(directory);
            try (var links = Files.newDirectoryStream(directory)) {
                for (Path link : links) {
                    shortened.put(Files.readSymbolicLink(link), link);
                }
            }
        }
        Path known = shortened.get(layer);
        for (int name = shortened.size(); known == null; name++) {
            Path link = directory.resolve(Integer.toString(name, 36));
            if (Files.notExists(link, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                known = Files.createSymbolicLink(link, layer);
                shortened.put(layer, link);
            }
        }
        return known;
    }

    /** Mounts a root. Its layer need not survive the machine, so nothing is ever written to disk for its sake. */
    void mount(Path container, String options) throws IOException {
        Path root = mountPoint(container);
        Files.createDirectories(root);
        for (String line : options.lines().toList()) {
            int tab = line.indexOf('\t');
            if (line.substring(tab + 1).equals(BOUND)) {
                bindWhole(Path.of("/", line.substring(0, tab)), root.resolve(line.substring(0, tab)));
            } else {
                overlay(tab < 0 ? root : root.resolve(line.substring(0, tab)), line.substring(tab + 1));
            }
        }
    }

    /** With all that is mounted in it, which a user namespace wants so, and read-only throughout. */
    private static void bindWhole(Path source, Path target) throws IOException {
        Mounts.mount(source.toString(), target, "", Mounts.BIND | Mounts.RECURSIVE, "");
        try {
            Mounts.mount("none", target, "", Mounts.PRIVATE | Mounts.RECURSIVE, "");
            Mounts.makeReadOnly(target);
        } catch (IOException e) {
            Mounts.unmount(target);
            throw e;
        }
    }

    private static void overlay(Path target, String written) throws IOException {
        int upper = written.indexOf(UPPER);
        int work = written.indexOf(WORK);
        if (upper < 0) {
            Mounts.mount("overlay", target, "overlay", 0, written + Overlays.marks());
            return;
        }
        Files.createDirectories(Path.of(unescape(written.substring(upper + UPPER.length(), work))));
        prepareScratch(Path.of(unescape(written.substring(work + WORK.length()))));
        if (written.length() <= MAX_OPTIONS) {
            mountOverlay(target, written);
            return;
        }
        List<OpenFile> layers = new ArrayList<>();
        try {
            StringBuilder options = new StringBuilder(LOWER);
            for (String each : written.substring(LOWER.length(), upper).split("(?<!\\\\):", -1)) {
                // Open files have short names.
                OpenFile opened = Beneath.directory(Path.of(unescape(each)));
                layers.add(opened);
                options.append(layers.size() == 1 ? "" : ":").append(opened.path());
            }
            mountOverlay(target, options.append(written.substring(upper)).toString());
        } finally {
            layers.forEach(OpenFile::close);
        }
    }

    /** Where the kernel prepares what it puts into the layer: wherever the container was made with. */
    private static void prepareScratch(Path scratch) throws IOException {
        Files.createDirectories(scratch);
        // Left by an earlier mount, after which the kernel refuses another.
        Path incompatible = scratch.resolve(Path.of("work", "incompat", "volatile"));
        if (Files.exists(incompatible)) {
            Files.delete(incompatible);
        }
    }

    private static void mountOverlay(Path target, String options) throws IOException {
        try {
            Mounts.mount("overlay", target, "overlay", 0, options + Overlays.marks() + ",volatile");
        } catch (SystemException e) {
            if (!e.is(ErrorCode.EINVAL)) {
                throw e;
            }
            Mounts.mount("overlay", target, "overlay", 0, options + Overlays.marks());
        }
    }

    /** Deletes a directory of ours. Never reaches into what is mounted in it: that is taken away first. */
    static void delete(Path directory) throws IOException {
        FileTree.unmountAndDelete(directory);
    }

    /** Deletes a directory; fails where something is mounted in it, without touching that. */
    static void deleteFiles(Path directory) throws IOException {
        FileTree.delete(directory);
    }
}
