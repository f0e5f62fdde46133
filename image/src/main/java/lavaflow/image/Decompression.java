package lavaflow.image;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** Finds out how something is compressed by how it begins; what manifests say about that is often wrong. */
final class Decompression {
    private static final int BUFFER = 64 * 1024;

    private Decompression() {}

    static InputStream of(InputStream in) throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(in, BUFFER);
        buffered.mark(8);
        byte[] magic = buffered.readNBytes(6);
        buffered.reset();
        if (begins(magic, 0x1f, 0x8b)) {
            return new GZIPInputStream(buffered, BUFFER);
        }
        if (begins(magic, 0x28, 0xb5, 0x2f, 0xfd)) {
            return new ZstdStream(buffered);
        }
        if (begins(magic, 0xfd, '7', 'z', 'X', 'Z') || begins(magic, 'B', 'Z', 'h')) {
            throw BadLayerException.damaged("a layer is compressed with " + (magic[0] == 'B' ? "bzip2" : "xz")
                    + "; images have gzip, zstd or none");
        }
        return buffered;
    }

    private static boolean begins(byte[] bytes, int... magic) {
        if (bytes.length < magic.length) {
            return false;
        }
        for (int i = 0; i < magic.length; i++) {
            if ((bytes[i] & 0xff) != magic[i]) {
                return false;
            }
        }
        return true;
    }
}
