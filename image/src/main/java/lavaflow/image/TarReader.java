package lavaflow.image;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Reads tar archives as images have them: old, POSIX with extended headers, and GNU with long names. Sparse files and volumes of
 * several archives are refused. Reads forward only and keeps one entry; what an archive says about sizes is bounded.
 */
final class TarReader {
    static final int BLOCK = 512;
    /** Extended headers carry names and attributes; the kernel takes no attribute above 64 KiB. */
    private static final int EXTENSION_LIMIT = 1 << 20;

    private static final String NO_TEXT = "";

    private final InputStream in;
    private final byte[] block = new byte[BLOCK];
    private long remaining;
    private long padding;
    private long position;
    private boolean ended;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** The next member; null at the end of the archive. What was not read of the one before is skipped. */
    @Nullable
    TarEntry next() throws IOException {
        Map<String, byte[]> extended = new LinkedHashMap<>();
        String longName = null;
        String longTarget = null;
        while (true) {
            skip(remaining + padding);
            remaining = 0;
            padding = 0;
            if (ended || !readHeader()) {
                ended = true;
                return null;
            }
            long size = TarNumber.parse(block, 124, 12);
            if (size < 0) {
                throw BadLayerException.damaged("an entry has a negative size");
            }
            switch (block[156]) {
                case 'x' -> PaxRecords.parse(extension(size), extended);
                case 'g' -> PaxRecords.parse(extension(size), new LinkedHashMap<>());
                case 'L' -> longName = terminated(extension(size));
                case 'K' -> longTarget = terminated(extension(size));
                default -> {
                    return entry(size, extended, longName, longTarget);
                }
            }
        }
    }

    /** Where the data of the current entry begins. */
    long position() {
        return position;
    }

    /** Data of the current entry; -1 at its end. */
    int read(byte[] buffer, int from, int count) throws IOException {
        if (remaining == 0) {
            return -1;
        }
        int read = in.read(buffer, from, (int) Math.min(count, remaining));
        if (read < 0) {
            throw new EOFException("the archive ends in the middle of an entry");
        }
        remaining -= read;
        position += read;
        return read;
    }

    private TarEntry entry(
            long headerSize, Map<String, byte[]> extended, @Nullable String longName, @Nullable String longTarget)
            throws IOException {
        String name = text(extended, "path", longName == null ? headerName() : longName);
        String target = text(extended, "linkpath", longTarget == null ? field(157, 100) : longTarget);
        long size = PaxRecords.number(extended, "size", headerSize);
        TarEntry.Kind kind = kind((char) block[156], name);
        if (kind != TarEntry.Kind.FILE) {
            size = 0;
        }
        if (size < 0 || size > Long.MAX_VALUE - BLOCK) {
            throw BadLayerException.damaged(TarEntry.readable(name) + " has an impossible size");
        }
        remaining = size;
        padding = (BLOCK - size % BLOCK) % BLOCK;
        PaxRecords.Time time = PaxRecords.time(extended, TarNumber.parse(block, 136, 12));
        boolean device = kind == TarEntry.Kind.CHARACTER_DEVICE || kind == TarEntry.Kind.BLOCK_DEVICE;
        return new TarEntry(
                name,
                kind,
                (int) (TarNumber.parse(block, 100, 8) & 07777),
                PaxRecords.number(extended, "uid", TarNumber.parse(block, 108, 8)),
                PaxRecords.number(extended, "gid", TarNumber.parse(block, 116, 8)),
                size,
                time.seconds(),
                time.nanos(),
                target,
                device ? (int) TarNumber.parse(block, 329, 8) : 0,
                device ? (int) TarNumber.parse(block, 337, 8) : 0,
                PaxRecords.attributes(extended));
    }

    private static TarEntry.Kind kind(char type, String name) throws IOException {
        return switch (type) {
            case '0', '\0', '7' -> name.endsWith("/") ? TarEntry.Kind.DIRECTORY : TarEntry.Kind.FILE;
            case '1' -> TarEntry.Kind.HARD_LINK;
            case '2' -> TarEntry.Kind.SYMBOLIC_LINK;
            case '3' -> TarEntry.Kind.CHARACTER_DEVICE;
            case '4' -> TarEntry.Kind.BLOCK_DEVICE;
            case '5' -> TarEntry.Kind.DIRECTORY;
            case '6' -> TarEntry.Kind.PIPE;
            case 'S' ->
                throw BadLayerException.damaged(
                        TarEntry.readable(name) + " is a sparse file, which images may not have");
            default ->
                throw BadLayerException.damaged(TarEntry.readable(name) + " is of the unknown kind '"
                        + (type < ' ' || type > '~' ? (int) type + "'" : type + "'"));
        };
    }

    private static String text(Map<String, byte[]> extended, String key, String otherwise) throws IOException {
        byte[] value = extended.get(key);
        String text = value == null ? otherwise : new String(value, StandardCharsets.ISO_8859_1);
        if (text.indexOf('\0') >= 0) {
            throw BadLayerException.damaged("a name contains a zero byte");
        }
        return text;
    }

    private String headerName() {
        String name = field(0, 100);
        boolean posix = field(257, 6).equals("ustar") && block[262] == 0;
        String prefix = posix ? field(345, 155) : NO_TEXT;
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private String field(int from, int length) {
        int end = from;
        while (end < from + length && block[end] != 0) {
            end++;
        }
        return new String(block, from, end - from, StandardCharsets.ISO_8859_1);
    }

    private static String terminated(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
    }

    private byte[] extension(long size) throws IOException {
        if (size > EXTENSION_LIMIT) {
            throw BadLayerException.tooLarge(
                    "an extended header of " + size + " bytes; at most " + EXTENSION_LIMIT + " are read");
        }
        byte[] bytes = in.readNBytes((int) size);
        if (bytes.length < size) {
            throw new EOFException("the archive ends in the middle of a header");
        }
        position += size;
        skip((BLOCK - size % BLOCK) % BLOCK);
        return bytes;
    }

    /** False at the end: a block of zeros, or no block at all. */
    private boolean readHeader() throws IOException {
        int read = in.readNBytes(block, 0, BLOCK);
        position += read;
        if (read == 0) {
            return false;
        }
        if (read < BLOCK) {
            throw new EOFException("the archive ends in the middle of a header");
        }
        if (isZero()) {
            return false;
        }
        long told = TarNumber.parse(block, 148, 8);
        long unsigned = 0;
        long signed = 0;
        for (int i = 0; i < BLOCK; i++) {
            byte b = i >= 148 && i < 156 ? (byte) ' ' : block[i];
            unsigned += b & 0xff;
            signed += b;
        }
        if (told != unsigned && told != signed) {
            throw BadLayerException.damaged(
                    "the checksum of a header is wrong; this is no tar archive, or a damaged one");
        }
        return true;
    }

    private boolean isZero() {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    private void skip(long count) throws IOException {
        try {
            in.skipNBytes(count);
        } catch (EOFException e) {
            throw new EOFException("the archive ends in the middle of an entry");
        }
        position += count;
    }
}
