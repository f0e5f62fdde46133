package lavaflow.image;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

/** The files in which image pull secrets keep who may pull: {@code .dockerconfigjson}, and the older {@code .dockercfg}. */
public final class DockerConfig {
    private DockerConfig() {}

    /** What {@code .dockerconfigjson} holds; a file that is wrong is an {@link IllegalArgumentException}. */
    public static List<Credential> parse(byte[] json) {
        return credentials(root(json).path("auths"));
    }

    /** What {@code .dockercfg} holds. */
    public static List<Credential> parseLegacy(byte[] json) {
        return credentials(root(json));
    }

    private static JsonNode root(byte[] json) {
        try {
            return Json.parseUntrusted(json);
        } catch (JsonProcessingException e) {
            // the message of the parser would show what is in the secret
            throw new IllegalArgumentException("the pull secret is no JSON");
        }
    }

    private static List<Credential> credentials(JsonNode auths) {
        List<Credential> found = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : auths.properties()) {
            String user = Json.textAt(entry.getValue(), "username");
            String password = Json.textAt(entry.getValue(), "password");
            String both = Json.textAt(entry.getValue(), "auth");
            if (!both.isEmpty()) {
                String[] pair = decoded(both);
                user = pair[0];
                password = pair[1];
            }
            found.add(new Credential(
                    prefix(entry.getKey()), user, password, Json.textAt(entry.getValue(), "identitytoken")));
        }
        return List.copyOf(found);
    }

    private static String[] decoded(String auth) {
        try {
            String text = new String(Base64.getMimeDecoder().decode(auth), StandardCharsets.UTF_8);
            int colon = text.indexOf(':');
            if (colon < 0) {
                throw new IllegalArgumentException("no colon");
            }
            return new String[] {text.substring(0, colon), text.substring(colon + 1)};
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the pull secret has an 'auth' that is not user:password in base64");
        }
    }

    /** Host and path, without what old tools put around them. */
    static String prefix(String key) {
        String text = key.trim();
        for (String scheme : List.of("https://", "http://")) {
            text = text.startsWith(scheme) ? text.substring(scheme.length()) : text;
        }
        for (String version : List.of("/v1", "/v1/", "/v2", "/v2/")) {
            text = text.endsWith(version) ? text.substring(0, text.length() - version.length()) : text;
        }
        text = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        return text.equals("index.docker.io") ? "docker.io" : text;
    }

    /** Those that are meant for an image, the most particular first. Hosts may have stars, each for a part between dots. */
    static List<Credential> matching(List<Credential> all, Reference reference) {
        return all.stream()
                .filter(credential -> matches(prefix(credential.prefix()), reference))
                .sorted(java.util.Comparator.comparingInt(
                        (Credential credential) -> -prefix(credential.prefix()).length()))
                .toList();
    }

    private static boolean matches(String prefix, Reference reference) {
        int slash = prefix.indexOf('/');
        String host = slash < 0 ? prefix : prefix.substring(0, slash);
        String path = slash < 0 ? "" : prefix.substring(slash + 1);
        boolean samePath = path.isEmpty()
                || reference.path().equals(path)
                || reference.path().startsWith(path + "/");
        return samePath && sameHost(host, reference.host());
    }

    private static boolean sameHost(String pattern, String host) {
        String[] wanted = pattern.split("\\.", -1);
        String[] given = host.split("\\.", -1);
        if (wanted.length != given.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (!wanted[i].equals(given[i]) && !globs(wanted[i], given[i])) {
                return false;
            }
        }
        return true;
    }

    private static boolean globs(String pattern, String text) {
        int star = pattern.indexOf('*');
        return star >= 0
                && pattern.indexOf('*', star + 1) < 0
                && text.length() >= pattern.length() - 1
                && text.startsWith(pattern.substring(0, star))
                && text.endsWith(pattern.substring(star + 1));
    }
}
