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
 * Decodes upstream's example of every kind and compares it with the same example in JSON.
 *
 * <p>{@code tools/types/generate --examples} prints the directory. Kinds of versions that are not served are skipped
 * unless {@code lavaflow.decoding.types} names a file with all versions ({@code tools/types/generate --all}).
 */
@EnabledIfSystemProperty(named = "lavaflow.decoding.examples", matches = ".+")
class ProtobufExamplesTest {
    private final BuiltinTypes types;

    ProtobufExamplesTest() throws IOException {
        String all = System.getProperty("lavaflow.decoding.types", "");
        types = all.isEmpty() ? BuiltinTypes.instance() : new BuiltinTypes(Files.readString(Path.of(all)));
    }

    @Test
    void everyExampleEqualsItsJsonForm() throws IOException, DecodingException {
        List<String> different = new ArrayList<>();
        List<String> skipped = new ArrayList<>();
        int equal = 0;
        for (Path file : examples()) {
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
        assertThat(equal).isGreaterThanOrEqualTo(89);
        Files.writeString(
                Path.of("target", "protobuf-examples.txt"), equal + " equal, " + skipped.size() + " skipped\n");
    }

    private static List<Path> examples() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("lavaflow.decoding.examples")))) {
            return files.filter(file -> file.toString().endsWith(".pb"))
                    .sorted()
                    .toList();
        }
    }
}
