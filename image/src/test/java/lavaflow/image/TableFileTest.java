package lavaflow.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TableFileTest {
    @TempDir
    Path home;

    private static ObjectNode rule(String pattern, String registry) {
        return Json.object().put("image", pattern).put("registry", registry);
    }

    private Path file() {
        return home.resolve("images.yaml");
    }

    @Test
    void theNewestRuleComesFirst() throws Exception {
        TableFile table = new TableFile(file());
        table.put(rule("a/*", "one.example/x"));
        table.put(rule("b/*", "two.example/x"));
        assertThat(new ImageTable(file()).rules())
                .extracting(ImageRule::pattern)
                .startsWith("b/*", "a/*", "host");
        assertThat(file()).content().startsWith("# Where images come from");
    }

    @Test
    void aRuleForTheSamePatternIsReplacedAndTheRestStays() throws Exception {
        Files.writeString(file(), """
                # mine
                images:
                  # the first
                  - image: a
                    host:
                      command: [x]

                  # the second
                  - {image: b, host: true}
                """);
        new TableFile(file()).put(rule("a", "r.example/a"));
        assertThat(file()).hasContent("""
                        # mine
                        images:
                          # the first

                          # the second
                          - {"image":"a","registry":"r.example/a"}
                          - {image: b, host: true}
                        """);
        assertThat(new TableFile(file()).remove("b")).isTrue();
        assertThat(new TableFile(file()).remove("b")).isFalse();
        assertThat(new ImageTable(file()).rules())
                .extracting(ImageRule::pattern)
                .startsWith("a", "host");
    }

    @Test
    void aWrongRuleOrAWrongFileChangesNothing() throws IOException {
        Files.writeString(file(), "[{image: a, host: true}]\n");
        assertThatThrownBy(() -> new TableFile(file()).put(rule("b", "r"))).hasMessageContaining("with an editor");
        Files.writeString(file(), "- {image: a, host: true}\n");
        assertThatThrownBy(() -> new TableFile(file()).put(Json.object().put("image", "b")))
                .hasMessageContaining("exactly one of");
        assertThat(file()).hasContent("- {image: a, host: true}");
    }
}
