package lavaflow.kube;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Decodes upstream's example of every kind in protobuf and YAML and compares it with the same example in JSON.
 *
 * <p>{@code tools/types/generate --examples} prints the directory. Kinds of versions that are not served are skipped
 * unless {@code lavaflow.decoding.types} names a file with all versions ({@code tools/types/generate --all}).
 */
@EnabledIfSystemProperty(named = "lavaflow.decoding.examples", matches = ".+")
class UpstreamExamplesTest {
    private final BuiltinTypes types;

    UpstreamExamplesTest() throws IOException {
        String all = System.getProperty("lavaflow.decoding.types", "");
        types = all.isEmpty() ? BuiltinTypes.instance() : new BuiltinTypes(Files.readString(Path.of(all)));
    }

    @Test
    void everyExampleEqualsItsJsonForm() throws IOException, DecodingException {
        List<String> different = new ArrayList<>();
        List<String> skipped = new ArrayList<>();
        int equal = 0;
        for (Path file : examples(".pb")) {
            ProtobufDecoder.Envelope envelope = ProtobufDecoder.envelope(Files.readAllBytes(file));
            GroupVersionKind kind = GroupVersionKind.of(envelope.apiVersion(), envelope.kind());
            String struct = types.kinds().struct(kind.group(), kind.version(), kind.kind());
            String name = file.getFileName().toString();
            if (struct == null) {
                skipped.add(name);
                continue;
            }
            ObjectNode decoded = ProtobufDecoder.decode(types, struct, envelope);
            Path json = file.resolveSibling(name.replaceAll("pb$", "json"));
            if (decoded.equals(Json.parse(Files.readAllBytes(json)))) {
                equal++;
            } else {
                different.add(name + "\n  " + decoded + "\n  " + Json.parse(Files.readAllBytes(json)));
            }
        }
        assertThat(different).as("%s equal, skipped %s", equal, skipped).isEmpty();
        assertThat(equal).isPositive();
    }

    @Test
    void everyExampleInYamlEqualsItsJsonForm() throws IOException, DecodingException {
        for (Path file : examples(".yaml")) {
            Path json = file.resolveSibling(file.getFileName().toString().replaceAll("yaml$", "json"));
            assertThat(Yaml.parse(Files.readAllBytes(file)).root())
                    .as("%s", file)
                    .isEqualTo(Json.parse(Files.readAllBytes(json)));
        }
    }

    private static List<Path> examples(String ending) throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("lavaflow.decoding.examples")))) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }
}
