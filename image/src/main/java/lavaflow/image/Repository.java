package lavaflow.image;

import java.util.Locale;

/**
 * A repository as it is asked for, which a mirror may keep elsewhere than the image's name says.
 *
 * @param host with port
 * @param schemes to try, in order
 */
record Repository(String host, String path, java.util.List<String> schemes) {
    /** Where the images of a rule are. */
    static Repository of(Reference reference, String pattern, Origin.Registry origin) throws ImageException {
        String place = origin.place();
        String host = reference.host();
        String path = reference.path();
        if (place != null) {
            String full = full(place, reference, pattern);
            int slash = full.indexOf('/');
            try {
                Reference elsewhere = Reference.parse(full);
                host = full.substring(0, slash);
                path = host.equals(elsewhere.host()) ? elsewhere.path() : full.substring(slash + 1);
            } catch (ImageException e) {
                throw new ImageException(
                        ImageException.Kind.NOT_FOUND,
                        "the image table sends it to '" + full + "', which is no repository");
            }
        }
        if (host.equals("docker.io")) {
            host = "registry-1.docker.io";
        }
        return new Repository(host, path, schemes(host, origin.plainHttp()));
    }

    /**
     * A star in the place stands for what the pattern's star matched. A place with a path gets that appended, or is the
     * repository itself where the pattern ends without a star. A place without a path is another host for the same path.
     */
    private static String full(String place, Reference reference, String pattern) {
        String clean = place.endsWith("/") ? place.substring(0, place.length() - 1) : place;
        String star = new NamePattern(pattern).star(reference);
        String matched = star == null ? "" : star;
        if (clean.indexOf('*') >= 0) {
            return clean.replace("*", matched);
        }
        if (clean.indexOf('/') < 0) {
            return clean + "/" + reference.path();
        }
        return pattern.endsWith("*") && !pattern.endsWith(":*") && !matched.isEmpty() ? clean + "/" + matched : clean;
    }

    private static java.util.List<String> schemes(String host, boolean plainHttp) {
        if (plainHttp) {
            return java.util.List.of("http");
        }
        return isLoopback(host) ? java.util.List.of("https", "http") : java.util.List.of("https");
    }

    /** Whether a host is this machine, where nobody listens in between. */
    static boolean isLoopback(String hostAndPort) {
        String host = hostAndPort.startsWith("[")
                ? hostAndPort.substring(0, hostAndPort.indexOf(']') + 1)
                : hostAndPort.replaceFirst(":[0-9]+$", "");
        return host.toLowerCase(Locale.ROOT).equals("localhost")
                || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}")
                || host.equals("[::1]");
    }

    @Override
    public String toString() {
        return host + "/" + path;
    }
}
