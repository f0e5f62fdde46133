package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Layers as registries send them, on their way to be unpacked. One download of a digest at a time on this machine; one that broke
 * off goes on where it was, also in another process.
 */
final class Downloads {
    private static final int BUFFER = 64 * 1024;

    private final Path directory;
    private final LayerLimits limits;
    private final KeyedLocks running = new KeyedLocks();

    Downloads(Path directory, LayerLimits limits) {
        this.directory = directory;
        this.limits = limits;
    }

    /** Whether somebody else has made of it what it is wanted for. */
    interface Unneeded {
        boolean check() throws IOException;
    }

    /** The file with the content, complete and checked; nothing if it is not needed when its turn comes. */
    Optional<Path> get(RegistryClient client, Descriptor descriptor, Unneeded unneeded, LongConsumer progress)
            throws IOException, ImageException {
        String name = Digest.hex(descriptor.digest());
        Path complete = directory.resolve(name);
        Path partial = directory.resolve(name + ".part");
        Files.createDirectories(directory);
        try (KeyedLocks.Hold _ = running.hold(name)) {
            while (true) {
                if (unneeded.check()) {
                    progress.accept(descriptor.size());
                    return Optional.empty();
                }
                if (Files.exists(complete)) {
                    progress.accept(descriptor.size());
                    return Optional.of(complete);
                }
                checkRoom(descriptor);
                try (FileChannel channel = FileChannel.open(
                                partial, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                        FileLock _ = channel.lock()) {
                    // whoever had the lock before may be done, and the file we opened another one by now
                    if (Files.exists(complete) || !Files.exists(partial) || Files.size(partial) != channel.size()) {
                        continue;
                    }
                    fetch(client, descriptor, channel, progress);
                    Files.move(partial, complete, StandardCopyOption.ATOMIC_MOVE);
                    return Optional.of(complete);
                }
            }
        }
    }

    void done(Descriptor descriptor) throws IOException {
        Files.deleteIfExists(directory.resolve(Digest.hex(descriptor.digest())));
    }

    private void checkRoom(Descriptor descriptor) throws IOException, ImageException {
        long room = Files.getFileStore(directory).getUsableSpace() - limits.reserve();
        if (descriptor.size() > room || descriptor.size() > limits.bytes()) {
            throw new ImageException(
                    ImageException.Kind.TOO_LARGE,
                    "a layer of " + descriptor.size() + " bytes does not fit: " + Math.max(0, room) + " are free in "
                            + directory);
        }
    }

    private static void fetch(RegistryClient client, Descriptor descriptor, FileChannel channel, LongConsumer progress)
            throws IOException, ImageException {
        MessageDigest hash = Digest.algorithmOf(descriptor.digest());
        long have = known(channel, hash, descriptor, progress);
        int fruitless = 0;
        while (have < descriptor.size()) {
            RegistryClient.Part part = client.blob(descriptor.digest(), have);
            if (part.from() != have) {
                hash.reset();
                progress.accept(-have);
                have = 0;
                channel.truncate(0);
            }
            long before = have;
            try (InputStream in = part.response().body()) {
                have = copy(in, channel, hash, have, descriptor, progress);
            } catch (IOException e) {
                have = channel.size();
                fruitless = have > before ? 0 : fruitless + 1;
                if (fruitless > 2 || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                continue;
            }
            fruitless = have > before ? 0 : fruitless + 1;
            if (fruitless > 2) {
                throw new IOException("the registry sends only " + have + " of " + descriptor.size() + " bytes");
            }
        }
        String found = Digest.named(hash.digest());
        if (!found.equals(descriptor.digest())) {
            channel.truncate(0);
            throw new ImageException(
                    ImageException.Kind.DAMAGED,
                    "the registry sent " + found + " when asked for " + descriptor.digest());
        }
    }

    /** What is there from before, as far as it can be a beginning of this. */
    private static long known(FileChannel channel, MessageDigest hash, Descriptor descriptor, LongConsumer progress)
            throws IOException {
        if (channel.size() > descriptor.size()) {
            channel.truncate(0);
        }
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        long position = 0;
        while (position < channel.size()) {
            buffer.clear();
            int read = channel.read(buffer, position);
            if (read <= 0) {
                break;
            }
            hash.update(buffer.array(), 0, read);
            position += read;
        }
        progress.accept(position);
        return position;
    }

    private static long copy(
            InputStream in,
            FileChannel channel,
            MessageDigest hash,
            long from,
            Descriptor descriptor,
            LongConsumer progress)
            throws IOException, ImageException {
        byte[] buffer = new byte[BUFFER];
        long have = from;
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            if (have + read > descriptor.size()) {
                channel.truncate(0);
                throw new ImageException(
                        ImageException.Kind.DAMAGED,
                        "the registry sends more than the " + descriptor.size() + " bytes of " + descriptor.digest());
            }
            ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, read);
            while (bytes.hasRemaining()) {
                channel.write(bytes, have + bytes.position());
            }
            hash.update(buffer, 0, read);
            have += read;
            progress.accept(read);
        }
        return have;
    }

    /** Deletes what nobody has wanted for long: interrupted downloads of images that were given up. */
    void sweep(java.time.Instant before) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (java.nio.file.DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (Files.getLastModifiedTime(file).toInstant().isBefore(before)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
