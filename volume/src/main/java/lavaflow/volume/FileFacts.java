package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

import lavaflow.linux.UserNamespace;

/**
 * What the kernel says of a file.
 *
 * @param mode type and permissions
 */
record FileFacts(int mode, int group, long device, long inode) {
    static final int SOCKET = 0140000;
    static final int LINK = 0120000;
    static final int REGULAR = 0100000;
    static final int BLOCK = 0060000;
    static final int DIRECTORY = 0040000;
    static final int CHARACTER = 0020000;
    private static final int TYPE = 0170000;

    static FileFacts of(Path path, LinkOption... options) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:mode,gid,dev,ino", options);
        return new FileFacts(
                (int) number(attributes, "mode"),
                (int) number(attributes, "gid"),
                number(attributes, "dev"),
                number(attributes, "ino"));
    }

    private static long number(Map<String, Object> attributes, String name) {
        return ((Number) Objects.requireNonNull(attributes.get(name))).longValue();
    }

    int type() {
        return mode & TYPE;
    }

    boolean isDirectory() {
        return type() == DIRECTORY;
    }

    boolean isLink() {
        return type() == LINK;
    }

    int permissions() {
        return mode & 07777;
    }

    boolean sameFile(FileFacts other) {
        return device == other.device && inode == other.inode;
    }

    /** Whether this process may give files to other users and groups; who may not is all of those himself. */
    static boolean mayGiveAway() {
        return Self.ROOT;
    }

    /** The same for one user; a user namespace does not have all of them. */
    static boolean mayGiveToUser(long user) {
        return Self.ROOT && UserNamespace.own().hasUser(user);
    }

    static boolean mayGiveToGroup(long group) {
        return Self.ROOT && UserNamespace.own().hasGroup(group);
    }

    private static final class Self {
        static final boolean ROOT = UserNamespace.isRoot();
    }

    /** Whatever umask this process has. */
    static void setPermissions(Path path, int permissions) throws IOException {
        Files.setAttribute(path, "unix:mode", permissions);
    }
}
