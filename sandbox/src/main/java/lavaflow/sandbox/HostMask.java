package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import lavaflow.linux.ErrorCode;
import lavaflow.linux.Mounts;
import lavaflow.linux.Overlays;
import lavaflow.linux.SystemException;
import lavaflow.linux.UserNamespace;

/**
 * A layer over the machine's own files that hides what no container should see. Made once, in memory, shared by all
 * containers: a layer of an overlay costs nothing, a mount for each hidden place would.
 *
 * <p>Hidden are homes, temporary and runtime files, the data of Lavaflow and of other container engines, and whatever below
 * {@code /etc}, {@code /var}, {@code /opt} and {@code /srv} an ordinary user of the machine could not read either.
 */
final class HostMask {
    private static final List<String> EMPTIED = List.of(
            "root",
            "home",
            "tmp",
            "var/tmp",
            "run",
            "mnt",
            "media",
            "boot",
            "var/log",
            "var/backups",
            "var/mail",
            "var/spool",
            "var/crash",
            "var/lib/docker",
            "var/lib/containerd",
            "var/lib/containers",
            "var/lib/kubelet",
            "var/lib/rancher",
            "var/lib/k0s",
            "var/lib/etcd",
            "var/lib/cni",
            "var/lib/lxc",
            "var/lib/lxd",
            "var/lib/libvirt",
            "etc/kubernetes",
            "etc/rancher",
            "etc/ssl/private",
            "etc/sudoers.d",
            "etc/letsencrypt",
            "etc/wireguard",
            "lost+found");
    /** Where an ordinary user's view decides, and how deep. */
    private static final Map<String, Integer> EXAMINED = Map.of("etc", 6, "var", 5, "opt", 2, "srv", 2, "", 1);

    private final Path host;
    private final Path layer;

    private HostMask(Path host, Path layer) {
        this.host = host;
        this.layer = layer;
    }

    /** The layer, made now unless it is there. */
    static synchronized Path of(Places places, List<Path> hidden) throws IOException {
        // Layers of running containers must not change: other places to hide make another layer.
        String name = "mask" + Integer.toHexString(hidden.hashCode());
        Path layer = places.run().resolve(name);
        Path done = places.run().resolve(name + "-made");
        boolean mounted =
                Mounts.table().stream().anyMatch(entry -> entry.target().equals(layer));
        if (!mounted || Files.notExists(done)) {
            Files.deleteIfExists(done);
            Files.createDirectories(layer);
            Mounts.unmount(layer);
            Mounts.mount("lavaflow", layer, "tmpfs", Mounts.NO_DEVICES | Mounts.NO_SUID, "mode=755,size=16m");
            new HostMask(Path.of("/"), layer).make(hidden);
            Files.createFile(done);
        }
        return layer;
    }

    /** For tests: a mask of another tree. */
    static void make(Path host, Path layer, List<Path> hidden) throws IOException {
        new HostMask(host, layer).make(hidden);
    }

    private void make(List<Path> hidden) throws IOException {
        for (String place : EMPTIED) {
            empty(Path.of(place));
        }
        for (Map.Entry<String, Integer> place : EXAMINED.entrySet()) {
            examine(Path.of(place.getKey()), place.getValue());
        }
        for (Path path : hidden) {
            Path relative = Path.of("/").relativize(path);
            if (Files.exists(host.resolve(relative)) && makeParents(relative)) {
                if (Files.notExists(layer.resolve(relative))) {
                    Overlays.whiteout(layer.resolve(relative));
                }
            }
        }
        sanitizePasswords("etc/shadow");
        sanitizePasswords("etc/gshadow");
    }

    /** What an ordinary user cannot read is hidden; directories stay, with their owners and rights, but empty. */
    private void examine(Path top, int depth) throws IOException {
        Path start = host.resolve(top);
        if (!Files.isDirectory(start, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(
                start, EnumSet.noneOf(java.nio.file.FileVisitOption.class), depth, new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                            throws IOException {
                        Path relative = host.relativize(directory);
                        if (!relative.toString().isEmpty()
                                && Files.exists(layer.resolve(relative))
                                && isEmptied(relative)) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        if (!othersMay(directory, PosixFilePermission.OTHERS_EXECUTE)) {
                            empty(relative);
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                        Path relative = host.relativize(file);
                        if (attributes.isDirectory()) {
                            if (!othersMay(file, PosixFilePermission.OTHERS_EXECUTE)) {
                                empty(relative);
                            }
                        } else if (attributes.isRegularFile()
                                && !othersMay(file, PosixFilePermission.OTHERS_READ)
                                && makeParents(relative)
                                && Files.notExists(layer.resolve(relative), LinkOption.NOFOLLOW_LINKS)) {
                            Overlays.whiteout(layer.resolve(relative));
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e) {
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    static boolean isEmptied(Path relative) {
        return EMPTIED.contains(relative.toString());
    }

    private static boolean othersMay(Path path, PosixFilePermission what) throws IOException {
        return Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).contains(what);
    }

    private void empty(Path relative) throws IOException {
        if (Files.isDirectory(host.resolve(relative), LinkOption.NOFOLLOW_LINKS) && makeParents(relative)) {
            makeLike(relative);
            hideEntries(relative);
        }
    }

    /** All that a directory has and will have; only what it has now where the file system of this layer knows no marks. */
    private void hideEntries(Path relative) throws IOException {
        try {
            Overlays.opaque(layer.resolve(relative));
        } catch (SystemException e) {
            if (!e.is(ErrorCode.EOPNOTSUPP)) {
                throw e;
            }
            try (var entries = Files.newDirectoryStream(host.resolve(relative))) {
                for (Path entry : entries) {
                    Overlays.whiteout(layer.resolve(host.relativize(entry)));
                }
            } catch (AccessDeniedException denied) {
                // Then nobody in a container can read it either.
                return;
            }
        }
    }

    /** False when something above is hidden already, or is no directory. */
    private boolean makeParents(Path relative) throws IOException {
        Path parent = relative.getParent();
        if (parent == null) {
            return true;
        }
        for (int i = 1; i <= parent.getNameCount(); i++) {
            Path part = parent.subpath(0, i);
            if (!Files.isDirectory(host.resolve(part), LinkOption.NOFOLLOW_LINKS) || isEmptied(part)) {
                return false;
            }
            makeLike(part);
        }
        return true;
    }

    /** The uppermost layer decides owner and rights of a directory. */
    private void makeLike(Path relative) throws IOException {
        Path made = layer.resolve(relative);
        if (Files.exists(made, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.createDirectory(made);
        copyOwnership(relative, made);
    }

    private void copyOwnership(Path relative, Path made) throws IOException {
        for (String attribute : List.of("unix:uid", "unix:gid", "unix:mode")) {
            Object value = Files.getAttribute(host.resolve(relative), attribute, LinkOption.NOFOLLOW_LINKS);
            boolean isMode = attribute.endsWith("mode");
            // Inside a user namespace most of the machine's owners cannot be had.
            if (isMode || UserNamespace.own().isInitial()) {
                Files.setAttribute(made, attribute, isMode && value instanceof Integer mode ? mode & 07777 : value);
            }
        }
    }

    /** Programs that change users ask for these files; none of the passwords in them is anybody's business. */
    private void sanitizePasswords(String name) throws IOException {
        Path original = host.resolve(name);
        if (!Files.isRegularFile(original) || !Files.isReadable(original)) {
            return;
        }
        boolean groups = name.endsWith("gshadow");
        String text = Files.readAllLines(original).stream()
                .map(line -> line.split(":", -1)[0])
                .filter(user -> !user.isEmpty())
                .map(user -> user + (groups ? ":*::" : ":*:19000:0:99999:7:::") + "\n")
                .collect(Collectors.joining());
        Path made = layer.resolve(name);
        Files.deleteIfExists(made);
        Set<PosixFilePermission> ownerOnly = PosixFilePermissions.fromString("rw-------");
        Files.createFile(made, PosixFilePermissions.asFileAttribute(ownerOnly));
        Files.writeString(made, text);
        copyOwnership(Path.of(name), made);
    }
}
