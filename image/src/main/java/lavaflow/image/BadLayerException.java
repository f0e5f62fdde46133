package lavaflow.image;

import java.io.IOException;

/** An archive that is damaged, hostile or too large, in words for whoever made it. */
final class BadLayerException extends IOException {
    private static final long serialVersionUID = 1;

    private final ImageException.Kind kind;

    private BadLayerException(ImageException.Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    static BadLayerException damaged(String message) {
        return new BadLayerException(ImageException.Kind.DAMAGED, message);
    }

    static BadLayerException tooLarge(String message) {
        return new BadLayerException(ImageException.Kind.TOO_LARGE, message);
    }

    ImageException.Kind kind() {
        return kind;
    }
}
