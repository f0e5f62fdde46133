package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.zip.ZipException;

import lavaflow.linux.UserNamespace;

import org.jspecify.annotations.Nullable;

/**
 * The directory of fetched images: {@code index.json}, {@code layers/}, {@code trees/}, {@code downloads/}, {@code work/} and
 * {@code used/}. Several processes may share it. What the index names is complete; everything else is garbage or in the making.
 */
final class Warehouse {
    private static final Duration ABANDONED = Duration.ofDays(2);

    private final Path directory;
    private final LayerLimits limits;
    private final StoreLock lock;
    private final IndexFile index;
    private final LayerStore layers;
    private final TreeStore trees;
    private final WorkArea work;
    private final Downloads downloads;
    private final KeyedLocks unpacking = new KeyedLocks();
    private final boolean privileged;

    Warehouse(Path directory, LayerLimits limits) {
        this.directory = directory;
        this.limits = limits;
        this.lock = new StoreLock(directory.resolve("lock"));
        this.index = new IndexFile(directory.resolve("index.json"));
        this.layers = new LayerStore(directory.resolve("layers"));
        this.trees = new TreeStore(directory.resolve("trees"));
        this.work = new WorkArea(directory.resolve("unpacking"), directory.resolve("work"));
        this.downloads = new Downloads(directory.resolve("downloads"), limits);
        // In a user namespace root may neither make devices nor write the usual marks of overlays.
        this.privileged = UserNamespace.isRoot() && UserNamespace.own().isInitial();
    }

    Downloads downloads() {
        return downloads;
    }

    /** Makes a tree; its root is empty and is seen by nobody before it is complete. */
    interface TreeMaker {
        void make(Path root) throws IOException, ImageException;
    }

    /** Makes an image of a tree and its size. */
    interface TreeUser {
        StoredImage publish(long size) throws IOException;
    }

    /** A tree by its name, made if it is not there yet: by one process, while others that want it wait. It stays until it is used. */
    StoredImage makeTree(String name, TreeMaker maker, TreeUser user) throws IOException, ImageException {
        Path locks = Files.createDirectories(directory.resolve("locks"));
        return new StoreLock(locks.resolve(name)).locked(() -> {
            try (WorkArea.Job job = begin()) {
                job.lease(name);
                Optional<Long> found = trees.find(name);
                return user.publish(found.isPresent() ? found.get() : makeTree(name, maker, job));
            }
        });
    }

    private long makeTree(String name, TreeMaker maker, WorkArea.Job job) throws IOException, ImageException {
        Path place = Files.createDirectory(job.place());
        Path root = Files.createDirectory(place.resolve("tree"));
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        maker.make(root);
        return lock.locked(() -> trees.add(place, name));
    }

    StoreIndex index() {
        try {
            return index.read();
        } catch (IOException e) {
            throw new UncheckedIOException("the images in " + directory + " cannot be read", e);
        }
    }

    WorkArea.Job begin() throws IOException {
        Files.createDirectories(directory);
        return lock.locked(() -> {
            work.sweep();
            return work.begin();
        });
    }

    /** Unpacks what is missing of an image of this machine and gives it a name. */
    StoredImage add(ImagePlan plan, String name, String origin, Progress progress) throws ImageException, IOException {
        return add(plan, name, origin, UnaryOperator.identity(), progress);
    }

    /**
     * Unpacks what is missing of an image and gives it a name.
     *
     * @param access what is known then of who may use it
     */
    StoredImage add(ImagePlan plan, String name, String origin, UnaryOperator<ImageAccess> access, Progress progress)
            throws ImageException, IOException {
        List<String> chain = ImagePlan.chain(plan.config().diffIds());
        try (WorkArea.Job job = begin()) {
            List<LayerStore.Stored> stored = new ArrayList<>();
            for (int i = 0; i < chain.size(); i++) {
                job.lease(chain.get(i));
                try (KeyedLocks.Hold _ = unpacking.hold(chain.get(i))) {
                    Optional<LayerStore.Stored> found = layers.find(chain.get(i));
                    stored.add(
                            found.isPresent()
                                    ? found.get()
                                    : unpack(plan.layers().get(i), chain.get(i), stored, job, progress));
                }
            }
            long size = stored.stream().mapToLong(LayerStore.Stored::size).sum();
            StoredImage image = new StoredImage(
                    plan.config().id(),
                    origin,
                    List.of(),
                    plan.config().config(),
                    chain,
                    false,
                    Map.of(),
                    size,
                    Instant.now().toString());
            return publish(image, name, plan.digest(), access);
        }
    }

    /** Whether a layer need not be fetched. */
    boolean hasLayer(String chainId) throws IOException {
        return layers.find(chainId).isPresent();
    }

    /** Makes an image of this machine visible. */
    StoredImage publish(StoredImage image, String name, @Nullable String digest) throws IOException {
        return publish(image, name, digest, UnaryOperator.identity());
    }

    /** Makes an image visible, in the same moment in which it is known who may use it. */
    StoredImage publish(StoredImage image, String name, @Nullable String digest, UnaryOperator<ImageAccess> access)
            throws IOException {
        Reference reference;
        try {
            reference = Reference.parse(name);
        } catch (ImageException e) {
            throw new IOException(e);
        }
        List<String> digests = digest == null ? List.of() : List.of(reference.name() + "@" + digest);
        StoreIndex after = lock.locked(() -> index.change(before -> {
            StoredImage known = before.byId(image.id()).orElse(image);
            return before.with(known.alsoAs(image.origin(), digests), name)
                    .withAccess(reference.name(), image.id(), access);
        }));
        used(image.id());
        return after.byId(image.id()).orElseThrow();
    }

    private LayerStore.Stored unpack(
            ImagePlan.Layer layer, String chainId, List<LayerStore.Stored> below, WorkArea.Job job, Progress progress)
            throws ImageException, IOException {
        Path place = Files.createDirectory(job.place());
        LayerTree tree = new LayerTree(
                LayerStore.treeIn(place),
                below.stream().map(LayerStore.Stored::tree).toList(),
                privileged);
        tree.makeRoot();
        String digest = layer.descriptor().digest();
        String name = shortened(digest.isEmpty() ? layer.diffId() : digest);
        long size;
        progress.note("unpacking " + name);
        try (CheckedStream sent = new CheckedStream(
                        layer.content().open(), digest.isEmpty() ? Digest.sha256() : Digest.algorithmOf(digest));
                CheckedStream unpacked =
                        new BoundedStream(Decompression.of(sent), Digest.algorithmOf(layer.diffId()), sent, limits)) {
            size = new LayerUnpacker(tree, limits).unpack(unpacked);
            String diffId = unpacked.finish();
            String found = sent.finish();
            if (!digest.isEmpty() && !found.equals(digest)) {
                throw damaged("a layer should be " + digest + " and is " + found);
            }
            if (!diffId.equals(layer.diffId())) {
                throw damaged("a layer should unpack to " + layer.diffId() + " and does to " + diffId);
            }
        } catch (BadLayerException e) {
            throw new ImageException(e.kind(), "layer " + name + ": " + e.getMessage(), e);
        } catch (java.io.EOFException | ZipException e) {
            throw damaged("layer " + name + " is cut off or damaged: " + e.getMessage());
        }
        LayerStore.Stored stored = lock.locked(() -> layers.add(place, chainId, layer.diffId(), size));
        layer.content().done();
        return stored;
    }

    private static ImageException damaged(String message) {
        return new ImageException(ImageException.Kind.DAMAGED, message);
    }

    static String shortened(String digest) {
        String hex = Digest.hex(digest);
        return hex.substring(0, Math.min(12, hex.length()));
    }

    /** The image as others see it, if all of it is there. */
    Optional<Image> view(StoredImage stored, String reference) {
        try {
            String digest = stored.digests().isEmpty() ? null : stored.digests().getFirst();
            Image.Source source;
            for (String tree : stored.trees().values()) {
                if (!Files.exists(place(tree))) {
                    return Optional.empty();
                }
            }
            if (stored.overHost()) {
                List<Image.Overlaid> laidOver = new ArrayList<>();
                stored.trees().forEach((target, tree) -> laidOver.add(new Image.Overlaid(place(tree), target)));
                source = new Image.HostTree(laidOver);
            } else if (!stored.trees().isEmpty()) {
                source = new Image.Layers(
                        stored.trees().values().stream().map(this::place).toList());
            } else {
                List<Path> trees = new ArrayList<>();
                for (String chainId : stored.layers()) {
                    Optional<LayerStore.Stored> layer = layers.find(chainId);
                    if (layer.isEmpty()) {
                        return Optional.empty();
                    }
                    trees.add(layer.get().tree());
                }
                source = new Image.Layers(trees);
            }
            return Optional.of(new Image(stored.id(), reference, digest, source, stored.config(), stored.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Trees of the store are noted without the directory, which may be moved; others with their whole path. */
    private Path place(String tree) {
        return directory.resolve("trees").resolve(tree);
    }

    void used(String id) {
        try {
            Path mark = Files.createDirectories(directory.resolve("used")).resolve(Digest.hex(id));
            if (!Files.exists(mark)) {
                Files.write(mark, new byte[0]);
            }
            Files.setLastModifiedTime(mark, FileTime.from(Instant.now()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Instant lastUsed(String id) {
        try {
            return Files.getLastModifiedTime(directory.resolve("used").resolve(Digest.hex(id)))
                    .toInstant();
        } catch (IOException e) {
            return Instant.EPOCH;
        }
    }

    /** Whether somebody has mounted what only this image needs. */
    boolean isMounted(String id) throws IOException {
        StoreIndex known = index.read();
        Optional<StoredImage> image = known.byId(id);
        if (image.isEmpty()) {
            return false;
        }
        MountedLayers mounted = MountedLayers.now();
        List<Path> places = new ArrayList<>();
        for (String layer : image.get().layers()) {
            layers.find(layer).ifPresent(stored -> places.add(stored.place()));
        }
        // A container of just these layers is one of this image, even if others have each of them.
        if (mounted.hasOverlayOf(places)) {
            return true;
        }
        Set<String> others = new HashSet<>();
        known.without(id).images().values().forEach(other -> {
            others.addAll(other.layers());
            others.addAll(other.trees().values());
        });
        for (String layer : image.get().layers()) {
            Optional<LayerStore.Stored> stored = others.contains(layer) ? Optional.empty() : layers.find(layer);
            if (stored.isPresent() && mounted.uses(stored.get().place())) {
                return true;
            }
        }
        for (String tree : image.get().trees().values()) {
            if (!others.contains(tree) && !tree.startsWith("/") && mounted.uses(place(tree))) {
                return true;
            }
        }
        return false;
    }

    /** Forgets a name; the image stays until it is collected if it has others. */
    void forgetName(String name) throws IOException {
        lock.locked(() -> index.change(before -> before.withoutName(name)));
    }

    /** Forgets an image; returns the bytes that are free then. */
    long remove(String id) throws IOException {
        return forget(before -> before.byId(id).isPresent() ? List.of(id) : List.of(), Long.MAX_VALUE);
    }

    private interface Choice {
        List<String> of(StoreIndex index) throws IOException;
    }

    /** Forgets images in the given order until enough is free. */
    private long forget(Choice choice, long bytes) throws IOException {
        if (!Files.isDirectory(directory)) {
            return 0;
        }
        try (WorkArea.Job job = begin()) {
            return lock.locked(() -> {
                Set<String> leased = work.sweep();
                downloads.sweep(Instant.now().minus(ABANDONED));
                long freed = clean(job, leased);
                for (String id : choice.of(index.read())) {
                    if (freed >= bytes) {
                        break;
                    }
                    index.change(before -> before.without(id));
                    Files.deleteIfExists(directory.resolve("used").resolve(Digest.hex(id)));
                    freed += clean(job, leased);
                }
                return freed;
            });
        }
    }

    private long clean(WorkArea.Job job, Set<String> leased) throws IOException {
        Set<String> needed = new HashSet<>(leased);
        Set<String> laid = new HashSet<>(leased);
        index.read().images().values().forEach(image -> {
            needed.addAll(image.layers());
            laid.addAll(image.trees().values());
        });
        long freed = layers.keepOnly(needed, job);
        return freed + trees.keepOnly(laid, job);
    }

    /** Forgets what fits and was used longest ago first, until enough is free. */
    long collect(Predicate<String> collectable, long bytes) throws IOException {
        return forget(
                known -> {
                    Map<String, Instant> ages = new LinkedHashMap<>();
                    known.images().keySet().stream().filter(collectable).forEach(id -> ages.put(id, lastUsed(id)));
                    return ages.entrySet().stream()
                            .sorted(Map.Entry.<String, Instant>comparingByValue()
                                    .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
                            .map(Map.Entry::getKey)
                            .toList();
                },
                bytes);
    }

    /** What a file holds, from its beginning. */
    static InputStream open(Path file) throws IOException, ImageException {
        try {
            return Files.newInputStream(file);
        } catch (NoSuchFileException e) {
            throw new ImageException(ImageException.Kind.NOT_FOUND, "there is no file " + file, e);
        }
    }
}
