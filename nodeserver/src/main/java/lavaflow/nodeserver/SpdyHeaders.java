package lavaflow.nodeserver;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The headers of SPDY/3 streams: one compressed text for each direction of a connection, which ends nowhere. */
final class SpdyHeaders implements AutoCloseable {
    /** More is no request of anybody we know, but may be a few bytes that unpack to gigabytes. */
    static final int MOST_BYTES = 16 << 10;

    private static final int MOST_HEADERS = 64;

    /** Words both sides know beforehand, each after its length; and a text of pieces without one. */
    private static final String WORDS = "options head post put delete trace accept accept-charset accept-encoding"
            + " accept-language accept-ranges age allow authorization cache-control connection content-base"
            + " content-encoding content-language content-length content-location content-md5 content-range content-type"
            + " date etag expect expires from host if-match if-modified-since if-none-match if-range"
            + " if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization"
            + " range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning"
            + " www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin";

    private static final String PIECES =
            "100101201202205206300302303304305306307402405406407408409410411412413414415416"
                    + "417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 "
                    + "Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service "
                    + "UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, "
                    + "Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,"
                    + "text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,"
                    + "*,enq=0.";

    private static final byte[] DICTIONARY = dictionary();

    private final Inflater inflater = new Inflater();
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);

    SpdyHeaders() {
        deflater.setDictionary(DICTIONARY);
    }

    private static byte[] dictionary() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1500);
        for (String word : WORDS.split(" ", -1)) {
            byte[] text = word.replace('_', ' ').getBytes(StandardCharsets.US_ASCII);
            bytes.writeBytes(ByteBuffer.allocate(4).putInt(text.length).array());
            bytes.writeBytes(text);
        }
        bytes.writeBytes(PIECES.getBytes(StandardCharsets.US_ASCII));
        return bytes.toByteArray();
    }

    /** Names are in lower case; of several values the first is kept. */
    Map<String, String> read(byte[] block) throws SpdyException {
        ByteBuffer text = ByteBuffer.wrap(unpack(block));
        Map<String, String> headers = new LinkedHashMap<>();
        int count = number(text);
        if (count > MOST_HEADERS) {
            throw new SpdyException("too many headers");
        }
        for (int i = 0; i < count; i++) {
            String name = word(text).toLowerCase(Locale.ROOT);
            String value = word(text);
            int end = value.indexOf('\0');
            headers.putIfAbsent(name, end < 0 ? value : value.substring(0, end));
        }
        if (text.hasRemaining()) {
            throw new SpdyException("something follows the headers");
        }
        return headers;
    }

    private byte[] unpack(byte[] block) throws SpdyException {
        byte[] text = new byte[MOST_BYTES + 1];
        int length = 0;
        inflater.setInput(block);
        try {
            while (true) {
                int count = inflater.inflate(text, length, text.length - length);
                length += count;
                if (length > MOST_BYTES) {
                    throw new SpdyException("the headers are too long");
                }
                if (count == 0 && inflater.needsDictionary()) {
                    inflater.setDictionary(DICTIONARY);
                } else if (count == 0) {
                    break;
                }
            }
        } catch (DataFormatException | IllegalArgumentException e) {
            throw new SpdyException("the headers cannot be unpacked");
        }
        if (inflater.getRemaining() > 0 || inflater.finished()) {
            throw new SpdyException("the headers end early");
        }
        return java.util.Arrays.copyOf(text, length);
    }

    private static int number(ByteBuffer text) throws SpdyException {
        if (text.remaining() < 4) {
            throw new SpdyException("the headers break off");
        }
        int value = text.getInt();
        if (value < 0) {
            throw new SpdyException("a length below zero");
        }
        return value;
    }

    private static String word(ByteBuffer text) throws SpdyException {
        int length = number(text);
        if (length > text.remaining()) {
            throw new SpdyException("the headers break off");
        }
        byte[] bytes = new byte[length];
        text.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    byte[] write(Map<String, String> headers) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        text.writeBytes(ByteBuffer.allocate(4).putInt(headers.size()).array());
        headers.forEach((name, value) -> {
            write(text, name);
            write(text, value);
        });
        deflater.setInput(text.toByteArray());
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        byte[] buffer = new byte[512];
        int count;
        do {
            count = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
            packed.write(buffer, 0, count);
        } while (count == buffer.length);
        return packed.toByteArray();
    }

    private static void write(ByteArrayOutputStream text, String word) {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        text.writeBytes(ByteBuffer.allocate(4).putInt(bytes.length).array());
        text.writeBytes(bytes);
    }

    /** Their memory is not the garbage collector's. */
    @Override
    public void close() {
        inflater.end();
        deflater.end();
    }
}
