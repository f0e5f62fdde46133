package lavaflow.remote;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/** What a user shows with every request, apart from a certificate. Thread-safe. */
interface Credentials {
    /** The header {@code Authorization}; null for none. */
    @Nullable
    String authorization();

    /** Called where the server does not know the user; whether another try makes sense. */
    default boolean refused() {
        return false;
    }

    static Credentials none() {
        return () -> null;
    }

    static Credentials token(String token) {
        String header = "Bearer " + token;
        return () -> header;
    }

    static Credentials password(String user, String password) {
        String both = user + ":" + password;
        String header = "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
        return () -> header;
    }

    /** A token in a file that somebody else renews: that of a service account in a pod lives an hour. */
    final class TokenFile implements Credentials {
        /** As client-go. */
        private static final Duration READ_AGAIN = Duration.ofMinutes(1);

        private final Path file;
        private final LongSupplier nanoTime;
        private String header = "";
        private long readAtNanos;

        TokenFile(Path file, LongSupplier nanoTime) {
            this.file = file;
            this.nanoTime = nanoTime;
        }

        @Override
        public synchronized @Nullable String authorization() {
            if (header.isEmpty() || nanoTime.getAsLong() - readAtNanos > READ_AGAIN.toNanos()) {
                read();
            }
            return header.isEmpty() ? null : header;
        }

        @Override
        public synchronized boolean refused() {
            String before = header;
            read();
            return !header.equals(before);
        }

        /** Where it cannot be read now, what was read before may still do. */
        private void read() {
            readAtNanos = nanoTime.getAsLong();
            try {
                String token = Files.readString(file).strip();
                header = token.isEmpty() ? header : "Bearer " + token;
            } catch (IOException e) {
                if (header.isEmpty()) {
                    throw new IllegalArgumentException("cannot read the token file " + file, e);
                }
            }
        }
    }
}
