package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;

/** What comes out of a layer, until it is too much for what went in. */
final class BoundedStream extends CheckedStream {
    private final CheckedStream sent;
    private final LayerLimits limits;

    BoundedStream(InputStream in, MessageDigest hash, CheckedStream sent, LayerLimits limits) {
        super(in, hash);
        this.sent = sent;
        this.limits = limits;
    }

    @Override
    void check() throws IOException {
        if (count() > limits.bytes()) {
            throw BadLayerException.tooLarge("it unpacks to more than " + limits.bytes() + " bytes");
        }
        if (count() > limits.freely() && count() / limits.ratio() > sent.count()) {
            throw BadLayerException.tooLarge("it unpacks to more than " + limits.ratio() + " times its size, " + count()
                    + " bytes and more out of " + sent.count());
        }
    }
}
