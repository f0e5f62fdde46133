package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/** Gets images from registries: layers come several at a time and are unpacked while others still come. */
final class RegistrySource {
    private static final int AT_ONCE = 3;

    private final Web web;
    private final Warehouse warehouse;
    private final Downloads downloads;
    private final Platform own;
    private final RegistryClient.Patience patience;

    RegistrySource(Web web, Warehouse warehouse, Downloads downloads, Platform own, RegistryClient.Patience patience) {
        this.web = web;
        this.warehouse = warehouse;
        this.downloads = downloads;
        this.own = own;
        this.patience = patience;
    }

    StoredImage fetch(Reference name, ImageRule rule, List<Credential> credentials, Progress progress)
            throws ImageException, IOException {
        Origin.Registry origin = (Origin.Registry) rule.origin();
        Repository repository = Repository.of(name, rule.pattern(), origin);
        RegistryClient client = new RegistryClient(
                web.client(origin.authority()), repository, fitting(repository, name, credentials), patience);
        progress.note("asking " + repository.host());
        StoredImage here = unchanged(client, name);
        if (here != null && isNoted(client.opener(), name, here)) {
            return warehouse.publish(
                    here.alsoAs(StoredImage.REGISTRY, List.of()),
                    name.toString(),
                    null,
                    before -> before.openedBy(client.opener()));
        }
        return get(client, plan(client, name), name, progress);
    }

    /** Who is not must show that the content opens, too: some registries give manifests to everybody. */
    private boolean isNoted(Optional<Credential> opener, Reference name, StoredImage image) {
        return warehouse
                .index()
                .accessTo(name.name(), image.id())
                .filter(access -> access.admits(opener.stream().toList()))
                .isPresent();
    }

    /** The credentials with which the registry would be asked for a name. */
    static List<Credential> fitting(Reference name, ImageRule rule, List<Credential> credentials)
            throws ImageException {
        return rule.origin() instanceof Origin.Registry origin
                ? fitting(Repository.of(name, rule.pattern(), origin), name, credentials)
                : DockerConfig.matching(credentials, name);
    }

    /** Secrets for the name in the pod are not for a mirror; those for the mirror are. */
    private static List<Credential> fitting(Repository repository, Reference name, List<Credential> credentials) {
        Reference asked = new Reference(
                repository.host().equals("registry-1.docker.io") ? "docker.io" : repository.host(),
                repository.path(),
                "latest",
                null);
        return DockerConfig.matching(credentials, asked.name().equals(name.name()) ? name : asked);
    }

    /** What is here already under the digest the registry has now. */
    private @org.jspecify.annotations.Nullable StoredImage unchanged(RegistryClient client, Reference name)
            throws ImageException {
        if (name.digest() != null || warehouse.index().byName(name).isEmpty()) {
            return null;
        }
        String digest = client.digestOf(String.valueOf(name.tag())).orElse("");
        return warehouse.index().images().values().stream()
                .filter(image -> image.digests().contains(name.name() + "@" + digest))
                .filter(image -> warehouse.view(image, name.toString()).isPresent())
                .findFirst()
                .orElse(null);
    }

    /** What an image consists of, and which of that is still to be fetched. */
    private record Plan(ConfigFile config, String digest, List<Descriptor> layers) {}

    private Plan plan(RegistryClient client, Reference name) throws ImageException {
        RegistryClient.Found found = client.manifest(name.wanted());
        Manifest manifest = found.manifest();
        if (manifest instanceof Manifest.Index index) {
            manifest = client.manifest(Manifest.choose(index, own).digest()).manifest();
        }
        return switch (manifest) {
            case Manifest.Index _ ->
                throw new ImageException(ImageException.Kind.DAMAGED, "a list of images contains another list");
            case Manifest.Single single -> {
                ConfigFile config = ConfigFile.parse(client.blob(single.config(), ConfigFile.LIMIT))
                        .checkedFor(own);
                ImagePlan.checkCount(single.layers().size(), config);
                yield new Plan(config, found.digest(), single.layers());
            }
        };
    }

    private StoredImage get(RegistryClient client, Plan plan, Reference name, Progress progress)
            throws ImageException, IOException {
        List<String> chain = ImagePlan.chain(plan.config().diffIds());
        long total = 0;
        for (int i = 0; i < chain.size(); i++) {
            total += warehouse.hasLayer(chain.get(i)) ? 0 : plan.layers().get(i).size();
        }
        Amount amount = new Amount(progress, total);
        List<Future<Optional<Path>>> coming = new ArrayList<>();
        Semaphore atOnce = new Semaphore(AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                List<ImagePlan.Layer> layers = new ArrayList<>();
                for (int i = 0; i < chain.size(); i++) {
                    Descriptor layer = plan.layers().get(i);
                    String chainId = chain.get(i);
                    Future<Optional<Path>> file = warehouse.hasLayer(chainId)
                            ? null
                            : threads.submit(() -> download(client, layer, chainId, atOnce, amount));
                    if (file != null) {
                        coming.add(file);
                    }
                    layers.add(new ImagePlan.Layer(
                            layer, plan.config().diffIds().get(i), new Coming(layer, file, client, amount)));
                }
                return warehouse.add(
                        new ImagePlan(plan.config(), plan.digest(), layers),
                        name.toString(),
                        StoredImage.REGISTRY,
                        before -> before.openedBy(client.opener()),
                        progress);
            } finally {
                coming.forEach(file -> file.cancel(true));
            }
        }
    }

    private Optional<Path> download(
            RegistryClient client, Descriptor layer, String chainId, Semaphore atOnce, Amount amount)
            throws IOException, ImageException, InterruptedException {
        atOnce.acquire();
        try {
            return downloads.get(client, layer, () -> warehouse.hasLayer(chainId), amount::add);
        } finally {
            atOnce.release();
        }
    }

    /** Bytes of all layers together. */
    private static final class Amount {
        private final Progress progress;
        private final long total;
        private final AtomicLong done = new AtomicLong();

        Amount(Progress progress, long total) {
            this.progress = progress;
            this.total = total;
        }

        void add(long bytes) {
            progress.amount(done.addAndGet(bytes), total);
        }
    }

    /** A layer that is being downloaded, or that was thought to be here. */
    private final class Coming implements ImagePlan.Content {
        private final Descriptor layer;
        private final @org.jspecify.annotations.Nullable Future<Optional<Path>> file;
        private final RegistryClient client;
        private final Amount amount;

        Coming(
                Descriptor layer,
                @org.jspecify.annotations.Nullable Future<Optional<Path>> file,
                RegistryClient client,
                Amount amount) {
            this.layer = layer;
            this.file = file;
            this.client = client;
            this.amount = amount;
        }

        @Override
        public InputStream open() throws IOException, ImageException {
            try {
                // another pull may have unpacked the same layer, deleted the file, and lost the layer again
                Optional<Path> path = file == null ? Optional.empty() : file.get();
                if (path.isEmpty() || !Files.exists(path.get())) {
                    path = downloads.get(client, layer, () -> false, amount::add);
                }
                return Files.newInputStream(path.orElseThrow());
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                if (cause instanceof ImageException known) {
                    throw known;
                }
                throw cause instanceof IOException known ? known : new IOException(cause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            } catch (CancellationException e) {
                throw new IOException("given up", e);
            }
        }

        @Override
        public void done() {
            try {
                downloads.done(layer);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
