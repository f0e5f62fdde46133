package lavaflow.image;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Decompresses with the machine's {@code zstd}: Java has no such decompressor, and the libraries that do weigh as much as
 * everything else here together.
 */
final class ZstdStream extends FilterInputStream {
    private final Process process;
    private final Thread feeder;
    private volatile @Nullable IOException feeding;

    ZstdStream(InputStream compressed) throws IOException {
        this(compressed, start());
    }

    private ZstdStream(InputStream compressed, Process process) {
        super(process.getInputStream());
        this.process = process;
        this.feeder = Thread.ofVirtual().name("zstd").start(() -> feed(compressed));
    }

    private static Process start() throws IOException {
        try {
            return new ProcessBuilder("zstd", "-dcq")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw BadLayerException.damaged(
                    "a layer is compressed with zstd, and this machine has no program for that; install it with: apt-get install zstd");
        }
    }

    private void feed(InputStream compressed) {
        try (OutputStream out = process.getOutputStream()) {
            compressed.transferTo(out);
        } catch (IOException e) {
            feeding = e;
        }
    }

    @Override
    public int read(byte[] buffer, int from, int count) throws IOException {
        int read = super.read(buffer, from, count);
        if (read < 0) {
            finish();
        }
        return read;
    }

    private void finish() throws IOException {
        try {
            feeder.join();
            if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
                IOException problem = feeding;
                throw problem instanceof BadLayerException told
                        ? told
                        : BadLayerException.damaged("a layer cannot be decompressed (zstd)");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        super.close();
    }
}
