package lavaflow.image;

import java.util.Locale;
import java.util.regex.Pattern;

import lavaflow.kube.GoQuote;

import org.jspecify.annotations.Nullable;

/**
 * The name of an image in full: {@code busybox} is {@code docker.io/library/busybox:latest}.
 *
 * @param host registry, with its port where it has one
 * @param path repository in the registry
 * @param tag null only where there is a digest
 * @param digest {@code sha256:...}; decides over the tag
 */
public record Reference(
        String host,
        String path,
        @Nullable String tag,
        @Nullable String digest) {
    private static final String DOCKER = "docker.io";
    private static final int NAME_LIMIT = 255;
    /** Longer hosts and digests cannot be right, and the regular expressions recurse. */
    private static final int PART_LIMIT = 255;

    private static final Pattern HOST = Pattern.compile(
            "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+])(?::[0-9]+)?");
    private static final Pattern TAG = Pattern.compile("\\w[\\w.-]{0,127}");
    private static final Pattern DIGEST =
            Pattern.compile("[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}");
    private static final Pattern BARE_ID = Pattern.compile("[a-f0-9]{64}");

    /** Reads a name as pods write it; what is wrong with it is told in kubelet's words. */
    public static Reference parse(String text) throws ImageException {
        try {
            return read(text);
        } catch (IllegalArgumentException e) {
            throw new ImageException(
                    ImageException.Kind.INVALID_NAME,
                    "couldn't parse image name " + GoQuote.quote(text) + ": " + e.getMessage());
        }
    }

    private static Reference read(String text) {
        if (BARE_ID.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "invalid repository name (" + text + "), cannot specify 64-byte hexadecimal strings");
        }
        int slash = text.indexOf('/');
        String first = slash < 0 ? "" : text.substring(0, slash);
        boolean hosted = slash >= 0 && isHost(first);
        String host = hosted ? first : DOCKER;
        String rest = hosted ? text.substring(slash + 1) : text;
        if (host.equals("index.docker.io")) {
            host = DOCKER;
        }
        if (host.equals(DOCKER) && rest.indexOf('/') < 0) {
            rest = "library/" + rest;
        }
        String name = rest.indexOf(':') < 0 ? rest : rest.substring(0, rest.indexOf(':'));
        if (!name.equals(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(
                    "invalid reference format: repository name (" + name + ") must be lowercase");
        }
        return parts(host, rest);
    }

    private static Reference parts(String host, String rest) {
        int at = rest.indexOf('@');
        String digest = at < 0 ? null : rest.substring(at + 1);
        String tagged = at < 0 ? rest : rest.substring(0, at);
        int colon = tagged.indexOf(':');
        String tag = colon < 0 ? null : tagged.substring(colon + 1);
        String path = colon < 0 ? tagged : tagged.substring(0, colon);
        if (host.length() > PART_LIMIT || (digest != null && digest.length() > PART_LIMIT)) {
            throw malformed();
        }
        if (!HOST.matcher(host).matches()
                || !isPath(path)
                || (tag != null && !TAG.matcher(tag).matches())
                || (digest != null && !DIGEST.matcher(digest).matches())) {
            throw malformed();
        }
        if (host.length() + 1 + path.length() > NAME_LIMIT) {
            throw new IllegalArgumentException("repository name must not be more than 255 characters");
        }
        if (digest != null && !Digest.isValid(digest)) {
            throw new IllegalArgumentException(
                    Digest.isSupported(digest) ? "invalid checksum digest length" : "unsupported digest algorithm");
        }
        return new Reference(host, path, tag == null && digest == null ? "latest" : tag, digest);
    }

    private static boolean isPath(String path) {
        for (String component : path.split("/", -1)) {
            if (!isComponent(component)) {
                return false;
            }
        }
        return true;
    }

    /** Small letters and digits, with one dot, one or two underscores or any number of dashes between them. */
    private static boolean isComponent(String text) {
        int separators = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
                separators = 0;
                continue;
            }
            boolean same = separators == 0 || text.charAt(i - 1) == c;
            int limit = c == '.' ? 1 : c == '_' ? 2 : c == '-' ? Integer.MAX_VALUE : 0;
            separators++;
            if (i == 0 || !same || separators > limit) {
                return false;
            }
        }
        return !text.isEmpty() && separators == 0;
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("invalid reference format");
    }

    /** Host and path, without tag and digest. */
    public String name() {
        return host + "/" + path;
    }

    /** As people write it: without what would be added anyway. */
    public String familiarName() {
        String first = path.substring(0, path.indexOf('/') < 0 ? path.length() : path.indexOf('/'));
        if (!host.equals(DOCKER) || isHost(first)) {
            return name();
        }
        return path.startsWith("library/") && path.indexOf('/') == path.lastIndexOf('/')
                ? path.substring("library/".length())
                : path;
    }

    private static boolean isHost(String first) {
        return first.indexOf('.') >= 0
                || first.indexOf(':') >= 0
                || first.equals("localhost")
                || !first.equals(first.toLowerCase(Locale.ROOT));
    }

    /** What a registry is asked for: the digest where there is one. */
    String wanted() {
        return digest != null ? digest : String.valueOf(tag);
    }

    private String suffix() {
        return (tag == null ? "" : ":" + tag) + (digest == null ? "" : "@" + digest);
    }

    String familiar() {
        return familiarName() + suffix();
    }

    @Override
    public String toString() {
        return name() + suffix();
    }
}
