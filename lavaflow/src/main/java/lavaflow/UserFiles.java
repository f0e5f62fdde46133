package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import lavaflow.access.AuthenticationConfiguration;
import lavaflow.access.IssuerTokens;
import lavaflow.access.TokenAuthenticator;
import lavaflow.access.TokenFile;

import org.jspecify.annotations.Nullable;

/** Reads the files in which an administrator says who else has tokens. */
final class UserFiles {
    private UserFiles() {}

    /** Readers of the tokens; a file that is wrong is a failure of the command, not of a later request. */
    static List<TokenAuthenticator> read(@Nullable String tokens, @Nullable String authentication) {
        List<TokenAuthenticator> readers = new ArrayList<>();
        try {
            if (tokens != null) {
                readers.add(TokenFile.parse(text("--token-auth-file", tokens)));
            }
            if (authentication != null) {
                for (IssuerTokens.Issuer issuer :
                        AuthenticationConfiguration.issuers(text("--authentication-config", authentication))) {
                    readers.add(new IssuerTokens(issuer, InstantSource.system()));
                }
            }
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.FAILED, "the file of users: " + e.getMessage());
        }
        return readers;
    }

    private static String text(String option, String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new CommandFailure(Lava.FAILED, option + ": cannot read " + file);
        }
    }
}
