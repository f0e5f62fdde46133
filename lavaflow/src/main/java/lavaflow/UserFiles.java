package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import lavaflow.access.AnonymousRequests;
import lavaflow.access.IssuerFile;
import lavaflow.access.TokenAuthenticator;
import lavaflow.access.TokenFile;

import org.jspecify.annotations.Nullable;

/**
 * What an administrator says in files of who else has tokens.
 *
 * @param tokens readers of the tokens
 * @param anonymous what may be asked without any
 */
record UserFiles(List<TokenAuthenticator> tokens, AnonymousRequests anonymous) {
    /** Nobody, and health and version. */
    static final UserFiles NONE = new UserFiles(List.of(), AnonymousRequests.HEALTH);

    /** Reads them; a file that is wrong is a failure of the command, not of a later request. */
    static UserFiles read(@Nullable String tokens, @Nullable String authentication) {
        List<TokenAuthenticator> readers = new ArrayList<>();
        AnonymousRequests anonymous = AnonymousRequests.HEALTH;
        try {
            if (tokens != null) {
                readers.add(TokenFile.parse(text("--token-auth-file", tokens)));
            }
            if (authentication != null) {
                IssuerFile issuers = new IssuerFile(Path.of(authentication), InstantSource.system());
                readers.add(issuers);
                AnonymousRequests told = issuers.configuration().anonymous();
                anonymous = told == null ? anonymous : told;
            }
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.FAILED, "the file of users: " + e.getMessage());
        } catch (IOException e) {
            throw new CommandFailure(Lava.FAILED, "--authentication-config: cannot read " + authentication);
        }
        return new UserFiles(readers, anonymous);
    }

    private static String text(String option, String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new CommandFailure(Lava.FAILED, option + ": cannot read " + file);
        }
    }
}
