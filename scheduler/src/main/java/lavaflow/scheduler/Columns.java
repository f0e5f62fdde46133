package lavaflow.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.PodRequests;

/** Numbers the names of resources: amounts are arrays, and a name is a place in them. */
final class Columns {
    static final int CPU = 0;
    static final int MEMORY = 1;

    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();

    Columns() {
        place(PodRequests.CPU);
        place(PodRequests.MEMORY);
    }

    int place(String name) {
        return places.computeIfAbsent(name, added -> {
            names.add(added);
            return names.size() - 1;
        });
    }

    String name(int place) {
        return names.get(place);
    }

    int size() {
        return names.size();
    }
}
