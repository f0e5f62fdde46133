package lavaflow.image;

/**
 * A name and a secret for registries whose host and path begin in a certain way; never printed.
 *
 * @param source which object of the cluster it came from, so that it is known again when its content changes; empty for none
 */
public record Credential(String prefix, String user, String password, String token, String source) {
    /** From nowhere in particular. */
    public Credential(String prefix, String user, String password, String token) {
        this(prefix, user, password, token, "");
    }

    /** The same, with where it came from. */
    public Credential from(String newSource) {
        return new Credential(prefix, user, password, token, newSource);
    }

    /** Says nothing about who asks. */
    boolean isAnonymous() {
        return user.isEmpty() && password.isEmpty() && token.isEmpty();
    }

    @Override
    public String toString() {
        return "credential for " + prefix;
    }
}
