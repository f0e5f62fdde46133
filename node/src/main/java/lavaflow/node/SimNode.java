package lavaflow.node;

import java.util.ArrayList;
import java.util.List;

/**
 * One simulated node: its shape, and what only it has.
 *
 * @param number its place among all, which decides its addresses
 */
record SimNode(String name, int number, SimShape shape, String zone, AddressPlan addresses) {
    /** All nodes of some shapes. */
    static List<SimNode> all(List<SimShape> shapes) {
        AddressPlan addresses = AddressPlan.of(shapes);
        List<SimNode> nodes = new ArrayList<>();
        for (SimShape shape : shapes) {
            for (int i = 0; i < shape.count(); i++) {
                String zone = shape.zones().isEmpty()
                        ? ""
                        : shape.zones().get(i % shape.zones().size());
                nodes.add(new SimNode(shape.name() + "-" + i, nodes.size(), shape, zone, addresses));
            }
        }
        return nodes;
    }

    String address() {
        return addresses.ofNode(number);
    }

    String podNetwork() {
        return addresses.networkOf(number);
    }
}
