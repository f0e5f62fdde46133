package lavaflow.remote;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/**
 * Where clients look for a cluster that nobody named: {@code $KUBECONFIG}, then {@code ~/.kube/config}, then the service account of the
 * pod they run in.
 *
 * @param environment of the process
 * @param home of the user
 * @param account where a pod finds its service account
 */
record Surroundings(Map<String, String> environment, Path home, Path account) {
    static Surroundings ofProcess() {
        return new Surroundings(
                System.getenv(),
                Path.of(System.getProperty("user.home", "/")),
                Path.of("/var/run/secrets/kubernetes.io/serviceaccount"));
    }

    ServerAccess access(Settings settings) {
        Kubeconfig found = kubeconfig(settings);
        ServerAccess access = found == null ? ofPod() : found.access(settings.context());
        return settings.server() == null ? access : access.at(settings.server().replaceAll("/+$", ""));
    }

    /** The namespace that commands are about unless told otherwise; empty where nobody says. */
    String namespace(Settings settings) {
        Kubeconfig found = kubeconfig(settings);
        return found == null ? "" : found.namespace(settings.context());
    }

    private @Nullable Kubeconfig kubeconfig(Settings settings) {
        Path named = settings.kubeconfig();
        List<Path> files = named == null ? usual() : List.of(named);
        if (named != null && !Files.isReadable(named)) {
            throw new IllegalArgumentException("cannot read the kubeconfig " + named);
        }
        return files.isEmpty() ? null : Kubeconfig.of(files);
    }

    /** As kubectl: of several files those that are missing do not count. */
    private List<Path> usual() {
        String said = environment.getOrDefault("KUBECONFIG", "");
        List<Path> files = new ArrayList<>();
        if (said.isEmpty()) {
            files.add(home.resolve(".kube").resolve("config"));
        }
        for (String each : said.split(File.pathSeparator, -1)) {
            if (!each.isEmpty()) {
                files.add(Path.of(each));
            }
        }
        files.removeIf(file -> !Files.isReadable(file));
        if (files.isEmpty() && !said.isEmpty()) {
            throw new IllegalArgumentException("cannot read the kubeconfig " + said + " that $KUBECONFIG names");
        }
        return files;
    }

    private ServerAccess ofPod() {
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        Path token = account.resolve("token");
        if (host.isEmpty() || !Files.isReadable(token)) {
            throw ApiException.of(
                    503,
                    "ServiceUnavailable",
                    "no cluster is known: there is neither $KUBECONFIG nor ~/.kube/config, and this is no pod");
        }
        try {
            return new ServerAccess(
                    "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port,
                    null,
                    Files.readString(account.resolve("ca.crt")),
                    false,
                    null,
                    null,
                    new Credentials.TokenFile(token, System::nanoTime),
                    List.of());
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the certificates of the cluster in " + account, e);
        }
    }
}
