package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/** Which certificates of nodes the API server believes when it speaks to them. */
sealed interface NodeTrust {
    Command.Option OPTION = Command.Option.of(
            "--kubelet-certificate-authority",
            "FILE|none",
            null,
            "Who signed the certificates of nodes (this cluster's own authority); none believes every one.");

    /** Those this cluster's own authority signed: its own node's, and what its signer gave to others. */
    record OfTheCluster() implements NodeTrust {}

    /** Those that authorities of a PEM text signed. */
    record Of(String authorities) implements NodeTrust {}

    /** Every one, as kube-apiserver does unless it is told whom to believe. */
    record Blind() implements NodeTrust {}

    static NodeTrust of(Command command, @Nullable String given) throws IOException {
        if (given == null) {
            return new OfTheCluster();
        }
        if (given.equals("none")) {
            return new Blind();
        }
        Path file = Path.of(given);
        String pem = Files.isReadable(file) ? Files.readString(file) : "";
        if (!pem.contains("-----BEGIN CERTIFICATE-----")) {
            throw Arguments.wrong(command, OPTION.name() + ": there is no certificate in " + file);
        }
        return new Of(pem);
    }

    /** PEM; null to believe every one. */
    default @Nullable String authorities(String ofTheCluster) {
        return switch (this) {
            case OfTheCluster() -> ofTheCluster;
            case Of(String authorities) -> authorities;
            case Blind() -> null;
        };
    }
}
