package lavaflow.scheduler;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the configuration of gangs is written: in a file, or else in the ConfigMap that Volcano's installation has. Followed while the
 * program runs. What cannot be read changes nothing, and is told in an event.
 */
final class GangConfiguration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GangConfiguration.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** So often the file is looked at where nobody tells of changes, as some file systems do not. */
    private static final Duration LOOK = Duration.ofSeconds(10);

    static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    static final String NAMESPACE = "volcano-system";
    static final String NAME = "volcano-scheduler-configmap";
    static final String KEY = "volcano-scheduler.conf";

    private final KubeApi api;
    private final @Nullable Path file;
    private final Consumer<Configuration> listener;
    private final GangWriter writer;
    private final Duration look;
    private @Nullable Followers map;
    private @Nullable Thread watcher;
    private @Nullable WatchService changes;
    /** What was read last; null for nothing. */
    private @Nullable String last;
    /** Why the file could not be read when it was last looked at; null if it could. */
    private @Nullable String trouble;

    /**
     * One that nobody follows yet.
     *
     * @param file null for the ConfigMap
     * @param listener hears of every configuration that can be read
     */
    GangConfiguration(KubeApi api, @Nullable Path file, Consumer<Configuration> listener, GangWriter writer) {
        this(api, file, listener, writer, LOOK);
    }

    /** @param look how often the file is looked at although nobody tells that it changed */
    GangConfiguration(
            KubeApi api, @Nullable Path file, Consumer<Configuration> listener, GangWriter writer, Duration look) {
        this.api = api;
        this.file = file;
        this.listener = listener;
        this.writer = writer;
        this.look = look;
    }

    void start() {
        if (file == null) {
            Followers followers = new Followers(api);
            map = followers;
            follow(followers);
            followers.start();
            return;
        }
        // What changes from here on is heard of, however long reading takes.
        WatchService service = watchService(file);
        read(file);
        watcher = Thread.ofPlatform().daemon().name("scheduler configuration").start(() -> watch(service, file));
    }

    // ---- the file ----

    /** Hears of changes beside the file, if anybody tells of them; null where nobody can. */
    private @Nullable WatchService watchService(Path watched) {
        try {
            WatchService service = FileSystems.getDefault().newWatchService();
            changes = service;
            Path directory = watched.toAbsolutePath().getParent();
            if (directory != null) {
                directory.register(
                        service,
                        StandardWatchEventKinds.ENTRY_CREATE,
                        StandardWatchEventKinds.ENTRY_MODIFY,
                        StandardWatchEventKinds.ENTRY_DELETE);
            }
        } catch (IOException e) {
            LOG.warn("changes of {} will not be noticed at once: {}", watched, e.getMessage());
        }
        return changes;
    }

    /** Whatever happens beside the file: a mounted one is replaced by changing links elsewhere in its directory. */
    private void watch(@Nullable WatchService service, Path watched) {
        try {
            while (true) {
                await(service);
                read(watched);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ClosedWatchServiceException e) {
            LOG.debug("{} is not followed any more", watched);
        }
    }

    private void await(@Nullable WatchService service) throws InterruptedException {
        if (service == null) {
            Thread.sleep(look);
            return;
        }
        WatchKey key = service.poll(look.toMillis(), TimeUnit.MILLISECONDS);
        if (key != null) {
            key.pollEvents();
            boolean ignored = key.reset();
        }
    }

    private void read(Path read) {
        try {
            take(Files.readString(read), null);
            trouble = null;
        } catch (IOException e) {
            String problem = read + " cannot be read: " + e.getMessage();
            if (!problem.equals(trouble)) {
                trouble = problem;
                complain(problem, null);
            }
        }
    }

    // ---- the map ----

    void follow(Followers followers) {
        followers.narrow(MAPS, KubeApi.Scope.of(NAMESPACE, NAME));
        followers.listen(MAPS, KubeApi.View.WHOLE, new ChangeListener() {
            @Override
            public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
                JsonNode text = deleted ? null : Json.at(object, "data", KEY);
                if (text == null) {
                    forget();
                } else {
                    take(text.asText(), object);
                }
            }

            @Override
            public void onRelist(KubeApi.Kind kind, Set<String> uids) {
                if (uids.isEmpty()) {
                    forget();
                }
            }
        });
    }

    private synchronized void forget() {
        if (last != null) {
            last = null;
            listener.accept(Configuration.usual());
        }
    }

    // ---- both ----

    private synchronized void take(String text, @Nullable ObjectNode map) {
        if (text.equals(last)) {
            return;
        }
        last = text;
        try {
            listener.accept(Configuration.parse(text));
            LOG.info("gangs are scheduled by {}", map == null ? file : NAMESPACE + "/" + NAME);
        } catch (MalformedException e) {
            complain(String.valueOf(e.getMessage()), map);
        }
    }

    private void complain(String problem, @Nullable ObjectNode about) {
        String message = "the scheduler keeps its configuration: " + problem;
        LOG.warn(message);
        ObjectNode subject = about;
        if (subject == null) {
            subject = root();
        } else {
            subject = subject.deepCopy().put("apiVersion", "v1").put("kind", "ConfigMap");
        }
        if (subject != null) {
            writer.warn(subject, "InvalidConfiguration", message);
        }
    }

    /** What the program was told by a file concerns the whole cluster, and everybody has this queue. */
    private @Nullable ObjectNode root() {
        try {
            return api.kinds().contains(GangKinds.QUEUES)
                    ? api.find(GangKinds.QUEUES, "", "root").orElse(null)
                    : null;
        } catch (ApiException e) {
            LOG.debug("nobody can be told: {}", e.getMessage());
            return null;
        }
    }

    @Override
    public void close() {
        Followers followers = map;
        if (followers != null) {
            followers.close();
        }
        try {
            WatchService service = changes;
            if (service != null) {
                service.close();
            }
            Thread running = watcher;
            if (running != null) {
                if (service == null) {
                    running.interrupt();
                }
                boolean ignored = running.join(PATIENCE);
            }
        } catch (IOException e) {
            LOG.debug("the watch of {} did not end well", file, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
