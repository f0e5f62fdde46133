package lavaflow.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.access.AccountTokens;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Fills secrets of type kubernetes.io/service-account-token with a token of the account they name, and removes them with
 * it. Nothing makes such secrets any more; people still do.
 */
final class TokenSecrets {
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    private static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    private static final String TYPE = "kubernetes.io/service-account-token";
    private static final String ACCOUNT = "kubernetes.io/service-account.name";
    private static final String ACCOUNT_UID = "kubernetes.io/service-account.uid";

    record Key(String namespace, String name) {}

    private final KubeApi api;
    private final AccountTokens tokens;
    private final String rootCertificate;
    private final ControllerRunner<Key> runner;

    TokenSecrets(
            KubeApi api, Followers followers, AccountTokens tokens, String rootCertificate, LongSupplier nanoTime) {
        this.api = api;
        this.tokens = tokens;
        this.rootCertificate = rootCertificate;
        this.runner = new ControllerRunner<>("token-secrets", followers, 1, this::reconcile, nanoTime)
                .follow(SECRETS, TokenSecrets::concerned)
                .follow(ACCOUNTS, this::ofAccount);
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    /** The annotation is enough to look: the type is not part of the metadata that is followed. */
    private static List<Key> concerned(ObjectNode secret) {
        return accountOf(secret).isEmpty()
                ? List.of()
                : List.of(new Key(Objects.namespace(secret), Objects.name(secret)));
    }

    private List<Key> ofAccount(ObjectNode account) {
        return api.list(SECRETS, Objects.namespace(account), KubeApi.View.METADATA).items().stream()
                .filter(secret -> accountOf(secret).equals(Objects.name(account)))
                .flatMap(secret -> concerned(secret).stream())
                .toList();
    }

    private static String accountOf(ObjectNode secret) {
        return Json.textAt(secret, "metadata", "annotations", ACCOUNT);
    }

    private Optional<Duration> reconcile(Key key) {
        ObjectNode secret = api.find(SECRETS, key.namespace(), key.name()).orElse(null);
        if (secret == null
                || Objects.isDeleting(secret)
                || !Json.textAt(secret, "type").equals(TYPE)) {
            return Optional.empty();
        }
        String name = accountOf(secret);
        String wantedUid = Json.textAt(secret, "metadata", "annotations", ACCOUNT_UID);
        ObjectNode account = api.find(ACCOUNTS, key.namespace(), name).orElse(null);
        boolean another = account != null && !wantedUid.isEmpty() && !wantedUid.equals(Objects.uid(account));
        if (account == null || another) {
            api.delete(SECRETS, key.namespace(), key.name(), KubeApi.Deletion.ofUid(Objects.uid(secret)));
            return Optional.empty();
        }
        complete(secret, account);
        return Optional.empty();
    }

    private void complete(ObjectNode secret, ObjectNode account) {
        ObjectNode next = secret.deepCopy();
        Json.ensureObject(next, "metadata", "annotations").put(ACCOUNT_UID, Objects.uid(account));
        ObjectNode data = Json.ensureObject(next, "data");
        data.put("ca.crt", base64(rootCertificate));
        data.put("namespace", base64(Objects.namespace(secret)));
        if (Json.textAt(secret, "data", "token").isEmpty()) {
            data.put(
                    "token",
                    base64(tokens.issueLegacy(
                            Objects.namespace(secret),
                            new AccountTokens.Reference(Objects.name(account), Objects.uid(account)),
                            Objects.name(secret))));
        }
        if (!next.equals(secret)) {
            api.update(SECRETS, "", next);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
