package lavaflow.volume;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where everything of a pod lies.
 *
 * <pre>
 * pods/UID/volumes/kubernetes.io~empty-dir/NAME
 * pods/UID/volume-subpaths/NAME/CONTAINER/INDEX   parts of volumes, bound
 * pods/UID/claims/NAME                            marks a persistent volume that the pod uses
 * memory/UID/NAME                                 secrets, projected, downwardAPI
 * </pre>
 */
record PodPlaces(Path directory) {
    private static final Logger LOG = LoggerFactory.getLogger(PodPlaces.class);
    static final String EMPTY_DIR = "empty-dir";
    static final String CONFIG_MAP = "configmap";

    Path pods() {
        return directory.resolve("pods");
    }

    Path memory() {
        return directory.resolve("memory");
    }

    Path volume(String uid, String plugin, String name) {
        return child(plugins(uid, plugin), name);
    }

    private Path plugins(String uid, String plugin) {
        return child(pods(), uid).resolve("volumes").resolve("kubernetes.io~" + plugin);
    }

    Path inMemory(Path memory, String uid, String name) {
        return child(child(memory, uid), name);
    }

    Path subPath(String uid, String volume, String container, int index) {
        Path subPaths = child(pods(), uid).resolve("volume-subpaths");
        return child(child(subPaths, volume), container).resolve(Integer.toString(index));
    }

    Path claims(String uid) {
        return child(pods(), uid).resolve("claims");
    }

    Path claim(String uid, String volume) {
        return child(claims(uid), volume);
    }

    Path pod(String uid) {
        return child(pods(), uid);
    }

    Path inMemory(String uid) {
        return child(memory(), uid);
    }

    List<Path> volumes(String uid, String plugin) {
        return entries(plugins(uid, plugin));
    }

    /** What is in a directory, which need not exist, in order. */
    static List<Path> entries(Path directory) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(entries::add);
        } catch (NoSuchFileException _) {
            return List.of();
        } catch (IOException | DirectoryIteratorException e) {
            LOG.warn("cannot list {}: {}", directory, e.getMessage());
        }
        entries.sort(null);
        return entries;
    }

    /** Names come from a server that may be anybody's. */
    private static Path child(Path directory, String name) {
        if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException("not a name: " + name);
        }
        return directory.resolve(name);
    }
}
