package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;

import lavaflow.access.AccountTokens;
import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.TokenKeys;
import lavaflow.access.User;
import lavaflow.apiserver.CertificateAuthority;
import lavaflow.cluster.CertificateSigner;
import lavaflow.cluster.CoreControllers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What controllers of credentials need, from files and from the server they work for. */
final class RemoteAccess {
    private static final KubeApi.Kind REVIEWS =
            new KubeApi.Kind("authorization.k8s.io", "v1", "subjectaccessreviews", false);

    /** Files as upstream's flags name them; null where the flag is not given. */
    record Material(
            @Nullable Path tokenKey,
            @Nullable Path rootCertificate,
            @Nullable Path signingCertificate,
            @Nullable Path signingKey) {}

    private RemoteAccess() {}

    static CoreControllers.Access of(RemoteKubeApi api, Material files, InstantSource clock) throws IOException {
        return new CoreControllers.Access(
                tokens(files.tokenKey(), clock),
                (user, attributes) -> review(api, user, attributes),
                signer(files, clock),
                files.rootCertificate() == null
                        ? api.certificateAuthority()
                        : Files.readString(files.rootCertificate()));
    }

    private static @Nullable AccountTokens tokens(@Nullable Path file, InstantSource clock) throws IOException {
        if (file == null) {
            return null;
        }
        byte[] key = CertificateAuthority.readKey(Files.readString(file)).getEncoded();
        String pem = "-----BEGIN PRIVATE KEY-----\n" + Base64.getEncoder().encodeToString(key)
                + "\n-----END PRIVATE KEY-----\n";
        TokenKeys keys = TokenKeys.of(pem, List.of());
        return new AccountTokens(() -> keys, clock);
    }

    private static @Nullable CertificateSigner signer(Material files, InstantSource clock) throws IOException {
        if (files.signingCertificate() == null || files.signingKey() == null) {
            return null;
        }
        CertificateAuthority authority = CertificateAuthority.read(
                Files.readString(files.signingCertificate()), Files.readString(files.signingKey()));
        return (request, usages, lifetime) -> authority.signRequest(request, usages, lifetime, clock.instant());
    }

    /** The server knows who may; it is asked as everybody may ask it. */
    private static Authorizer.Decision review(KubeApi api, User user, Attributes attributes) {
        ObjectNode review = Json.object();
        ObjectNode spec = review.putObject("spec");
        spec.putObject("resourceAttributes")
                .put("verb", attributes.verb())
                .put("group", attributes.group())
                .put("version", attributes.version())
                .put("resource", attributes.resource())
                .put("subresource", attributes.subresource())
                .put("namespace", attributes.namespace())
                .put("name", attributes.name());
        spec.put("user", user.name());
        ArrayNode groups = spec.putArray("groups");
        user.groups().forEach(groups::add);
        ObjectNode answer = api.create(REVIEWS, "", review);
        String reason = Json.textAt(answer, "status", "reason");
        return Json.flagAt(answer, "status", "allowed")
                ? new Authorizer.Allow(reason)
                : new Authorizer.NoOpinion(reason);
    }
}
