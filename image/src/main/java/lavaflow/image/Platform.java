package lavaflow.image;

import java.util.Locale;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** What a program was compiled for. */
record Platform(String os, String architecture, String variant) {
    static Platform own() {
        String name = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return switch (name) {
            case "amd64", "x86_64" -> new Platform("linux", "amd64", "");
            case "aarch64", "arm64" -> new Platform("linux", "arm64", "v8");
            default -> new Platform("linux", name, "");
        };
    }

    static Platform parse(@Nullable JsonNode node) {
        return new Platform(Json.textAt(node, "os"), Json.textAt(node, "architecture"), Json.textAt(node, "variant"));
    }

    /** How well something for another platform runs on this one: 0 not at all, more is better. */
    int suits(Platform offered) {
        if (!os.equals(offered.os) || !architecture.equals(offered.architecture)) {
            return 0;
        }
        if (variant.equals(offered.variant)) {
            return 3;
        }
        // amd64/v2 and later may use instructions this processor lacks; plain ones run everywhere
        return offered.variant.isEmpty() || (architecture.equals("arm64") && offered.variant.equals("v8")) ? 2 : 0;
    }

    @Override
    public String toString() {
        return os + "/" + architecture + (variant.isEmpty() ? "" : "/" + variant);
    }
}
