package lavaflow.remote;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Kubeconfigs as kubectl reads them: one file, or several of which the first counts that says something. What a user is known by may be a
 * certificate, a token, a file with a token, a password or a program.
 */
final class Kubeconfig {
    private static final long MOST_BYTES = 16 << 20;

    /** Something a file names, and where the file is: paths in it begin there. */
    private record Part(ObjectNode content, Path directory) {
        String text(String field) {
            return Json.textAt(content, field);
        }

        /** What is in the file, or beside it in one that it names; null for neither. */
        @Nullable
        String material(String field) {
            String data = text(field + "-data");
            try {
                if (!data.isEmpty()) {
                    return new String(Base64.getDecoder().decode(data.replaceAll("\\s", "")), StandardCharsets.UTF_8);
                }
                return text(field).isEmpty() ? null : Files.readString(directory.resolve(text(field)));
            } catch (IllegalArgumentException _) {
                throw new IllegalArgumentException(field + "-data of the kubeconfig is no base64");
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "cannot read the " + field + " of the kubeconfig, " + directory.resolve(text(field)), e);
            }
        }
    }

    private final Map<String, Part> clusters = new LinkedHashMap<>();
    private final Map<String, Part> users = new LinkedHashMap<>();
    private final Map<String, Part> contexts = new LinkedHashMap<>();
    private final String names;
    private String currentContext = "";

    private Kubeconfig(List<Path> files) {
        this.names = String.join(", ", files.stream().map(Path::toString).toList());
        files.forEach(this::add);
    }

    static Kubeconfig of(List<Path> files) {
        return new Kubeconfig(files);
    }

    private void add(Path file) {
        ObjectNode document = read(file);
        Path directory = file.toAbsolutePath().resolveSibling("");
        collect(document, "clusters", "cluster", directory, clusters);
        collect(document, "users", "user", directory, users);
        collect(document, "contexts", "context", directory, contexts);
        if (currentContext.isEmpty()) {
            currentContext = Json.textAt(document, "current-context");
        }
    }

    private static ObjectNode read(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IllegalArgumentException("the kubeconfig " + file + " is too large to be one");
            }
            JsonNode document = Yaml.parse(Files.readAllBytes(file)).root();
            if (document.isNull()) {
                return Json.object();
            }
            if (document instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the kubeconfig " + file, e);
        } catch (DecodingException e) {
            throw new IllegalArgumentException("the kubeconfig " + file + " does not fit: " + e.getMessage(), e);
        }
        throw new IllegalArgumentException("the kubeconfig " + file + " does not fit: it is no object");
    }

    private static void collect(
            ObjectNode document, String list, String field, Path directory, Map<String, Part> parts) {
        for (JsonNode entry : Json.listAt(document, list)) {
            ObjectNode content = Json.objectAt(entry, field);
            parts.putIfAbsent(
                    Json.textAt(entry, "name"), new Part(content == null ? Json.object() : content, directory));
        }
    }

    private IllegalArgumentException unfit(String what) {
        return new IllegalArgumentException("the kubeconfig " + names + " does not fit: " + what);
    }

    private Part context(@Nullable String wanted) {
        String name = wanted == null ? currentContext : wanted;
        if (name.isEmpty()) {
            throw unfit("it has no current-context; choose one with: kubectl config use-context NAME");
        }
        Part context = contexts.get(name);
        if (context == null) {
            throw unfit("it has no context '" + name + "', but " + contexts.keySet());
        }
        return context;
    }

    /** The namespace that commands are about unless told otherwise; empty where it is not said. */
    String namespace(@Nullable String context) {
        return context(context).text("namespace");
    }

    /**
     * @param context which; null for the current one
     */
    ServerAccess access(@Nullable String context) {
        Part chosen = context(context);
        Part cluster = clusters.get(chosen.text("cluster"));
        if (cluster == null) {
            throw unfit("it has no cluster '" + chosen.text("cluster") + "'");
        }
        Part user = users.get(chosen.text("user"));
        if (user == null && !chosen.text("user").isEmpty()) {
            throw unfit("it has no user '" + chosen.text("user") + "'");
        }
        if (user == null) {
            user = new Part(Json.object(), cluster.directory());
        }
        Credentials credentials = credentials(user, cluster);
        return new ServerAccess(
                server(cluster),
                orNull(cluster.text("tls-server-name")),
                cluster.material("certificate-authority"),
                Json.flagAt(cluster.content(), "insecure-skip-tls-verify"),
                orNull(cluster.text("proxy-url")),
                identity(user, credentials),
                credentials,
                acting(user));
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private String server(Part cluster) {
        String server = cluster.text("server").replaceAll("/+$", "");
        if (server.isEmpty()) {
            throw unfit("its cluster has no server");
        }
        return server.contains("://") ? server : "https://" + server;
    }

    private static ServerAccess.@Nullable Identity identity(Part user, Credentials credentials) {
        String certificate = user.material("client-certificate");
        String key = user.material("client-key");
        if (certificate != null && key != null) {
            return new ServerAccess.Identity(certificate, key);
        }
        return credentials instanceof ExecCredentials program ? program.identity() : null;
    }

    private Credentials credentials(Part user, Part cluster) {
        if (!user.text("tokenFile").isEmpty()) {
            return new Credentials.TokenFile(user.directory().resolve(user.text("tokenFile")), System::nanoTime);
        }
        if (!user.text("token").isEmpty()) {
            return Credentials.token(user.text("token"));
        }
        if (!user.text("username").isEmpty()) {
            return Credentials.password(user.text("username"), user.text("password"));
        }
        if (Json.objectAt(user.content(), "exec") != null) {
            return new ExecCredentials(program(user, cluster), InstantSource.system());
        }
        if (Json.objectAt(user.content(), "auth-provider") != null) {
            return provided(user);
        }
        return Credentials.none();
    }

    /** The old way, of which only the tokens of OpenID issuers are left. Renewing them is left to kubectl, which also writes them down. */
    private Credentials provided(Part user) {
        String name = Json.textAt(user.content(), "auth-provider", "name");
        String token = Json.textAt(user.content(), "auth-provider", "config", "id-token");
        if (!name.equals("oidc") || token.isEmpty()) {
            throw unfit("auth-provider '" + name + "' is not supported any more; use one with exec, as kubectl says");
        }
        return Credentials.token(token);
    }

    private ExecCredentials.Program program(Part user, Part cluster) {
        JsonNode exec = Json.objectAt(user.content(), "exec");
        String command = Json.textAt(exec, "command");
        if (command.isEmpty()) {
            throw unfit("its user's exec has no command");
        }
        List<String> words = new ArrayList<>(List.of(command));
        Json.listAt(exec, "args").forEach(word -> words.add(word.asText()));
        Map<String, String> environment = new LinkedHashMap<>();
        Json.listAt(exec, "env")
                .forEach(each -> environment.put(Json.textAt(each, "name"), Json.textAt(each, "value")));
        return new ExecCredentials.Program(
                Json.textAt(exec, "apiVersion"),
                words,
                environment,
                user.directory(),
                Json.textAt(exec, "installHint"),
                !Json.textAt(exec, "interactiveMode").equals("Never"),
                Json.flagAt(exec, "provideClusterInfo") ? told(cluster) : null);
    }

    private ObjectNode told(Part cluster) {
        ObjectNode told = Json.object().put("server", server(cluster));
        putIfThere(told, "tls-server-name", orNull(cluster.text("tls-server-name")));
        putIfThere(told, "proxy-url", orNull(cluster.text("proxy-url")));
        if (Json.flagAt(cluster.content(), "insecure-skip-tls-verify")) {
            told.put("insecure-skip-tls-verify", true);
        }
        String authority = cluster.material("certificate-authority");
        putIfThere(
                told,
                "certificate-authority-data",
                authority == null
                        ? null
                        : Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.UTF_8)));
        for (JsonNode extension : Json.listAt(cluster.content(), "extensions")) {
            if (Json.textAt(extension, "name").equals("client.authentication.k8s.io/exec")) {
                told.set("config", extension.get("extension"));
            }
        }
        return told;
    }

    private static void putIfThere(ObjectNode object, String field, @Nullable String value) {
        if (value != null) {
            object.put(field, value);
        }
    }

    private static List<Map.Entry<String, String>> acting(Part user) {
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        if (user.text("as").isEmpty()) {
            return headers;
        }
        headers.add(Map.entry("Impersonate-User", user.text("as")));
        if (!user.text("as-uid").isEmpty()) {
            headers.add(Map.entry("Impersonate-Uid", user.text("as-uid")));
        }
        for (JsonNode group : Json.listAt(user.content(), "as-groups")) {
            headers.add(Map.entry("Impersonate-Group", group.asText()));
        }
        ObjectNode extra = Json.objectAt(user.content(), "as-user-extra");
        if (extra != null) {
            extra.properties()
                    .forEach(each -> each.getValue()
                            .forEach(value ->
                                    headers.add(Map.entry("Impersonate-Extra-" + each.getKey(), value.asText()))));
        }
        return headers;
    }
}
