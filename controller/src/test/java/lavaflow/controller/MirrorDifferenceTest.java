package lavaflow.controller;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MirrorDifferenceTest {
    private static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");

    private final TestingKubeApi api = new TestingKubeApi().serve(MAPS, "ConfigMap");
    private final Followers followers = new Followers(api);
    private final List<String> told = new ArrayList<>();
    /** Keeps a colour; what has none is not kept. */
    private final Mirror<String> colours = new Mirror<String>(
                    followers,
                    MAPS,
                    map -> map.path("data").has("colour") ? Json.textAt(map, "data", "colour") : null,
                    List::of)
            .whenDifferent((before, after) -> told.add(before + " to " + after));

    @BeforeEach
    void start() {
        followers.pump();
    }

    private static void paint(ObjectNode map, String colour) {
        Json.ensureObject(map, "data").put("colour", colour);
    }

    private void create(String colour) {
        ObjectNode map = Json.object();
        map.putObject("metadata").put("name", "m");
        paint(map, colour);
        api.create(MAPS, "team", map);
        followers.pump();
    }

    private void edit(java.util.function.Consumer<ObjectNode> change) {
        api.edit(MAPS, "team", "m", map -> {
            change.accept(map);
            return map;
        });
        followers.pump();
    }

    @Test
    void onlyADifferentValueIsTold() {
        create("red");
        edit(map -> Json.ensureObject(map, "data").put("size", "large"));
        edit(map -> paint(map, "blue"));
        api.delete(MAPS, "team", "m", KubeApi.Deletion.PLAIN);
        followers.pump();

        assertThat(told).containsExactly("null to red", "red to blue", "blue to null");
    }

    @Test
    void whatHasNoValueIsNotKept() {
        create("red");
        edit(map -> Json.ensureObject(map, "data").remove("colour"));

        assertThat(told).containsExactly("null to red", "red to null");
        assertThat(colours.all()).isEmpty();
    }

    @Test
    void whatWentUnseenIsToldAfterTheNextList() {
        create("red");
        api.delete(MAPS, "team", "m", KubeApi.Deletion.PLAIN);
        api.compact();
        followers.pump();
        followers.pump();

        assertThat(told).containsExactly("null to red", "red to null");
    }

    @Test
    void anotherObjectOfTheSameNameIsToldEvenIfItLooksTheSame() {
        create("red");
        api.delete(MAPS, "team", "m", KubeApi.Deletion.PLAIN);
        api.compact();
        create("red");
        followers.pump();

        assertThat(told).containsExactly("null to red", "red to null", "null to red");
        assertThat(colours.all()).containsExactly("red");
    }
}
