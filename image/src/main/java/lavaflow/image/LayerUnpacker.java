package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import lavaflow.linux.FileCallException;
import lavaflow.linux.FileCalls;
import lavaflow.linux.UserNamespace;

/**
 * Unpacks one layer into a directory that an overlay file system can put over those of the layers below. Deletions become the
 * marks overlay knows; owners, modes, devices, times and capabilities are kept as far as this process may.
 */
final class LayerUnpacker {
    private static final String WHITEOUT = ".wh.";
    private static final String OPAQUE = ".wh..wh..opq";
    private static final String RESERVED = ".wh..wh.";
    private static final int BUFFER = 128 * 1024;
    /** How often the disk is asked whether there is room left. */
    private static final long ROOM_STEP = 64L << 20;

    private static final Set<String> KEPT_ATTRIBUTES =
            Set.of("security.capability", "system.posix_acl_access", "system.posix_acl_default");

    private final LayerTree tree;
    private final LayerLimits limits;
    private final Map<String, TarEntry> directories = new LinkedHashMap<>();
    private final byte[] buffer = new byte[BUFFER];
    private long entries;
    private long size;
    private long nextRoomCheck;

    LayerUnpacker(LayerTree tree, LayerLimits limits) {
        this.tree = tree;
        this.limits = limits;
    }

    /** Unpacks everything; returns the bytes it takes on disk. */
    long unpack(InputStream archive) throws IOException {
        TarReader reader = new TarReader(archive);
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            if (++entries > limits.entries()) {
                throw BadLayerException.tooLarge("a layer has more than " + limits.entries() + " entries");
            }
            try {
                unpack(entry, reader);
            } catch (FileCallException e) {
                throw told(entry, e);
            }
        }
        finishDirectories();
        return size + FileTrees.rounded(1);
    }

    private static IOException told(TarEntry entry, FileCallException problem) {
        if (problem.isFull()) {
            return BadLayerException.tooLarge("the disk is full");
        }
        if (problem.isNameTooLong()) {
            return BadLayerException.damaged(entry.readableName() + " is too long a name");
        }
        return problem;
    }

    private void unpack(TarEntry entry, TarReader reader) throws IOException {
        checkOwner(entry);
        List<String> steps = LayerTree.steps(entry.name());
        if (steps.isEmpty()) {
            if (entry.kind() == TarEntry.Kind.DIRECTORY) {
                directories.put("", entry);
            }
            return;
        }
        String name = steps.getLast();
        String parent = tree.makeParents(steps.subList(0, steps.size() - 1));
        if (name.equals(OPAQUE)) {
            tree.makeOpaque(parent);
        } else if (name.startsWith(RESERVED)) {
            return;
        } else if (name.startsWith(WHITEOUT)) {
            whiteOut(parent, name.substring(WHITEOUT.length()), entry);
        } else {
            place(parent.isEmpty() ? name : parent + "/" + name, entry, reader);
        }
    }

    private void whiteOut(String parent, String name, TarEntry entry) throws IOException {
        if (name.isEmpty() || name.equals(".") || name.equals("..")) {
            throw BadLayerException.damaged(entry.readableName() + " deletes nothing that can have a name");
        }
        tree.whiteOut(parent.isEmpty() ? name : parent + "/" + name);
    }

    private void place(String path, TarEntry entry, TarReader reader) throws IOException {
        size += FileTrees.rounded(Math.max(1, entry.size()));
        if (entry.kind() == TarEntry.Kind.DIRECTORY) {
            tree.directory(path);
            directories.remove(path);
            directories.put(path, entry);
            return;
        }
        if (entry.kind() == TarEntry.Kind.HARD_LINK) {
            hardLink(path, entry);
            return;
        }
        tree.clear(path);
        switch (entry.kind()) {
            case FILE -> file(path, reader);
            case SYMBOLIC_LINK -> {
                FileCalls.symbolicLink(checkedTarget(entry), tree.absolute(path));
                tree.own(path, entry.uid(), entry.gid());
                FileCalls.changeTimes(tree.absolute(path), entry.seconds(), entry.nanos());
                return;
            }
            case CHARACTER_DEVICE, BLOCK_DEVICE, PIPE -> {
                if (!node(path, entry)) {
                    return;
                }
            }
            case DIRECTORY, HARD_LINK -> throw new IllegalStateException("placed above");
        }
        describe(path, entry);
    }

    private static String checkedTarget(TarEntry entry) throws IOException {
        if (entry.target().isEmpty()) {
            throw BadLayerException.damaged(entry.readableName() + " is a link to nothing");
        }
        return entry.target();
    }

    private void file(String path, TarReader reader) throws IOException {
        try (FileCalls.WritableFile out = FileCalls.create(tree.absolute(path), 0600)) {
            for (int read = reader.read(buffer, 0, BUFFER); read >= 0; read = reader.read(buffer, 0, BUFFER)) {
                out.write(buffer, 0, read);
                checkRoom(read);
            }
        }
    }

    private void checkRoom(int written) throws IOException {
        nextRoomCheck -= written;
        if (nextRoomCheck <= 0) {
            nextRoomCheck = ROOM_STEP;
            if (Files.getFileStore(tree.path()).getUsableSpace() < limits.reserve()) {
                throw BadLayerException.tooLarge("unpacking it would fill the disk");
            }
        }
    }

    /** Devices can be made by root only; who is not goes without, as other engines do. */
    private boolean node(String path, TarEntry entry) throws IOException {
        int format = switch (entry.kind()) {
            case CHARACTER_DEVICE -> FileCalls.CHARACTER_DEVICE;
            case BLOCK_DEVICE -> FileCalls.BLOCK_DEVICE;
            default -> FileCalls.PIPE;
        };
        if (format == FileCalls.CHARACTER_DEVICE && entry.major() == 0 && entry.minor() == 0) {
            tree.whiteOut(path);
            return false;
        }
        try {
            FileCalls.makeNode(tree.absolute(path), format | 0600, entry.major(), entry.minor());
            return true;
        } catch (FileCallException e) {
            if (e.isRefused() && format != FileCalls.PIPE) {
                return false;
            }
            throw e;
        }
    }

    /** To a file of this layer; one of a lower layer is brought up first, as an overlay would. */
    private void hardLink(String path, TarEntry entry) throws IOException {
        List<String> steps = LayerTree.steps(checkedTarget(entry));
        if (steps.isEmpty()) {
            throw BadLayerException.damaged(entry.readableName() + " is a hard link to the root of the image");
        }
        String parent = tree.makeParents(steps.subList(0, steps.size() - 1));
        String target = parent.isEmpty() ? steps.getLast() : parent + "/" + steps.getLast();
        LayerView.Found found = tree.find(target)
                .orElseThrow(() -> BadLayerException.damaged(entry.readableName() + " is a hard link to "
                        + TarEntry.readable(entry.target()) + ", which the image does not have"));
        if (found.status().isDirectory()) {
            throw BadLayerException.damaged(entry.readableName() + " is a hard link to a directory");
        }
        if (target.equals(path)) {
            return;
        }
        if (!found.path().equals(tree.absolute(target))) {
            bringUp(found, target, entry);
        }
        tree.clear(path);
        FileCalls.hardLink(tree.absolute(target), tree.absolute(path));
    }

    private void bringUp(LayerView.Found found, String target, TarEntry entry) throws IOException {
        FileCalls.Status like = found.status();
        if (!like.isRegular()) {
            throw BadLayerException.damaged(
                    entry.readableName() + " is a hard link to something of a lower layer that is no file");
        }
        size += FileTrees.rounded(like.size());
        try (InputStream in = Files.newInputStream(FileTrees.path(found.path()));
                FileCalls.WritableFile out = FileCalls.create(tree.absolute(target), 0600)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                checkRoom(read);
            }
        }
        tree.own(target, like.uid(), like.gid());
        FileCalls.changeMode(tree.absolute(target), like.mode() & 07777);
        FileCalls.changeTimes(tree.absolute(target), like.seconds(), like.nanos());
    }

    /** The owner comes first: changing it takes away the bits that change users, and capabilities. */
    private void describe(String path, TarEntry entry) throws IOException {
        tree.own(path, entry.uid(), entry.gid());
        FileCalls.changeMode(tree.absolute(path), entry.mode());
        for (Map.Entry<String, byte[]> attribute : entry.attributes().entrySet()) {
            attribute(path, attribute.getKey(), attribute.getValue());
        }
        FileCalls.changeTimes(tree.absolute(path), entry.seconds(), entry.nanos());
    }

    private static void checkOwner(TarEntry entry) throws IOException {
        long highest = 0xffff_fffeL;
        if (entry.uid() < 0 || entry.uid() > highest || entry.gid() < 0 || entry.gid() > highest) {
            throw BadLayerException.damaged(entry.readableName() + " has an owner that cannot be");
        }
    }

    /** An image that set overlay's own attributes could make files of other layers appear anywhere. */
    private void attribute(String path, String name, byte[] value) throws IOException {
        boolean kept =
                KEPT_ATTRIBUTES.contains(name) || (name.startsWith("user.") && !name.startsWith("user.overlay."));
        boolean root = tree.privileged() || !UserNamespace.own().isInitial();
        if (!kept || (!root && name.startsWith("security."))) {
            return;
        }
        try {
            FileCalls.setAttribute(tree.absolute(path), name, value);
        } catch (FileCallException e) {
            if (!e.isRefused()) {
                throw e;
            }
        }
    }

    /** Last, because unpacking into a directory changes when it was changed, and it may be one nobody may write to. */
    private void finishDirectories() throws IOException {
        for (Map.Entry<String, TarEntry> directory : directories.entrySet()) {
            Optional<FileCalls.Status> status = tree.here(directory.getKey());
            if (status.isPresent() && status.get().isDirectory()) {
                try {
                    describe(directory.getKey(), directory.getValue());
                } catch (FileCallException e) {
                    throw told(directory.getValue(), e);
                }
            }
        }
    }
}
