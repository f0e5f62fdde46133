package lavaflow.image;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.linux.FileCalls;
import lavaflow.linux.UserNamespace;

/**
 * The directory a layer is unpacked into. Every name from an archive goes through here: links on the way are followed inside the
 * image only, and nothing outside the directory can be reached. Nobody else writes to it meanwhile.
 */
final class LayerTree {
    private static final int LINK_LIMIT = 40;
    private static final int STEP_LIMIT = 255;
    /** Trees of real programs are a few dozen deep; every step costs a look into every layer. */
    private static final int DEPTH_LIMIT = 256;

    private static final int DIRECTORY_MODE = 0755;

    private final Path directory;
    private final String root;
    private final LayerView lower;
    private final boolean hasLower;
    private final boolean privileged;
    /** Directories known to be in this layer, with no link on the way. */
    private final Set<String> made = new HashSet<>();

    /**
     * @param lowestFirst the layers below
     * @param privileged whether owners and devices can be kept
     */
    LayerTree(Path directory, List<Path> lowestFirst, boolean privileged) {
        this.directory = directory;
        this.root = LayerView.name(directory);
        this.lower = new LayerView(
                lowestFirst.reversed().stream().map(LayerView::name).toList());
        this.hasLower = !lowestFirst.isEmpty();
        this.privileged = privileged;
        made.add("");
    }

    /** Gives the root the looks of the one below, until the archive says otherwise. */
    void makeRoot() throws IOException {
        FileCalls.makeDirectory(root, DIRECTORY_MODE);
        FileCalls.changeMode(root, DIRECTORY_MODE);
        if (hasLower) {
            FileCalls.Status like = lower.find("").orElseThrow().status();
            own("", like.uid(), like.gid());
            FileCalls.changeMode(root, like.mode() & 07777);
        }
    }

    String absolute(String path) {
        return path.isEmpty() ? root : root + "/" + path;
    }

    boolean privileged() {
        return privileged;
    }

    /** The steps of a name in an archive. Absolute ones start at the root of the image. */
    static List<String> steps(String name) throws IOException {
        List<String> steps = new ArrayList<>();
        for (String step : name.split("/", -1)) {
            if (step.isEmpty() || step.equals(".")) {
                continue;
            }
            if (step.equals("..")) {
                throw BadLayerException.damaged(TarEntry.readable(name) + " leads out of the image");
            }
            if (step.length() > STEP_LIMIT) {
                throw BadLayerException.damaged(TarEntry.readable(name) + " is too long a name");
            }
            steps.add(step);
        }
        if (steps.size() > DEPTH_LIMIT) {
            throw BadLayerException.damaged(TarEntry.readable(name) + " is too deep a path");
        }
        return steps;
    }

    /** Where a directory named by steps is, after following links; made, with those above, where it is not in this layer yet. */
    String makeParents(List<String> steps) throws IOException {
        String plain = String.join("/", steps);
        if (made.contains(plain)) {
            return plain;
        }
        String resolved = resolve(steps);
        String path = "";
        for (String step : steps(resolved)) {
            path = path.isEmpty() ? step : path + "/" + step;
            if (!made.contains(path)) {
                makeDirectory(path);
            }
        }
        return resolved;
    }

    /** The path without links; what does not exist is taken for a directory to be. */
    String resolve(List<String> steps) throws IOException {
        Deque<String> todo = new ArrayDeque<>(steps);
        Deque<String> done = new ArrayDeque<>();
        int links = 0;
        boolean missing = false;
        while (!todo.isEmpty()) {
            String step = todo.pop();
            if (step.isEmpty() || step.equals(".")) {
                continue;
            }
            if (step.equals("..")) {
                done.pollLast();
                missing = false;
                continue;
            }
            done.addLast(step);
            String path = String.join("/", done);
            if (missing || made.contains(path)) {
                continue;
            }
            Optional<LayerView.Found> found = find(path);
            missing = found.isEmpty();
            if (missing || found.get().status().isDirectory()) {
                continue;
            }
            if (!found.get().status().isLink()) {
                throw BadLayerException.damaged(TarEntry.readable(path) + " is used as a directory and is none");
            }
            if (++links > LINK_LIMIT) {
                throw BadLayerException.damaged(TarEntry.readable(path) + " is a link that leads nowhere");
            }
            String target = FileCalls.readLink(found.get().path());
            if (target.startsWith("/")) {
                done.clear();
            } else {
                done.removeLast();
            }
            String[] ahead = target.split("/", -1);
            for (int i = ahead.length - 1; i >= 0; i--) {
                todo.push(ahead[i]);
            }
        }
        return String.join("/", done);
    }

    /** What is at a path without links on the way, in this layer or below. */
    Optional<LayerView.Found> find(String path) throws IOException {
        Optional<FileCalls.Status> own = here(path);
        if (own.isPresent()) {
            return own.get().isWhiteout()
                    ? Optional.empty()
                    : Optional.of(new LayerView.Found(absolute(path), own.get()));
        }
        return isCovered(path) ? Optional.empty() : lower.find(path);
    }

    /** Whether a directory of this layer above the path hides what is below. */
    private boolean isCovered(String path) throws IOException {
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            Optional<FileCalls.Status> above = here(path.substring(0, slash));
            if (above.isPresent()
                    && (!above.get().isDirectory() || LayerView.isOpaque(absolute(path.substring(0, slash))))) {
                return true;
            }
        }
        return false;
    }

    Optional<FileCalls.Status> here(String path) throws IOException {
        return FileCalls.find(absolute(path));
    }

    /** Makes a directory of this layer that looks as the one below it does; its parent is there. */
    private void makeDirectory(String path) throws IOException {
        Optional<FileCalls.Status> own = here(path);
        if (own.isEmpty() || !own.get().isDirectory()) {
            Optional<LayerView.Found> below = own.isEmpty() && hasLower ? find(path) : Optional.empty();
            placeDirectory(path, own);
            if (below.isPresent() && below.get().status().isDirectory()) {
                FileCalls.Status like = below.get().status();
                own(path, like.uid(), like.gid());
                FileCalls.changeMode(absolute(path), like.mode() & 07777);
                FileCalls.changeTimes(absolute(path), like.seconds(), like.nanos());
            }
        }
        made.add(path);
    }

    /** A directory where there may be a whiteout: then nothing of the deleted one is seen in it. */
    private void placeDirectory(String path, Optional<FileCalls.Status> before) throws IOException {
        if (before.isPresent()) {
            remove(path, before.get());
        }
        FileCalls.makeDirectory(absolute(path), DIRECTORY_MODE);
        FileCalls.changeMode(absolute(path), DIRECTORY_MODE);
        if (before.isPresent() && before.get().isWhiteout()) {
            makeOpaque(path);
        }
    }

    /** An entry for the directory itself; what the layer already has in it stays. */
    void directory(String path) throws IOException {
        Optional<FileCalls.Status> before = here(path);
        if (before.isEmpty() || !before.get().isDirectory()) {
            placeDirectory(path, before);
        }
        made.add(path);
    }

    /** Hides what lower layers have in a directory. */
    void makeOpaque(String path) throws IOException {
        if (hasLower) {
            String mark = privileged ? LayerView.OPAQUE : LayerView.USER_OPAQUE;
            FileCalls.setAttribute(absolute(path), mark, new byte[] {'y'});
        }
    }

    /** Hides what lower layers have at a path. What this layer put there stays. */
    void whiteOut(String path) throws IOException {
        if (!hasLower) {
            return;
        }
        Optional<FileCalls.Status> own = here(path);
        if (own.isEmpty()) {
            FileCalls.makeNode(absolute(path), FileCalls.CHARACTER_DEVICE, 0, 0);
        } else if (own.get().isDirectory()) {
            makeOpaque(path);
        }
    }

    /** Makes room for something that is no directory. */
    void clear(String path) throws IOException {
        Optional<FileCalls.Status> before = here(path);
        if (before.isPresent()) {
            remove(path, before.get());
        }
    }

    private void remove(String path, FileCalls.Status status) throws IOException {
        if (path.isEmpty()) {
            throw BadLayerException.damaged("the root of the image must be a directory");
        }
        if (!status.isDirectory()) {
            FileCalls.removeFile(absolute(path));
            return;
        }
        made.removeIf(known -> known.equals(path) || known.startsWith(path + "/"));
        FileTrees.delete(FileTrees.path(absolute(path)));
    }

    /** Numbers of users are kept where we may set them; what belongs to users that a user namespace does not have is root's. */
    void own(String path, long uid, long gid) throws IOException {
        UserNamespace own = UserNamespace.own();
        if (privileged) {
            FileCalls.changeOwner(absolute(path), (int) uid, (int) gid);
        } else if (!own.isInitial()) {
            FileCalls.changeOwner(absolute(path), own.hasUser(uid) ? (int) uid : 0, own.hasGroup(gid) ? (int) gid : 0);
        }
    }

    Path path() {
        return directory;
    }
}
