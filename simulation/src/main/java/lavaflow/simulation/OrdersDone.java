package lavaflow.simulation;

/** Whatever would fit if there were nothing else is done in the end. */
final class OrdersDone implements Invariant {
    private final Orders orders;

    OrdersDone(Orders orders) {
        this.orders = orders;
    }

    @Override
    public void atRest(Observer observer) {
        for (Order order : orders.open()) {
            Violation.unless(order.hopeless(), () -> order.name() + " would fit and is not done");
        }
    }
}
