package lavaflow.placement;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static lavaflow.placement.TestingDevices.device;
import static lavaflow.placement.TestingDevices.object;
import static lavaflow.placement.TestingDevices.pod;
import static org.assertj.core.api.Assertions.assertThat;

/** Which devices claims get on a node. */
class DeviceSearchTest {
    private static final String NONE = "cannot allocate all claims";
    private static final String NEW = "device.attributes[`gpu.example.com`].model == `new`";

    private final TestingDevices devices =
            new TestingDevices().node("n1").node("n2").type("gpu");

    private TestingDevices twoModels() {
        return devices.slice(
                "n1",
                device("a", "model", "old", "numa", 0),
                device("b", "model", "new", "numa", 0),
                device("c", "model", "new", "numa", 1),
                device("d", "model", "new", "numa", 1));
    }

    /** A request for one device. */
    private static String one(String name, String... more) {
        String also = more.length == 0 ? "" : ", " + String.join(", ", more);
        return "{'name': '%s', 'exactly': {'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 1%s}}"
                .formatted(name, also);
    }

    private static String all(String name, String... more) {
        return one(name, more).replace("'ExactCount', 'count': 1", "'All'");
    }

    private static String requests(String... requests) {
        return "{'requests': [" + String.join(", ", requests) + "]}";
    }

    /** Backticks are quotes in expressions here. */
    private static String where(String... expressions) {
        StringBuilder list = new StringBuilder();
        for (String each : expressions) {
            list.append(list.isEmpty() ? "" : ",")
                    .append("{'cel': {'expression': '")
                    .append(each.replace("`", "\\u0027"))
                    .append("'}}");
        }
        return "'selectors': [" + list + "]";
    }

    @Test
    void devicesAreTriedInTheirOrder() {
        twoModels().claim("c", "gpu", 2);
        assertThat(devices.offer("n1", "c")).isEqualTo("r=a r=b");
        assertThat(devices.offer("n2", "c")).isEqualTo(NONE);
    }

    @Test
    void selectorsOfClassAndRequestBothCount() {
        twoModels().type("gpu", NEW.replace('`', '"'));
        devices.claim("c", requests(one("r", where("device.attributes[`gpu.example.com`].numa == 1"))));
        assertThat(devices.offer("n1", "c")).isEqualTo("r=c");
    }

    @Test
    void whatIsWrongWithASelectorIsToldWithItsOwner() {
        twoModels()
                .type("odd", "device.attributes['gpu.example.com'].colour == 'red'")
                .claim("c", "odd", 1);
        assertThat(devices.offer("n1", "c"))
                .isEqualTo("class odd: selector #0: CEL runtime error: no such key: colour");
        devices.claim("e", requests(one("r", where("true", "1"))));
        assertThat(devices.offer("n1", "e"))
                .isEqualTo("claim default/e: selector #1: CEL compile error:"
                        + " must evaluate to bool or the unknown type, not int");
    }

    @Test
    void constraintsHoldAmongAllRequestsTheyName() {
        twoModels()
                .claim(
                        "same",
                        requests(one("x", where(NEW)), one("y", where(NEW)))
                                .replace(
                                        "]}}]}", "]}}], 'constraints': [{'matchAttribute': 'gpu.example.com/numa'}]}"));
        assertThat(devices.offer("n1", "same")).isEqualTo("x=c y=d");
        devices.claim("apart", constrained("'distinctAttribute': 'gpu.example.com/numa'"));
        assertThat(devices.offer("n1", "apart")).isEqualTo("x=a y=c");
        devices.claim("unknown", constrained("'matchAttribute': 'gpu.example.com/colour'"));
        assertThat(devices.offer("n1", "unknown")).isEqualTo(NONE);
        devices.claim("others", constrained("'requests': ['x'], 'distinctAttribute': 'gpu.example.com/numa'"));
        assertThat(devices.offer("n1", "others")).isEqualTo("x=a y=b");
    }

    private static String constrained(String constraint) {
        return "{'requests': [" + one("x") + "," + one("y") + "], 'constraints': [{" + constraint + "}]}";
    }

    @Test
    void theFirstAlternativeThatIsThereCounts() {
        twoModels()
                .claim(
                        "c",
                        "{'requests': [{'name': 'r', 'firstAvailable': ["
                                + "{'name': 'five', 'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 5},"
                                + "{'name': 'three', 'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 3}]}]}");
        assertThat(devices.offer("n1", "c")).isEqualTo("r/three=a r/three=b r/three=c");
    }

    @Test
    void earlierAlternativesMakeNodesBetter() {
        devices.slice("n1", device("a")).slice("n2", device("a"), device("b"));
        devices.claim(
                "c",
                "{'requests': [{'name': 'r', 'firstAvailable': ["
                        + "{'name': 'two', 'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 2},"
                        + "{'name': 'one', 'deviceClassName': 'gpu', 'allocationMode': 'ExactCount', 'count': 1}]}]}");
        assertThat(devices.place(pod("p", "c"))).isEqualTo("n2");
    }

    @Test
    void allMeansAllThatAreSelected() {
        twoModels().claim("c", requests(all("r", where(NEW))));
        assertThat(devices.offer("n1", "c")).isEqualTo("r=b r=c r=d");
        devices.claim("one", requests(one("r", where(NEW))));
        assertThat(devices.place(pod("p", "one"))).isEqualTo("n1");
        assertThat(devices.offer("n1", "c")).isEqualTo(NONE);
        devices.claim("nothing", requests(all("r", where("false"))));
        assertThat(devices.offer("n1", "nothing")).isEqualTo(NONE);
    }

    @Test
    void laterRequestsMakeEarlierOnesChooseAgain() {
        twoModels().claim("c", requests(one("any"), one("old", where("!(" + NEW + ")"))));
        assertThat(devices.offer("n1", "c")).isEqualTo("any=b old=a");
    }

    @Test
    void onlyWholePoolsOfTheNewestGenerationCount() {
        devices.claim("c", "gpu", 1).claim("all", requests(all("r")));
        devices.slice("s1", "p", 1, 2, "'nodeName': 'n1'", device("a"));
        assertThat(devices.offer("n1", "c")).isEqualTo(NONE);
        assertThat(devices.offer("n1", "all"))
                .isEqualTo("claim default/all, request r: asks for all devices,"
                        + " but resource pool gpu.example.com/p is currently being updated");
        devices.slice("s2", "p", 1, 2, "'nodeName': 'n1'", device("b"));
        assertThat(devices.offer("n1", "c")).isEqualTo("r=a");
        devices.slice("s3", "p", 2, 1, "'nodeName': 'n1'", device("z"));
        assertThat(devices.offer("n1", "c")).isEqualTo("r=z");
        devices.state.devices().putSlice("s3", null);
        assertThat(devices.offer("n1", "c")).isEqualTo("r=a");
    }

    @Test
    void poolsWithTheSameDeviceTwiceAreOfNoUse() {
        devices.slice("s1", "p", 1, 2, "'nodeName': 'n1'", device("a"))
                .slice("s2", "p", 1, 2, "'nodeName': 'n1'", device("a"))
                .claim("c", "gpu", 1);
        assertThat(devices.offer("n1", "c")).isEqualTo("invalid resource pools were encountered");
    }

    @Test
    void slicesSayWhichNodesReachThem() {
        String east = "'nodeSelector': {'nodeSelectorTerms': [{'matchExpressions':"
                + " [{'key': 'zone', 'operator': 'In', 'values': ['east']}]}]}";
        devices.node("east", "zone", "east").claim("c", "gpu", 1).slice("s1", "p", 1, 1, east, device("a"));
        assertThat(devices.offer("n1", "c")).isEqualTo(NONE);
        assertThat(devices.offer("east", "c")).isEqualTo("r=a");
        assertThat(devices.given("east", "c").get("nodeSelector"))
                .isEqualTo(object("{" + east + "}").get("nodeSelector"));
        devices.slice("s2", "q", 1, 1, "'allNodes': true", device("z"));
        assertThat(devices.offer("n1", "c")).isEqualTo("r=z");
        assertThat(devices.given("n1", "c").has("nodeSelector")).isFalse();
        devices.slice(
                "s3",
                "o",
                1,
                1,
                "'perDeviceNodeSelection': true",
                "{'name': 'x', 'nodeName': 'n2'}",
                "{'name': 'y', 'nodeName': 'n1'}");
        assertThat(devices.offer("n1", "c")).isEqualTo("r=y");
        assertThat(devices.offer("n2", "c")).isEqualTo("r=x");
        assertThat(devices.given("n2", "c").get("nodeSelector"))
                .isEqualTo(object("{'nodeSelectorTerms': [{'matchFields':"
                        + " [{'key': 'metadata.name', 'operator': 'In', 'values': ['n2']}]}]}"));
    }

    @Test
    void taintsKeepOffWhoDoesNotTolerateThem() {
        devices.slice(
                "n1",
                "{'name': 'sick', 'taints': [{'key': 'health', 'value': 'bad', 'effect': 'NoSchedule'}]}",
                "{'name': 'odd', 'taints': [{'key': 'odd', 'effect': 'None'}]}");
        devices.claim("c", requests(one("r")));
        assertThat(devices.offer("n1", "c")).isEqualTo("r=odd");
        devices.claim(
                "e", requests(one("r", "'tolerations': [{'key': 'health', 'operator': 'Equal', 'value': 'bad'}]")));
        assertThat(devices.offer("n1", "e")).isEqualTo("r=sick");
        JsonNode result =
                Json.listAt(devices.given("n1", "e"), "devices", "results").get(0);
        assertThat(Json.textAt(Json.listAt(result, "tolerations").get(0), "key"))
                .isEqualTo("health");
        devices.claim(
                "f", requests(one("r", "'tolerations': [{'key': 'health', 'operator': 'Equal', 'value': 'good'}]")));
        assertThat(devices.offer("n1", "f")).isEqualTo("r=odd");
        devices.claim("g", requests(one("r", "'tolerations': [{'operator': 'Exists', 'effect': 'NoExecute'}]")));
        assertThat(devices.offer("n1", "g")).isEqualTo("r=odd");
    }

    private static String part(String name, String memory) {
        return "{'name': '%s', 'consumesCounters': [{'counterSet': 'gpu-0', 'counters': {'memory': {'value': '%s'}}}]}"
                .formatted(name, memory);
    }

    @Test
    void partsOfADeviceShareItsCounters() {
        String counters = "'sharedCounters': [{'name': 'gpu-0', 'counters': {'memory': {'value': '40Gi'}}}]";
        devices.slice("counters", "p", 1, 2, "'nodeName': 'n1', " + counters)
                .slice(
                        "parts",
                        "p",
                        1,
                        2,
                        "'nodeName': 'n1'",
                        part("half-0", "20Gi"),
                        part("half-1", "20Gi"),
                        part("quarter-0", "10Gi"),
                        part("whole", "40Gi"));
        devices.claim("three", "gpu", 3)
                .claim("two", "gpu", 2)
                .claim("one", "gpu", 1)
                .claim("another", "gpu", 1);
        assertThat(devices.offer("n1", "two")).isEqualTo("r=half-0 r=half-1");
        assertThat(devices.offer("n1", "three")).isEqualTo(NONE);
        assertThat(devices.place(pod("p", "one"))).isEqualTo("n1");
        assertThat(devices.offer("n1", "two")).isEqualTo(NONE);
        assertThat(devices.offer("n1", "another")).isEqualTo("r=half-1");
    }

    @Test
    void countersThatNobodyDeclaresMakeAPoolUseless() {
        devices.slice("n1", part("half-0", "20Gi")).claim("c", "gpu", 1);
        assertThat(devices.offer("n1", "c")).isEqualTo("invalid resource pools were encountered");
    }

    @Test
    void whoLooksAfterDevicesTakesThemFromNobody() {
        devices.slice("n1", device("a")).claim("c", "gpu", 1).claim("e", "gpu", 1);
        devices.claim("admin", requests(one("r", "'adminAccess': true")));
        assertThat(devices.place(pod("p", "c"))).isEqualTo("n1");
        assertThat(devices.offer("n1", "admin")).isEqualTo("r=a");
        assertThat(devices.place(pod("q", "admin"))).isEqualTo("n1");
        assertThat(devices.offer("n1", "e")).isEqualTo(NONE);
        devices.state.forget("uid-p");
        assertThat(devices.offer("n1", "e")).isEqualTo("r=a");
    }

    @Test
    void severalClaimsOfAPodGetDifferentDevices() {
        devices.slice("n1", device("a"), device("b"));
        devices.claim("c", "gpu", 1).claim("e", "gpu", 1).claim("f", "gpu", 1);
        assertThat(devices.offer("n1", "c", "e")).isEqualTo("r=a r=b");
        assertThat(devices.offer("n1", "c", "e", "f")).isEqualTo(NONE);
    }

    private static String bandwidth(String name, String amount) {
        return requests(one("r", "'capacity': {'requests': {'" + name + "': '" + amount + "'}}"));
    }

    @Test
    void capacityIsGivenInPortions() {
        devices.slice(
                "n1",
                "{'name': 'nic', 'allowMultipleAllocations': true, 'capacity': {'bandwidth': {'value': '10',"
                        + " 'requestPolicy': {'default': '1', 'validRange': {'min': '1', 'step': '2', 'max': '9'}}}}}");
        devices.claim("four", bandwidth("bandwidth", "4")).claim("six", bandwidth("bandwidth", "6"));
        devices.claim("lanes", bandwidth("lanes", "6")).claim("usual", requests(one("r")));
        JsonNode result =
                Json.listAt(devices.given("n1", "four"), "devices", "results").get(0);
        assertThat(Json.textAt(result, "consumedCapacity", "bandwidth")).isEqualTo("5");
        assertThat(Json.textAt(result, "shareID")).isNotEmpty();
        assertThat(devices.place(pod("p", "four"))).isEqualTo("n1");
        assertThat(devices.offer("n1", "six")).isEqualTo(NONE);
        assertThat(devices.offer("n1", "usual")).isEqualTo("r=nic");
        assertThat(devices.offer("n1", "lanes")).isEqualTo(NONE);
        devices.state.forget("uid-p");
        assertThat(devices.offer("n1", "six")).isEqualTo("r=nic");
    }

    @Test
    void parametersOfClassAndClaimAreGathered() {
        devices.slice("n1", device("a"), device("b"));
        devices.type(
                object(
                        "{'metadata': {'name': 'gpu'}, 'spec': {'config': [{'opaque': {'driver': 'd', 'parameters': {'of': 'class'}}}]}}"));
        devices.claim(
                "c",
                "{'requests': [" + one("x") + "," + one("y")
                        + "], 'config': [{'requests': ['y'], 'opaque': {'driver': 'd', 'parameters': {'of': 'y'}}},"
                        + " {'opaque': {'driver': 'd', 'parameters': {'of': 'all'}}},"
                        + " {'requests': ['nobody'], 'opaque': {'driver': 'd', 'parameters': {}}}]}");
        assertThat(Json.listAt(devices.given("n1", "c"), "devices", "config")).isEqualTo(Json.parse("""
                [{"source": "FromClass", "requests": ["x", "y"], "opaque": {"driver": "d", "parameters": {"of": "class"}}},
                 {"source": "FromClaim", "requests": ["y"], "opaque": {"driver": "d", "parameters": {"of": "y"}}},
                 {"source": "FromClaim", "opaque": {"driver": "d", "parameters": {"of": "all"}}}]"""));
    }

    @Test
    void claimsAreLimited() {
        devices.slice("n1", device("a")).claim("c", "gpu", 33);
        assertThat(devices.offer("n1", "c"))
                .isEqualTo("claim default/c: number of requested devices 33 exceeds the claim limit of 32");
    }

    @Test
    void longSearchesEnd() {
        String[] many = new String[40];
        String[] requests = new String[13];
        for (int i = 0; i < many.length; i++) {
            many[i] = device("d" + (100 + i));
        }
        for (int i = 0; i < 12; i++) {
            requests[i] = one("r" + i);
        }
        requests[12] = one("last", where("false"));
        devices.slice("n1", many).claim("c", requests(requests));
        assertThat(devices.offer("n1", "c")).isEqualTo("node n1: timed out trying to allocate devices");
    }

    @Test
    void poolsWithDevicesThatHaveToBeAwaitedComeLast() {
        String anywhere = "'allNodes': true";
        devices.slice("a", "a", 1, 1, anywhere, "{'name': 'fabric', 'bindingConditions': ['attached']}", device("near"))
                .slice("b", "b", 1, 1, anywhere, device("here"))
                .claim("c", "gpu", 1)
                .claim("all", "gpu", 3);
        assertThat(devices.offer("n1", "c")).isEqualTo("r=here");
        assertThat(devices.offer("n1", "all")).isEqualTo("r=here r=fabric r=near");
    }
}
