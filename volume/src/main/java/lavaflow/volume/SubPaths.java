package lavaflow.volume;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;

import lavaflow.kube.GoQuote;
import lavaflow.linux.Beneath;
import lavaflow.linux.ErrorCode;
import lavaflow.linux.Mounts;
import lavaflow.linux.OpenFile;
import lavaflow.linux.SystemException;

/**
 * Parts of volumes. Whoever can write to a volume chooses what is in it, also while a container of another pod starts, so a
 * name is never looked up twice: the kernel finds the part without leaving the volume, and what it found is bound to a place
 * that only the node can reach.
 */
final class SubPaths {
    private static final int CROSSES_BORDER = 18;
    /** What node and program may pass on as one argument list is less. */
    private static final int LARGEST_TEXT = 1 << 20;

    private SubPaths() {}

    /**
     * Where to find a part of a volume from now on.
     *
     * @param target a place of its own for this mount
     * @param bind whether this process may mount; without, the part's own path must do
     */
    static Path source(Path volume, String subPath, Path target, boolean bind) throws IOException, VolumeException {
        check(subPath);
        if (!Files.isDirectory(volume)) {
            throw new VolumeException(
                    "subPath " + GoQuote.quote(subPath) + " of a volume that is no directory: " + volume);
        }
        try (OpenFile root = Beneath.directory(volume);
                OpenFile found = find(root, subPath)) {
            FileFacts facts = FileFacts.of(found.path());
            if (facts.isLink()) {
                throw new VolumeException("failed to prepare subPath for volumeMount: " + GoQuote.quote(subPath)
                        + " is a link that leads nowhere");
            }
            if (!bind) {
                return found.path().toRealPath();
            }
            if (isSame(target, facts)) {
                return target;
            }
            Trees.unmountAndDelete(target);
            Files.createDirectories(Objects.requireNonNull(target.getParent()));
            if (facts.isDirectory()) {
                Files.createDirectory(target);
            } else {
                Files.createFile(target);
            }
            Mounts.bind(found.path(), target);
            return target;
        } catch (SystemException e) {
            if (e.is(CROSSES_BORDER) || e.is(ErrorCode.ELOOP)) {
                throw new VolumeException(
                        "failed to prepare subPath for volumeMount: " + GoQuote.quote(subPath)
                                + " leads outside of the volume",
                        e);
            }
            throw e;
        }
    }

    /** What a file of a volume says. A pipe would be waited for and a device is no text, so only files are read. */
    static String text(Path volume, String path) throws IOException, VolumeException {
        check(path);
        try (OpenFile root = Beneath.directory(volume);
                OpenFile found = Beneath.open(root, path, Beneath.Link.FOLLOWED)) {
            if (!Files.isRegularFile(found.path())) {
                throw new VolumeException(GoQuote.quote(path) + " is not a file");
            }
            try (InputStream bytes = Files.newInputStream(found.path())) {
                byte[] content = bytes.readNBytes(LARGEST_TEXT + 1);
                if (content.length > LARGEST_TEXT) {
                    throw new VolumeException(GoQuote.quote(path) + " is larger than " + LARGEST_TEXT + " bytes");
                }
                return new String(content, StandardCharsets.UTF_8);
            }
        } catch (SystemException e) {
            if (e.is(ErrorCode.ENOENT)) {
                throw new VolumeException("there is no file " + GoQuote.quote(path), e);
            }
            if (e.is(CROSSES_BORDER) || e.is(ErrorCode.ELOOP)) {
                throw new VolumeException(GoQuote.quote(path) + " leads outside of the volume", e);
            }
            throw e;
        }
    }

    /** As container runtimes would read it: below the volume, and not on a way up. */
    static void check(String subPath) throws VolumeException {
        if (subPath.startsWith("/")) {
            throw new VolumeException("subPath " + GoQuote.quote(subPath) + " must not be an absolute path");
        }
        for (String name : subPath.split("/", -1)) {
            if (name.equals("..")) {
                throw new VolumeException("subPath " + GoQuote.quote(subPath) + " must not contain \"..\"");
            }
        }
    }

    private static boolean isSame(Path target, FileFacts facts) throws IOException {
        return Files.exists(target, LinkOption.NOFOLLOW_LINKS)
                && FileFacts.of(target, LinkOption.NOFOLLOW_LINKS).sameFile(facts);
    }

    private static OpenFile find(OpenFile root, String subPath) throws IOException, VolumeException {
        try {
            return Beneath.open(root, subPath, Beneath.Link.FOLLOWED);
        } catch (SystemException e) {
            if (!e.is(ErrorCode.ENOENT)) {
                throw e;
            }
        }
        return make(root, subPath, FileFacts.of(root.path()).permissions());
    }

    /** Makes the directories that are missing, each in the one that was found before it, with the mode of the volume. */
    private static OpenFile make(OpenFile root, String subPath, int mode) throws IOException, VolumeException {
        StringBuilder path = new StringBuilder();
        OpenFile at = Beneath.open(root, ".", Beneath.Link.TAKEN);
        try {
            for (String name : subPath.split("/", -1)) {
                if (name.isEmpty() || name.equals(".")) {
                    continue;
                }
                path.append(path.isEmpty() ? "" : "/").append(name);
                OpenFile next = step(root, at, path.toString(), name, mode);
                at.close();
                at = next;
            }
            return at;
        } catch (IOException | VolumeException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    private static OpenFile step(OpenFile root, OpenFile at, String path, String name, int mode)
            throws IOException, VolumeException {
        try {
            return Beneath.open(root, path, Beneath.Link.FOLLOWED);
        } catch (SystemException e) {
            if (!e.is(ErrorCode.ENOENT)) {
                throw e;
            }
        }
        Path made = at.path().resolve(name);
        try {
            Files.createDirectory(made);
        } catch (FileAlreadyExistsException _) {
            // Another pod was faster; or it is a link to nothing, which opening tells.
            return Beneath.open(at, name, Beneath.Link.TAKEN);
        }
        OpenFile directory = Beneath.open(at, name, Beneath.Link.TAKEN);
        if (!FileFacts.of(directory.path()).isDirectory()) {
            directory.close();
            throw new VolumeException("somebody else put something at " + GoQuote.quote(path) + " of the volume");
        }
        // The group comes with the set-group-id bit of the volume, and so that the bit does.
        FileFacts.setPermissions(directory.path(), mode);
        return directory;
    }
}
