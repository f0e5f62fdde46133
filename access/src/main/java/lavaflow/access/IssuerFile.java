package lavaflow.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The issuers of an AuthenticationConfiguration, which is read again when it changes: whoever administers it can add and remove
 * issuers while the server runs. A file that is wrong, or gone, changes nothing. Issuers that stay keep the keys they fetched.
 *
 * <p>Looks at the file when a token is shown, and not more often than every ten seconds, so that it costs nothing in between.
 */
public final class IssuerFile implements TokenAuthenticator {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerFile.class);
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final Path file;
    private final InstantSource clock;
    private final AuthenticationConfiguration first;
    private String text;
    private Instant looked;
    private volatile List<IssuerTokens> issuers;

    /**
     * @throws IOException where the file cannot be read
     * @throws IllegalArgumentException that says what is wrong in it, and where
     */
    public IssuerFile(Path file, InstantSource clock) throws IOException {
        this.file = file;
        this.clock = clock;
        this.text = Files.readString(file);
        this.looked = clock.instant();
        this.first = AuthenticationConfiguration.parse(text);
        this.issuers = readers(first, List.of());
    }

    /** As it was at the start. */
    public AuthenticationConfiguration configuration() {
        return first;
    }

    @Override
    public Outcome authenticate(String token, List<String> audiences) {
        look();
        List<String> why = new ArrayList<>();
        for (IssuerTokens each : issuers) {
            switch (each.authenticate(token, audiences)) {
                case Good good -> {
                    return good;
                }
                case Bad bad -> why.add(bad.why());
                case NotMine _ -> {}
            }
        }
        return why.isEmpty() ? NOT_MINE : new Bad(String.join(", ", why));
    }

    private synchronized void look() {
        Instant now = clock.instant();
        if (now.isBefore(looked.plus(PAUSE))) {
            return;
        }
        looked = now;
        try {
            String present = Files.readString(file);
            if (present.equals(text)) {
                return;
            }
            text = present;
            AuthenticationConfiguration changed = AuthenticationConfiguration.parse(present);
            issuers = readers(changed, issuers);
            LOG.info("{} was read again", file);
            if (!java.util.Objects.equals(changed.anonymous(), first.anonymous())) {
                LOG.warn("{}: anonymous counts from the next start", file);
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.error("{} could not be read again, what was read before still counts: {}", file, e.getMessage());
        }
    }

    private List<IssuerTokens> readers(AuthenticationConfiguration configuration, List<IssuerTokens> present) {
        List<IssuerTokens> readers = new ArrayList<>();
        for (IssuerTokens.Issuer issuer : configuration.issuers()) {
            readers.add(present.stream()
                    .filter(reader -> reader.issuer().equals(issuer))
                    .findFirst()
                    .orElseGet(() -> new IssuerTokens(issuer, clock)));
        }
        return readers;
    }
}
