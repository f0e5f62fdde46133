package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import lavaflow.linux.ErrorCode;
import lavaflow.linux.Mounts;
import lavaflow.linux.SystemException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** File systems in memory. Who may not mount gets directories on disk instead, and is told so. */
final class MemoryFiles {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryFiles.class);
    private static final long FLAGS = Mounts.NO_SUID | Mounts.NO_DEVICES;

    private final Path common;
    private @Nullable Boolean allowed;

    /** @param common for small files of all pods; nothing is mounted before it is needed */
    MemoryFiles(Path common) {
        this.common = common;
    }

    /** Whether this process may mount: found out by trying, for being root alone does not say so. */
    synchronized boolean allowed() throws IOException {
        Boolean known = allowed;
        if (known != null) {
            return known;
        }
        Files.createDirectories(common);
        known = true;
        try {
            if (!isMounted(common)) {
                mountAnew(common, "mode=750");
            }
        } catch (SystemException e) {
            if (!e.is(ErrorCode.EPERM) && !e.is(ErrorCode.EACCES)) {
                throw e;
            }
            known = false;
            LOG.warn("secrets and volumes in memory are kept on disk, because this process may not mount: {}", common);
        }
        allowed = known;
        return known;
    }

    /** A directory in memory for the small files of all pods. One for all: mounting and unmounting take longer than a pod should. */
    Path common() throws IOException {
        allowed();
        return common;
    }

    /**
     * Mounts one at a directory, unless one is there already.
     *
     * @param options such as size=1024
     */
    void mount(Path directory, String options) throws IOException {
        Files.createDirectories(directory);
        if (allowed() && !isMounted(directory)) {
            mountAnew(directory, options);
        }
    }

    private static void mountAnew(Path directory, String options) throws IOException {
        try {
            // Secrets do not belong on a swap device; the kernel knows the option since 6.3.
            Mounts.mount("tmpfs", directory, "tmpfs", FLAGS, options + ",noswap");
        } catch (SystemException e) {
            if (!e.is(ErrorCode.EINVAL)) {
                throw e;
            }
            Mounts.mount("tmpfs", directory, "tmpfs", FLAGS, options);
        }
    }

    void mountHugePages(Path directory, String options) throws IOException {
        Files.createDirectories(directory);
        if (!isMounted(directory)) {
            Mounts.mount("nodev", directory, "hugetlbfs", FLAGS, options);
        }
    }

    /** A mount point has another device than the directory it is in; the table need not be read for that. */
    static boolean isMounted(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().getParent();
        return parent != null
                && FileFacts.of(directory).device() != FileFacts.of(parent).device();
    }

    /** The same for those who may be too late. */
    static boolean isMountedOrGone(Path directory) {
        try {
            return isMounted(directory);
        } catch (IOException _) {
            return true;
        }
    }
}
