package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which pods use which persistent volumes, so that no two have one that is for a single pod. Kept in files of the pods: it
 * holds over restarts as long as the pods do.
 */
final class ClaimUses {
    private final PodPlaces places;
    private final Map<String, Set<String>> podsByVolume = new HashMap<>();

    ClaimUses(PodPlaces places) {
        this.places = places;
        for (Path pod : PodPlaces.entries(places.pods())) {
            String uid = String.valueOf(pod.getFileName());
            PodPlaces.entries(places.claims(uid)).forEach(mark -> note(String.valueOf(mark.getFileName()), uid));
        }
    }

    private void note(String volume, String uid) {
        podsByVolume.computeIfAbsent(volume, _ -> new LinkedHashSet<>()).add(uid);
    }

    synchronized void add(String uid, Claims.Claimed claimed) throws IOException, VolumeException {
        Set<String> pods = podsByVolume.getOrDefault(claimed.name(), Set.of());
        if (pods.contains(uid)) {
            return;
        }
        if (claimed.oncePod() && !pods.isEmpty()) {
            throw new VolumeException(
                    "volume uses the ReadWriteOncePod access mode and is already in use by another pod");
        }
        Files.createDirectories(places.claims(uid));
        Path mark = places.claim(uid, claimed.name());
        if (!Files.exists(mark)) {
            Files.createFile(mark);
        }
        note(claimed.name(), uid);
    }

    /** Whether the pod's group has it already; looking at every file again for each container would take long. */
    boolean isReady(String uid, Claims.Claimed claimed) throws IOException {
        return Files.size(places.claim(uid, claimed.name())) > 0;
    }

    void ready(String uid, Claims.Claimed claimed) throws IOException {
        Files.writeString(places.claim(uid, claimed.name()), "ready\n");
    }

    synchronized void remove(String uid) {
        podsByVolume.values().removeIf(pods -> pods.remove(uid) && pods.isEmpty());
    }
}
