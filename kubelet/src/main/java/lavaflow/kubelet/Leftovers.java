package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

import lavaflow.linux.FileTree;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files of pods that went while nobody looked. */
final class Leftovers {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private Leftovers() {}

    /** Deletes files and logs of all pods but those that are still known, by uid. */
    static void delete(NodeSettings settings, Set<String> known) {
        // What directories of files are called, and what the names of logs end with, are uids.
        delete(settings.directory().resolve("pods"), known);
        delete(settings.logs(), known);
    }

    private static void delete(Path directory, Set<String> known) {
        if (Files.notExists(directory)) {
            return;
        }
        try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
            for (Path child : children) {
                String name = String.valueOf(child.getFileName());
                if (!known.contains(name.substring(name.lastIndexOf('_') + 1))) {
                    FileTree.delete(child);
                }
            }
        } catch (IOException e) {
            LOG.warn("files of pods that are gone are left in {}: {}", directory, e.getMessage());
        }
    }
}
