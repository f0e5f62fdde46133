package lavaflow.image;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an image: how to run it, and what its layers unpack to.
 *
 * @param id its digest, which is the id of the image
 * @param diffIds digests of the unpacked layers, the lowest first
 */
record ConfigFile(String id, ImageConfig config, List<String> diffIds, Platform platform) {
    static final int LIMIT = 8 << 20;

    static ConfigFile parse(byte[] bytes) throws ImageException {
        JsonNode root;
        try {
            root = Json.parseUntrusted(bytes);
        } catch (JsonProcessingException e) {
            throw new ImageException(ImageException.Kind.DAMAGED, "the configuration of the image is no JSON", e);
        }
        List<String> diffIds = new ArrayList<>();
        for (String digest : texts(root.at("/rootfs/diff_ids"))) {
            diffIds.add(Digest.checked(digest));
        }
        if (!root.path("rootfs").has("diff_ids")) {
            throw new ImageException(
                    ImageException.Kind.DAMAGED, "this is no image to run: its configuration names no layers");
        }
        JsonNode run = root.path("config");
        List<String> volumes = new ArrayList<>();
        run.path("Volumes").fieldNames().forEachRemaining(volumes::add);
        String stop = Json.textAt(run, "StopSignal");
        ImageConfig config = new ImageConfig(
                texts(run.path("Entrypoint")),
                texts(run.path("Cmd")),
                texts(run.path("Env")),
                Json.textAt(run, "User"),
                Json.textAt(run, "WorkingDir"),
                List.copyOf(volumes),
                stop.isEmpty() ? null : stop);
        return new ConfigFile(Digest.of(bytes), config, List.copyOf(diffIds), Platform.parse(root));
    }

    static List<String> texts(@Nullable JsonNode list) {
        List<String> texts = new ArrayList<>();
        if (list != null && list.isArray()) {
            list.forEach(item -> texts.add(item.asText()));
        }
        return List.copyOf(texts);
    }

    /** Refuses what would only say "exec format error" later. */
    ConfigFile checkedFor(Platform own) throws ImageException {
        boolean told = !platform.architecture().isEmpty();
        if (told && (!platform.os().equals(own.os()) || !platform.architecture().equals(own.architecture()))) {
            throw new ImageException(
                    ImageException.Kind.NOT_FOUND, "the image is for " + platform + "; this machine is " + own);
        }
        return this;
    }
}
