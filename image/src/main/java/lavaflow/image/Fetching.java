package lavaflow.image;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/** Brings images from where the table says they are. */
final class Fetching implements AutoCloseable {
    private static final String MISSING = " is missing";

    private final Warehouse warehouse;
    private final Platform own = Platform.own();
    private final Web web = new Web();
    private final RegistrySource registries;
    private final RecipeBuilder recipes;

    Fetching(Path home, Warehouse warehouse, RegistryClient.Patience patience) {
        this.warehouse = warehouse;
        this.recipes = new RecipeBuilder(home, warehouse);
        this.registries = new RegistrySource(web, warehouse, warehouse.downloads(), own, patience);
    }

    StoredImage fetch(Reference name, ImageRule rule, List<Credential> credentials, Progress progress)
            throws ImageException, IOException {
        String origin = fingerprint(rule.origin());
        return switch (rule.origin()) {
            case Origin.Layout layout -> {
                try (Blobs blobs = new LayoutDirectory(layout.directory())) {
                    yield warehouse.add(new LocalImages(blobs, own).find(name), name.toString(), origin, progress);
                }
            }
            case Origin.Archive archive -> {
                try (Unpacked file = unpacked(archive.file(), progress);
                        Blobs blobs = ArchiveFile.open(file.path())) {
                    yield warehouse.add(new LocalImages(blobs, own).find(name), name.toString(), origin, progress);
                }
            }
            case Origin.Tree tree ->
                throw new ImageException(ImageException.Kind.NOT_FOUND, "there is no directory " + tree.directory());
            case Origin.Host _ -> throw new IllegalStateException("the machine itself is always there");
            case Origin.Registry _ -> registries.fetch(name, rule, credentials, progress);
            case Origin.Builtin builtin -> new BuiltinTrees(warehouse).make(builtin.name(), name.toString(), origin);
            case Origin.FromRecipe recipe -> recipes.build(recipe.recipe(), name.toString(), progress);
        };
    }

    /** An archive that can be read at any place; one that was compressed is a copy. */
    private record Unpacked(Path path, WorkArea.Job job) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            job.close();
        }
    }

    private Unpacked unpacked(Path file, Progress progress) throws IOException, ImageException {
        WorkArea.Job job = warehouse.begin();
        try (InputStream in = Warehouse.open(file);
                InputStream plain = Decompression.of(in)) {
            if (plain instanceof java.io.BufferedInputStream) {
                return new Unpacked(file, job);
            }
            progress.note("decompressing " + file.getFileName());
            Path copy = job.place();
            Files.copy(plain, copy);
            return new Unpacked(copy, job);
        } catch (IOException | ImageException e) {
            job.close();
            throw e;
        }
    }

    List<String> load(Path file, List<String> given, Progress progress) throws ImageException, IOException {
        List<String> names = new ArrayList<>();
        try (Unpacked unpacked = unpacked(file, progress);
                Blobs blobs = ArchiveFile.open(unpacked.path())) {
            LocalImages images = new LocalImages(blobs, own);
            List<LocalImages.Offer> offers = images.offers();
            if (!given.isEmpty() && offers.size() > 1) {
                throw new ImageException(
                        ImageException.Kind.NOT_FOUND,
                        file + " has " + offers.size()
                                + " images; leave out --name to import all under their own names");
            }
            for (LocalImages.Offer offer : offers) {
                List<String> wanted = given.isEmpty() ? fullNames(offer) : given;
                if (wanted.isEmpty()) {
                    throw new ImageException(
                            ImageException.Kind.NOT_FOUND,
                            "an image in " + file + " has no name; give it one with --name");
                }
                ImagePlan plan = images.plan(offer);
                for (String name : wanted) {
                    warehouse.add(plan, name, StoredImage.IMPORTED, progress);
                    names.add(name);
                }
            }
        } catch (BadLayerException e) {
            throw new ImageException(e.kind(), file + ": " + e.getMessage(), e);
        } catch (EOFException | ZipException e) {
            throw new ImageException(ImageException.Kind.DAMAGED, file + ": " + e.getMessage(), e);
        }
        return names;
    }

    private static List<String> fullNames(LocalImages.Offer offer) throws ImageException {
        List<String> names = new ArrayList<>();
        for (String name : offer.names()) {
            // a tag alone names no image
            if (name.indexOf(':') > 0 || name.indexOf('/') > 0) {
                names.add(Reference.parse(name).toString());
            }
        }
        return names;
    }

    /** Where an image comes from and how that looks now; an image whose origin looks different is got again. */
    String fingerprint(Origin origin) {
        return switch (origin) {
            case Origin.Registry _ -> StoredImage.REGISTRY;
            case Origin.Archive archive -> stamped(origin, archive.file());
            case Origin.Layout layout -> stamped(origin, layout.directory().resolve("index.json"));
            case Origin.Builtin builtin -> "built-in " + BuiltinTrees.fingerprint(builtin.name());
            case Origin.FromRecipe recipe -> recipes.fingerprint(recipe.recipe());
            case Origin.Tree _, Origin.Host _ -> origin.describe();
        };
    }

    /** An origin without how it looked. */
    static String readable(String fingerprint) {
        String[] words = fingerprint.split(" ", -1);
        return words.length < 2 ? fingerprint : words[0] + " " + words[1];
    }

    /** A file that is gone says nothing new about what was made of it. */
    static boolean isSame(String then, String now) {
        return then.equals(now)
                || (now.endsWith(MISSING) && then.startsWith(now.substring(0, now.length() - MISSING.length()) + " "));
    }

    private static String stamped(Origin origin, Path file) {
        try {
            return origin.describe() + " " + Files.size(file) + " "
                    + Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            return origin.describe() + MISSING;
        }
    }

    @Override
    public void close() {
        web.close();
    }
}
