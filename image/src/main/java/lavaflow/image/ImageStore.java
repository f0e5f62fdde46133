package lavaflow.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The images in a data directory: {@code images.yaml} decides where they come from, {@code images/} holds what was fetched.
 *
 * <p>One pull of a name at a time; everybody else who wants it waits and finds it there.
 */
public final class ImageStore implements Images {
    private final ImageTable table;
    private final Warehouse warehouse;
    private final Fetching fetching;
    private final KeyedLocks pulls = new KeyedLocks();
    /** Images that are nothing but a rule, as far as somebody asked for them. */
    private final Map<String, Image> virtual = new ConcurrentSkipListMap<>();

    private ImageStore(Path home, LayerLimits limits, RegistryClient.Patience patience) {
        this.table = new ImageTable(home.resolve("images.yaml"));
        this.warehouse = new Warehouse(home.resolve("images"), limits);
        this.fetching = new Fetching(home, warehouse, patience);
    }

    /** Opens the images of a data directory; several processes may do so at once. */
    public static ImageStore open(Path home) {
        return open(home, LayerLimits.USUAL, RegistryClient.Patience.USUAL);
    }

    static ImageStore open(Path home, LayerLimits limits, RegistryClient.Patience patience) {
        return new ImageStore(home.toAbsolutePath(), limits, patience);
    }

    public ImageTable table() {
        return table;
    }

    @Override
    public Optional<Image> find(String reference) {
        if (Digest.isValid(reference)) {
            return byId(reference, warehouse.index());
        }
        try {
            Reference name = Reference.parse(reference);
            return find(name, table.ruleFor(name), warehouse.index());
        } catch (ImageException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<Image> findFor(String reference, Supplier<List<Credential>> credentials) {
        StoreIndex index = warehouse.index();
        if (Digest.isValid(reference)) {
            return byId(reference, index).filter(image -> isOpenById(image.id(), index, credentials));
        }
        try {
            Reference name = Reference.parse(reference);
            ImageRule rule = table.ruleFor(name);
            return find(name, rule, index).filter(image -> isOpen(name, image.id(), index, credentials));
        } catch (ImageException e) {
            return Optional.empty();
        }
    }

    private boolean isOpen(Reference name, String id, StoreIndex index, Supplier<List<Credential>> credentials) {
        StoreIndex.Named named = index.names().get(name.toString());
        boolean preloaded = named == null
                ? index.isPreloaded(name.name(), id)
                : !named.origin().equals(StoredImage.REGISTRY);
        return preloaded || index.admits(name.name(), id, () -> fitting(name, credentials.get()));
    }

    /** Who asks for an id says nothing of a repository: any that gave it may open it. */
    private boolean isOpenById(String id, StoreIndex index, Supplier<List<Credential>> credentials) {
        List<String> guards = index.guardsOf(id);
        return guards.isEmpty()
                || index.isPreloaded("", id)
                || guards.stream().anyMatch(repository -> isOpenAs(repository, id, index, credentials));
    }

    private boolean isOpenAs(String repository, String id, StoreIndex index, Supplier<List<Credential>> credentials) {
        try {
            Reference name = Reference.parse(repository);
            return index.admits(repository, id, () -> fitting(name, credentials.get()));
        } catch (ImageException e) {
            return false;
        }
    }

    private List<Credential> fitting(Reference name, List<Credential> credentials) {
        try {
            return RegistrySource.fitting(name, table.ruleFor(name), credentials);
        } catch (ImageException e) {
            return List.of();
        }
    }

    private Optional<Image> byId(String id, StoreIndex index) {
        Optional<Image> rule =
                virtual.values().stream().filter(image -> image.id().equals(id)).findFirst();
        return rule.isPresent() ? rule : index.byId(id).flatMap(stored -> warehouse.view(stored, nameOf(id, index)));
    }

    private static String nameOf(String id, StoreIndex index) {
        return index.namesOf(id).keySet().stream().findFirst().orElse(id);
    }

    private Optional<Image> find(Reference name, ImageRule rule, StoreIndex index) {
        Optional<Image> stated = stated(name, rule.origin());
        if (stated.isPresent()) {
            return stated;
        }
        StoreIndex.Named named = index.names().get(name.toString());
        if (named != null && !isStill(named.origin(), rule)) {
            return Optional.empty();
        }
        return index.byName(name).flatMap(stored -> warehouse.view(stored, name.toString()));
    }

    /** Whether the table would still bring this image: the user may have pointed the name elsewhere, or changed a file. */
    private boolean isStill(String origin, ImageRule rule) {
        return origin.equals(StoredImage.IMPORTED)
                ? rule.origin() instanceof Origin.Registry || rule.isBuiltin()
                : Fetching.isSame(origin, fetching.fingerprint(rule.origin()));
    }

    /** Images that need not be fetched. */
    private Optional<Image> stated(Reference name, Origin origin) {
        Image image = switch (origin) {
            case Origin.Host host ->
                new Image(
                        Digest.of(("host " + host.config()).getBytes(StandardCharsets.UTF_8)),
                        name.toString(),
                        null,
                        new Image.HostTree(List.of()),
                        host.config(),
                        0);
            case Origin.Tree tree
            when Files.isDirectory(tree.directory()) ->
                new Image(
                        Digest.of(("directory " + tree).getBytes(StandardCharsets.UTF_8)),
                        name.toString(),
                        null,
                        new Image.Layers(List.of(tree.directory())),
                        tree.config(),
                        0);
            default -> null;
        };
        if (image != null) {
            virtual.put(image.reference(), image);
        }
        return Optional.ofNullable(image);
    }

    @Override
    public Image pull(String reference, List<Credential> credentials, Consumer<String> progress) throws ImageException {
        return fetch(reference, credentials, progress::accept);
    }

    /** As {@link Images#pull}, for those who want to see how far it is. */
    public Image fetch(String reference, List<Credential> credentials, Progress progress) throws ImageException {
        Reference name = Reference.parse(reference);
        ImageRule rule = table.ruleFor(name);
        try (KeyedLocks.Hold _ = pulls.hold(name.toString())) {
            StoreIndex index = warehouse.index();
            Optional<Image> here =
                    find(name, rule, index).filter(image -> isOpen(name, image.id(), index, () -> credentials));
            boolean settled = !(rule.origin() instanceof Origin.Registry) || name.digest() != null || isImported(name);
            if (here.isPresent() && settled) {
                warehouse.used(here.get().id());
                return here.get();
            }
            StoredImage stored = fetching.fetch(name, rule, credentials, progress);
            return warehouse
                    .view(stored, name.toString())
                    .orElseThrow(() -> new IOException("it was removed while it came"));
        } catch (ImageException e) {
            throw Advice.about(name, rule.origin(), e);
        } catch (BadLayerException e) {
            throw Advice.about(name, rule.origin(), new ImageException(e.kind(), String.valueOf(e.getMessage()), e));
        } catch (IOException e) {
            throw new ImageException(
                    ImageException.Kind.UNREACHABLE, "cannot get " + name.familiar() + ": " + e.getMessage(), e);
        }
    }

    private boolean isImported(Reference name) {
        StoreIndex.Named named = warehouse.index().names().get(name.toString());
        return named != null && named.origin().equals(StoredImage.IMPORTED);
    }

    /**
     * Takes in an archive of either kind.
     *
     * @param names to give it; empty for those the archive has
     * @return the names it has now
     */
    public List<String> load(Path file, List<String> names, Progress progress) throws ImageException, IOException {
        List<String> given = new ArrayList<>();
        for (String name : names) {
            given.add(Reference.parse(name).toString());
        }
        return fetching.load(file, given, progress);
    }

    @Override
    public List<ImageEntry> entries() {
        StoreIndex index = warehouse.index();
        List<ImageEntry> entries = new ArrayList<>();
        for (StoredImage stored : index.images().values()) {
            Map<String, String> names = new LinkedHashMap<>();
            index.namesOf(stored.id()).forEach((name, origin) -> names.put(name, Fetching.readable(origin)));
            entries.add(new ImageEntry(
                    stored.id(), names, stored.digests(), stored.size(), warehouse.lastUsed(stored.id())));
        }
        return entries;
    }

    /** Whether a container runs on something that would be deleted with an image. */
    public boolean isInUse(String id) throws IOException {
        return warehouse.isMounted(id);
    }

    /** Takes a name away from an image; with its last name the image goes, too. */
    public void removeName(String name) throws IOException, ImageException {
        String full = Reference.parse(name).toString();
        StoreIndex.Named named = warehouse.index().names().get(full);
        if (named == null) {
            return;
        }
        if (warehouse.index().namesOf(named.id()).size() > 1) {
            warehouse.forgetName(full);
        } else {
            remove(named.id());
        }
    }

    @Override
    public List<Image> list() {
        List<Image> images = new ArrayList<>(virtual.values());
        StoreIndex index = warehouse.index();
        for (StoredImage stored : index.images().values()) {
            Set<String> names = index.namesOf(stored.id()).keySet();
            for (String name : names.isEmpty() ? Set.of(stored.id()) : names) {
                warehouse.view(stored, name).ifPresent(images::add);
            }
        }
        return images;
    }

    @Override
    public void remove(String id) throws ImageException {
        try {
            virtual.values().removeIf(image -> image.id().equals(id));
            warehouse.remove(id);
        } catch (IOException e) {
            throw new ImageException(ImageException.Kind.DAMAGED, "cannot remove " + id + ": " + e.getMessage(), e);
        }
    }

    /** Images somebody took in by hand stay: nothing could bring them back. */
    @Override
    public long collect(Set<String> inUse, long bytes) {
        try {
            return warehouse.collect(id -> !warehouse.index().isImported(id) && !inUse.contains(id), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void used(String id) {
        if (warehouse.index().byId(id).isPresent()) {
            warehouse.used(id);
        }
    }

    @Override
    public void close() {
        fetching.close();
    }
}
