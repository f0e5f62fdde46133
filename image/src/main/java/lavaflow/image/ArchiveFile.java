package lavaflow.image;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The files of a tar archive that is not compressed, found by reading its headers once. */
final class ArchiveFile implements Blobs {
    private static final int MEMBER_LIMIT = 100_000;
    private static final int LINK_LIMIT = 8;

    private final FileChannel channel;
    private final Map<String, Member> members = new HashMap<>();

    /** Where a file is in the archive, or what it is a link to. */
    private record Member(
            long position, long size, @Nullable String target) {}

    private ArchiveFile(FileChannel channel) {
        this.channel = channel;
    }

    static ArchiveFile open(Path file) throws IOException {
        ArchiveFile archive = new ArchiveFile(FileChannel.open(file, StandardOpenOption.READ));
        try {
            archive.index();
            return archive;
        } catch (IOException e) {
            archive.close();
            throw e;
        }
    }

    private void index() throws IOException {
        TarReader reader = new TarReader(new BufferedInputStream(new Part(channel, 0, channel.size()), 64 * 1024));
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            if (members.size() >= MEMBER_LIMIT) {
                throw BadLayerException.tooLarge("the archive has more than " + MEMBER_LIMIT + " files");
            }
            String name = plain(entry.name());
            switch (entry.kind()) {
                case FILE -> members.put(name, new Member(reader.position(), entry.size(), null));
                case SYMBOLIC_LINK -> members.put(name, new Member(0, 0, sibling(name, entry.target())));
                case HARD_LINK -> members.put(name, new Member(0, 0, plain(entry.target())));
                case DIRECTORY, CHARACTER_DEVICE, BLOCK_DEVICE, PIPE -> {}
            }
        }
    }

    private static String plain(String name) {
        return Path.of("/").resolve(name).normalize().toString().substring(1);
    }

    private static String sibling(String name, String target) {
        int slash = name.lastIndexOf('/');
        return plain((slash < 0 ? "" : name.substring(0, slash + 1)) + target);
    }

    private @Nullable Member find(String path) {
        Member member = members.get(path);
        for (int i = 0; i < LINK_LIMIT && member != null && member.target() != null; i++) {
            member = members.get(member.target());
        }
        return member == null || member.target() != null ? null : member;
    }

    @Override
    public boolean has(String path) {
        return find(path) != null;
    }

    @Override
    public InputStream open(String path) throws IOException, ImageException {
        Member member = find(path);
        if (member == null) {
            throw new ImageException(ImageException.Kind.DAMAGED, "the archive has no " + path);
        }
        return new BufferedInputStream(new Part(channel, member.position(), member.size()), 64 * 1024);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** A part of a file as a stream. */
    private static final class Part extends InputStream {
        private final FileChannel channel;
        private long position;
        private final long end;

        Part(FileChannel channel, long position, long size) {
            this.channel = channel;
            this.position = position;
            this.end = position + size;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int count) throws IOException {
            if (position >= end) {
                return -1;
            }
            int read = channel.read(ByteBuffer.wrap(bytes, from, (int) Math.min(count, end - position)), position);
            position += Math.max(0, read);
            return read;
        }

        @Override
        public long skip(long count) {
            long skipped = Math.clamp(count, 0, end - position);
            position += skipped;
            return skipped;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, end - position);
        }
    }
}
