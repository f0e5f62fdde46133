package lavaflow.volume;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

import lavaflow.kube.Json;
import lavaflow.linux.Beneath;
import lavaflow.linux.ErrorCode;
import lavaflow.linux.OpenFile;
import lavaflow.linux.SystemException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The group that shares the volumes of a pod, its fsGroup: everything in them belongs to it, it may read and write
 * everything, and what is made later belongs to it as well.
 *
 * @param always whether every file is looked at even where the directory already looks right
 */
record Ownership(long group, boolean always) {
    private static final int READ_WRITE = 0660;
    private static final int READ = 0440;
    private static final int SEARCH = 0110;
    private static final int GROUP_FOR_NEW = 02000;
    private static final int NAME_TOO_LONG = 36;

    /**
     * Null for a pod without such a group, and where all pods run as the one user of this process. Upstream looks at every file
     * unless told otherwise, but leaves volumes like ours alone; a database that is given its data for the second time would
     * refuse it for being open to the group.
     */
    static @Nullable Ownership of(ObjectNode pod) {
        JsonNode group = Json.at(pod, "spec", "securityContext", "fsGroup");
        if (group == null || !group.isIntegralNumber() || !FileFacts.mayGiveToGroup(group.asLong())) {
            return null;
        }
        String policy = Json.textAt(pod, "spec", "securityContext", "fsGroupChangePolicy");
        return new Ownership(group.asLong(), policy.equals("Always"));
    }

    /**
     * Gives a directory and everything in it to the group. Others may be changing it meanwhile: what is found is held on to
     * before it is looked at, and links are left alone.
     */
    void give(Path directory, boolean readOnly) throws IOException {
        if (!always && isGiven(directory, readOnly)) {
            return;
        }
        try (OpenFile root = Beneath.directory(directory)) {
            change(root, readOnly);
            Deque<String> directories = new ArrayDeque<>();
            directories.add(".");
            while (!directories.isEmpty()) {
                giveDirectory(root, directories.remove(), readOnly, directories);
            }
        }
    }

    private void giveDirectory(OpenFile root, String directory, boolean readOnly, Deque<String> directories)
            throws IOException {
        try (OpenFile opened = Beneath.open(root, directory, Beneath.Link.TAKEN)) {
            // By now it may be something else.
            if (FileFacts.of(opened.path()).isDirectory()) {
                giveEntries(opened, readOnly, directory, directories);
            }
        } catch (SystemException e) {
            ignoreGone(e);
        }
    }

    private void giveEntries(OpenFile opened, boolean readOnly, String directory, Deque<String> directories)
            throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(opened.path())) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                try (OpenFile found = Beneath.open(opened, name, Beneath.Link.TAKEN)) {
                    if (change(found, readOnly)) {
                        directories.add(directory.equals(".") ? name : directory + "/" + name);
                    }
                } catch (SystemException e) {
                    ignoreGone(e);
                }
            }
        }
    }

    /** What was deleted or moved meanwhile, and what lies deeper than a path can say, stays as it is. */
    private static void ignoreGone(SystemException e) throws SystemException {
        if (!e.is(ErrorCode.ENOENT) && !e.is(ErrorCode.ELOOP) && !e.is(NAME_TOO_LONG)) {
            throw e;
        }
    }

    /** Returns whether it is a directory. */
    private boolean change(OpenFile file, boolean readOnly) throws IOException {
        FileFacts facts = FileFacts.of(file.path());
        if (facts.isLink()) {
            return false;
        }
        if (facts.group() != (int) group) {
            Files.setAttribute(file.path(), "unix:gid", (int) group);
        }
        int wanted = facts.permissions() | bits(facts.isDirectory(), readOnly);
        if (wanted != facts.permissions()) {
            FileFacts.setPermissions(file.path(), wanted);
        }
        return facts.isDirectory();
    }

    private static int bits(boolean directory, boolean readOnly) {
        return (readOnly ? READ : READ_WRITE) | (directory ? SEARCH | GROUP_FOR_NEW : 0);
    }

    private boolean isGiven(Path directory, boolean readOnly) throws IOException {
        FileFacts facts = FileFacts.of(directory);
        int bits = bits(true, readOnly);
        return facts.group() == (int) group && (facts.mode() & bits) == bits;
    }
}
