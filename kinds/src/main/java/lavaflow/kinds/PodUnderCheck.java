package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import org.jspecify.annotations.Nullable;

/** A pod whose security is checked, what was found, and the words it is told in. */
final class PodUnderCheck {
    final @Nullable JsonNode metadata;
    final JsonNode spec;
    private final List<JsonNode> containers = new ArrayList<>();
    private final List<PodSecurityChecks.Violation> violations = new ArrayList<>();

    PodUnderCheck(@Nullable JsonNode metadata, JsonNode spec) {
        this.metadata = metadata;
        this.spec = spec;
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            Json.listAt(spec, list).forEach(containers::add);
        }
    }

    List<PodSecurityChecks.Violation> violations() {
        return violations;
    }

    void report(String reason, String detail) {
        violations.add(new PodSecurityChecks.Violation(reason, detail));
    }

    boolean hasOwnUsers() {
        return Json.at(spec, "hostUsers") instanceof BooleanNode host && !host.booleanValue();
    }

    boolean isWindows() {
        return Json.textAt(spec, "os", "name").equals("windows");
    }

    /** The containers of which something holds. */
    List<String> namesOf(Predicate<JsonNode> bad) {
        return containers.stream()
                .filter(bad)
                .map(container -> Json.textAt(container, "name"))
                .toList();
    }

    static String quoted(Iterable<String> names) {
        List<String> all = new ArrayList<>();
        names.forEach(name -> all.add("\"" + name + "\""));
        return String.join(", ", all);
    }

    static String several(String one, String many, int count) {
        return count == 1 ? one : many;
    }

    static String containers(List<String> names) {
        return several("container", "containers", names.size()) + " " + quoted(names);
    }

    /** Who sets something: the pod, containers, or both. */
    static String setters(boolean pod, List<String> names) {
        List<String> all = new ArrayList<>();
        if (pod) {
            all.add("pod");
        }
        if (!names.isEmpty()) {
            all.add(containers(names));
        }
        return String.join(" and ", all);
    }
}
