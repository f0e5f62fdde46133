package lavaflow.kinds;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An image name taken apart, as the grammar of container registries defines it.
 *
 * @param tag {@code latest} where the name has neither tag nor digest; empty where it has only a digest or is no valid name
 * @param digest empty where the name has none
 */
record ImageReference(String tag, String digest) {
    private static final String HOST_PART = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
    private static final String HOST = "(?:" + HOST_PART + "(?:\\." + HOST_PART + ")*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?";
    private static final String PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    private static final Pattern REFERENCE =
            Pattern.compile("(?:" + HOST + "/)?(?<path>" + PATH_PART + "(?:/" + PATH_PART
                    + ")*)(?::(?<tag>\\w[\\w.-]{0,127}))?"
                    + "(?:@(?<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?");
    private static final int LONGEST_PATH = 255;
    /** Nobody's registry has such a name, and matching recurses. */
    private static final int LONGEST = 4096;

    private static final Pattern IDENTIFIER = Pattern.compile("[a-f0-9]{64}");
    private static final ImageReference NONE = new ImageReference("", "");

    static ImageReference parse(String image) {
        if (image.length() > LONGEST || IDENTIFIER.matcher(image).matches()) {
            return NONE;
        }
        int slash = image.indexOf('/');
        String first = slash < 0 ? "" : image.substring(0, slash);
        boolean named = first.equals("localhost")
                || first.contains(".")
                || first.contains(":")
                || !first.equals(first.toLowerCase(Locale.ROOT));
        // Without a host part the name is one of the default registry, where a leading "name:5000/" cannot be a port.
        Matcher matcher = REFERENCE.matcher(named ? image : "docker.io/" + image);
        if (!matcher.matches() || pathLength(matcher.group("path"), named) > LONGEST_PATH) {
            return NONE;
        }
        String tag = matcher.group("tag") == null ? "" : matcher.group("tag");
        String digest = matcher.group("digest") == null ? "" : matcher.group("digest");
        return new ImageReference(tag.isEmpty() && digest.isEmpty() ? "latest" : tag, digest);
    }

    /** Names of one part belong to the library of the default registry. */
    private static int pathLength(String path, boolean named) {
        return named || path.contains("/") ? path.length() : path.length() + "library/".length();
    }

    /** The pull policy of a container or volume that names none. */
    String defaultPullPolicy() {
        return tag.equals("latest") ? "Always" : "IfNotPresent";
    }
}
