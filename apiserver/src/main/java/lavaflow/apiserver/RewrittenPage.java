package lavaflow.apiserver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A page on its way through this server: its links are changed once it is whole. One that is too long is passed on as it is. */
final class RewrittenPage extends OutputStream {
    private static final int MOST = 4 << 20;

    private final OutputStream out;
    private final boolean packed;
    private final UnaryOperator<String> change;
    private final ByteArrayOutputStream page = new ByteArrayOutputStream();
    private boolean tooLong;

    /** @param packed whether it comes as gzip */
    RewrittenPage(OutputStream out, boolean packed, UnaryOperator<String> change) {
        this.out = out;
        this.packed = packed;
        this.change = change;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (!tooLong && page.size() + length > MOST) {
            tooLong = true;
            page.writeTo(out);
            page.reset();
        }
        if (tooLong) {
            out.write(bytes, offset, length);
        } else {
            page.write(bytes, offset, length);
        }
    }

    @Override
    public void flush() throws IOException {
        if (tooLong) {
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        if (!tooLong) {
            out.write(packed ? repacked(page.toByteArray()) : rewritten(page.toByteArray()));
        }
        out.close();
    }

    /** Bytes become letters and bytes again, whatever they mean: links are the same in every encoding that pages have. */
    private byte[] rewritten(byte[] bytes) {
        return HtmlLinks.rewrite(new String(bytes, StandardCharsets.ISO_8859_1), change)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private byte[] repacked(byte[] bytes) throws IOException {
        byte[] plain;
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            plain = in.readNBytes(MOST);
            if (in.read() >= 0) {
                return bytes;
            }
        } catch (IOException e) {
            return bytes; // not what it says it is; clients may know better
        }
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        try (GZIPOutputStream packing = new GZIPOutputStream(again)) {
            packing.write(rewritten(plain));
        }
        return again.toByteArray();
    }
}
