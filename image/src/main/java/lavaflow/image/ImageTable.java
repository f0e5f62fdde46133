package lavaflow.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The image table: a file of rules, the first that fits decides, and rules for everything the file says nothing about. The file
 * is read again when it has changed.
 */
public final class ImageTable {
    private static final List<ImageRule> BUILTIN = List.of(
            builtin("host", new Origin.Host(HostDefaults.CONFIG)),
            builtin("lavaflow/host", new Origin.Host(HostDefaults.CONFIG)),
            builtin("busybox", new Origin.Builtin(BuiltinTrees.BUSYBOX)),
            builtin("registry.k8s.io/e2e-test-images/busybox", new Origin.Builtin(BuiltinTrees.BUSYBOX)),
            builtin("pause", new Origin.Builtin(BuiltinTrees.PAUSE)),
            builtin("registry.k8s.io/pause", new Origin.Builtin(BuiltinTrees.PAUSE)),
            builtin("k8s.gcr.io/pause", new Origin.Builtin(BuiltinTrees.PAUSE)),
            builtin(KubectlDelivery.NAMES.get(0), KubectlDelivery.ORIGIN),
            builtin(KubectlDelivery.NAMES.get(1), KubectlDelivery.ORIGIN),
            builtin(KubectlDelivery.NAMES.get(2), KubectlDelivery.ORIGIN),
            builtin("*", new Origin.Registry(null, false, null)));

    private final Path file;
    private @Nullable Loaded loaded;

    /** What the file said, and what tells whether it still says so; the mistake that keeps it from being used. */
    private record Loaded(
            @Nullable Stamp stamp,
            List<ImageRule> rules,
            @Nullable String mistake) {}

    private record Stamp(Object key, long size, java.nio.file.attribute.FileTime changed) {}

    public ImageTable(Path file) {
        this.file = file.toAbsolutePath();
    }

    private static ImageRule builtin(String pattern, Origin origin) {
        return new ImageRule(pattern, origin, true);
    }

    public Path file() {
        return file;
    }

    /** All rules in their order, those of the file before those that always hold. */
    public List<ImageRule> rules() throws ImageException {
        List<ImageRule> rules = new ArrayList<>(current().rules());
        rules.addAll(BUILTIN);
        return rules;
    }

    /** The rule for an image; there always is one. */
    ImageRule ruleFor(Reference reference) throws ImageException {
        for (ImageRule rule : rules()) {
            if (rule.matches(reference) && (!rule.isBuiltin() || isPossible(rule.origin(), reference))) {
                return rule;
            }
        }
        throw new IllegalStateException("the last rule matches everything");
    }

    /** What is made here is no image with a certain digest, and not everything can be made on every machine. */
    private static boolean isPossible(Origin origin, Reference reference) {
        if (origin.equals(KubectlDelivery.ORIGIN)) {
            return reference.digest() == null && KubectlDelivery.isPossible();
        }
        return !(origin instanceof Origin.Builtin made)
                || (reference.digest() == null && BuiltinTrees.canMake(made.name()));
    }

    private synchronized Loaded current() throws ImageException {
        Loaded before = loaded;
        Stamp stamp = stamp();
        if (before == null || !java.util.Objects.equals(before.stamp(), stamp)) {
            before = load(stamp);
            loaded = before;
        }
        if (before.mistake() != null) {
            throw new ImageException(
                    ImageException.Kind.NOT_FOUND, "the image table " + file + " is wrong: " + before.mistake());
        }
        return before;
    }

    private @Nullable Stamp stamp() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new Stamp(
                    java.util.Objects.requireNonNullElse(attributes.fileKey(), ""),
                    attributes.size(),
                    attributes.lastModifiedTime());
        } catch (IOException e) {
            return null;
        }
    }

    private Loaded load(@Nullable Stamp stamp) {
        try {
            Path directory = java.util.Objects.requireNonNull(file.getParent(), "a table lies in a directory");
            return new Loaded(stamp, new RuleReader(directory).read(Files.readAllBytes(file)), null);
        } catch (NoSuchFileException e) {
            return new Loaded(null, List.of(), null);
        } catch (IOException e) {
            return new Loaded(stamp, List.of(), "it cannot be read: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            return new Loaded(stamp, List.of(), e.getMessage());
        }
    }
}
