package lavaflow.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.PodRequests;
import lavaflow.kube.Quantity;

/** Amounts and numbers in words, as they are written in manifests: processors come in thousandths. */
final class Amount {
    private Amount() {}

    static String number(String resource, long amount) {
        if (resource.equals(PodRequests.CPU)) {
            return Quantity.ofMilli(amount, Quantity.Format.DECIMAL_SI).toString();
        }
        boolean bytes = resource.equals(PodRequests.MEMORY) || resource.equals("ephemeral-storage");
        return Quantity.of(amount, bytes ? Quantity.Format.BINARY_SI : Quantity.Format.DECIMAL_SI)
                .toString();
    }

    static String of(String resource, long amount) {
        return resource + " " + number(resource, amount);
    }

    static String list(Map<String, Long> amounts) {
        List<String> parts = new ArrayList<>();
        new TreeMap<>(amounts).forEach((name, amount) -> parts.add(of(name, amount)));
        return parts.isEmpty() ? "nothing" : String.join(", ", parts);
    }

    static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    static String pods(int number, String role) {
        return number + (role.isEmpty() ? "" : " " + role) + (number == 1 ? " pod" : " pods");
    }
}
