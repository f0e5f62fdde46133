package lavaflow.kubelet;

import java.util.List;

/**
 * A device that a container can have to itself, or a share of a card.
 *
 * @param id unique within its resource
 * @param card what programs call the card it is, or is a share of
 * @param nodes its device files
 */
record Device(String id, String card, List<String> nodes, boolean healthy) {
    /** A share of the same card. */
    Device share(int number) {
        return new Device(id + "::" + number, card, nodes, healthy);
    }
}
