package lavaflow.kubelet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import lavaflow.image.Credential;
import lavaflow.image.Image;
import lavaflow.image.ImageConfig;
import lavaflow.image.ImageEntry;
import lavaflow.image.ImageException;
import lavaflow.image.Images;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Has one image, which must be pulled first, perhaps with a password. */
final class TestingImages implements Images {
    final List<String> asked = new ArrayList<>();
    Image.Source source = new Image.Layers(List.of());
    boolean present;
    /** The password that opens it; empty for none. */
    String opener = "";

    /** A pull secret as the API has it. */
    static ObjectNode secret(String name, String password) {
        ObjectNode secret = Json.object();
        secret.putObject("metadata").put("name", name).put("namespace", "team");
        ObjectNode config = Json.object();
        config.putObject("auths")
                .putObject("registry.example")
                .put("username", "u")
                .put("password", password);
        String text = Base64.getEncoder().encodeToString(config.toString().getBytes(StandardCharsets.UTF_8));
        secret.putObject("data").put(".dockerconfigjson", text);
        return secret;
    }

    private boolean isOpen(List<Credential> credentials) {
        return opener.isEmpty()
                || credentials.stream()
                        .anyMatch(credential -> credential.password().equals(opener));
    }

    @Override
    public Optional<Image> find(String reference) {
        return present ? Optional.of(image(reference)) : Optional.empty();
    }

    @Override
    public Optional<Image> findFor(String reference, Supplier<List<Credential>> credentials) {
        return find(reference).filter(_ -> opener.isEmpty() || isOpen(credentials.get()));
    }

    private Image image(String reference) {
        return new Image("sha256:1", reference, null, source, ImageConfig.EMPTY, 1);
    }

    @Override
    public Image pull(String reference, List<Credential> credentials, Consumer<String> progress) throws ImageException {
        asked.add(reference);
        if (reference.equals("missing")) {
            throw new ImageException(ImageException.Kind.NOT_FOUND, "there is none");
        }
        if (!isOpen(credentials)) {
            throw new ImageException(ImageException.Kind.DENIED, "pull access denied");
        }
        present = true;
        return image(reference);
    }

    @Override
    public List<Image> list() {
        return List.of();
    }

    @Override
    public List<ImageEntry> entries() {
        return List.of();
    }

    @Override
    public void remove(String id) {}

    @Override
    public long collect(Set<String> inUse, long bytes) {
        return 0;
    }

    @Override
    public void used(String id) {}

    @Override
    public void close() {}
}
