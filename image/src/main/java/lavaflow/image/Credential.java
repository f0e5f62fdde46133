package lavaflow.image;

/** A name and a secret for registries whose host and path begin in a certain way; never printed. */
public record Credential(String prefix, String user, String password, String token) {
    @Override
    public String toString() {
        return "credential for " + prefix;
    }
}
