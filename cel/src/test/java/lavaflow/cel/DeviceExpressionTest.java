package lavaflow.cel;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What selectors of devices see, and what is told when they fail. */
class DeviceExpressionTest {
    private static final String DRIVER = "gpu.example.com";
    private static final JsonNode DEVICE = Json.parse("""
            {"name": "gpu-0",
             "attributes": {
               "model": {"string": "a100"},
               "index": {"int": 3},
               "healthy": {"bool": true},
               "firmware": {"version": "1.4.2"},
               "numa.example.com/node": {"int": 1}},
             "capacity": {"memory": {"value": "40Gi"}, "other.example.com/lanes": {"value": "16"}},
             "allowMultipleAllocations": true}""");

    private static boolean selects(String source, JsonNode device) throws DeviceExpression.Failure {
        return DeviceExpression.of(source).selects(DeviceValue.of(DRIVER, device));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "device.driver == 'gpu.example.com' | true",
                "device.driver == 'nic.example.com' | false",
                "device.attributes['gpu.example.com'].model == 'a100' | true",
                "device.attributes['gpu.example.com']['index'] >= 3 | true",
                "device.attributes['gpu.example.com'].healthy | true",
                "device.attributes['numa.example.com'].node == 1 | true",
                "device.attributes['gpu.example.com'].firmware.isGreaterThan(semver('1.4.0')) | true",
                "device.attributes['gpu.example.com'].firmware.compareTo(semver('1.5.0')) >= 0 | false",
                "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) == 0 | true",
                "device.capacity['other.example.com'].lanes.isLessThan(quantity('8')) | false",
                "'gpu.example.com' in device.attributes | true",
                "'nobody.example.com' in device.attributes | false",
                "'memory' in device.capacity['nobody.example.com'] | false",
                "'model' in device.attributes['gpu.example.com'] | true",
                "cel.bind(gpu, device.attributes['gpu.example.com'], gpu.healthy && gpu.index == 3) | true",
                "device.attributes.exists(domain, domain == 'numa.example.com') | true",
                "device.allowMultipleAllocations | true",
                "device.attributes['gpu.example.com'].model.startsWith('a') | true",
            })
    void seesWhatTheDeviceSays(String source, boolean selected) throws DeviceExpression.Failure {
        assertThat(selects(source, DEVICE)).isEqualTo(selected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "device.attributes['gpu.example.com'].colour == 'red' | no such key: colour",
                "device.attributes['nobody.example.com'].colour == 'red' | no such key: colour",
                "device.capacity['nobody.example.com'].memory.isInteger() | no such key: memory",
                "device.attributes['gpu.example.com'].model | CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'",
                "device.attributes['gpu.example.com'].index | CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool",
            })
    void tellsWhatWentWrong(String source, String message) {
        assertThatThrownBy(() -> selects(source, DEVICE))
                .isInstanceOf(DeviceExpression.Failure.class)
                .hasMessage(message);
    }

    @Test
    void costsAreBounded() {
        String list = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
        String source = list + ".all(a, " + list + ".all(b, " + list + ".all(c, " + list + ".all(d, " + list
                + ".all(e, " + list + ".all(f, a + b + c + d + e + f > 0))))))";
        assertThatThrownBy(() -> selects(source, DEVICE)).hasMessageContaining("actual cost limit exceeded");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "1 | must evaluate to bool or the unknown type, not int",
                "device.driver | must evaluate to bool or the unknown type, not string",
            })
    void onlyAnswersOfYesOrNoSelect(String source, String problem) {
        assertThat(DeviceExpression.of(source).problem()).isEqualTo(problem);
    }

    @Test
    void mistakesAreFoundBeforeAnyDeviceIsSeen() {
        assertThat(DeviceExpression.of("?!").problem())
                .startsWith("compilation failed: ")
                .contains("Syntax error");
        assertThat(DeviceExpression.of("device.colour == 'red'").problem()).contains("undefined field 'colour'");
        assertThatThrownBy(() -> selects("?!", DEVICE)).hasMessageStartingWith("compilation failed: ");
        assertThat(DeviceExpression.of("true").problem()).isNull();
    }

    @Test
    void attributesOfKindsNobodyKnowsAreAnError() {
        JsonNode strange = Json.parse("{\"attributes\": {\"names\": {\"strings\": [\"a\"]}}}");
        assertThatThrownBy(() -> selects("true", strange)).hasMessage("attribute names: unsupported attribute value");
        JsonNode odd = Json.parse("{\"attributes\": {\"v\": {\"version\": \"1\"}}}");
        assertThatThrownBy(() -> selects("true", odd)).hasMessageStartingWith("attribute v: parse semantic version: ");
    }

    @Test
    void devicesWithoutAnythingHaveADriver() throws DeviceExpression.Failure {
        assertThat(selects("device.driver == 'gpu.example.com' && !device.allowMultipleAllocations", Json.object()))
                .isTrue();
    }
}
