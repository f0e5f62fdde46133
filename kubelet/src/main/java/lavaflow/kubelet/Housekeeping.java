package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import lavaflow.kube.Json;
import lavaflow.linux.FileSystemRoom;
import lavaflow.sandbox.SandboxException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after the node every ten seconds: long logs, pods that use too much, memory and disk that run out. */
final class Housekeeping implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    static final Duration ROUND = Duration.ofSeconds(10);
    /** In the place of a container's name: what the whole pod uses. No container is called so. */
    private static final String WHOLE_POD = "";

    private static final double IMAGES_HIGH = 0.85;
    private static final double IMAGES_LOW = 0.80;

    private final Surroundings around;
    private final Supplier<List<PodLife>> lives;
    private final RecentPressure recent;
    private volatile NodeForm.Pressure told = NodeForm.Pressure.NONE;

    Housekeeping(Surroundings around, Supplier<List<PodLife>> lives) {
        this.around = around;
        this.lives = lives;
        this.recent = new RecentPressure(around.settings().pressureTransition());
    }

    /** What the node is short of, or was a little while ago. */
    NodeForm.Pressure pressure() {
        return told;
    }

    @Override
    public void run() {
        try {
            Set<String> uids = new LinkedHashSet<>();
            for (PodLife life : lives.get()) {
                uids.add(life.uid());
                look(life);
            }
            around.disk().keepOnly(uids);
            lookAtMachine();
        } catch (IOException | RuntimeException e) {
            LOG.warn("housekeeping failed: {}", e.getMessage(), e);
        }
    }

    // ---- pods ----

    private void look(PodLife life) {
        PodView pod = life.pod();
        if (life.isFinished() || pod.isOver() || !life.facts().sandbox()) {
            return;
        }
        for (PodView.Container container : pod.containers()) {
            Attempt last = life.facts().of(container).last();
            if (last != null && last.isRunning()) {
                rotate(pod, container, last);
            }
        }
        if (hasDiskLimit(pod)) {
            PodFacts.End end = overDisk(life.facts());
            if (end != null && !life.facts().isEnding()) {
                evict(life, end);
            }
        }
    }

    private void rotate(PodView pod, PodView.Container container, Attempt last) {
        try {
            Path log = around.files().log(pod, container.name(), last.number());
            LogRotation.rotate(
                    around.tools().runtime(), last.id(), log, around.clock().instant());
        } catch (IOException | SandboxException e) {
            LOG.warn("log of {} in pod {} not rotated: {}", container.name(), pod.title(), e.getMessage());
        }
    }

    private static boolean hasDiskLimit(PodView pod) {
        for (var volume : Json.listAt(pod.object(), "spec", "volumes")) {
            if (Json.at(volume, "emptyDir", "sizeLimit") != null) {
                return true;
            }
        }
        return Eviction.diskLimit(pod) > 0;
    }

    private PodFacts.@Nullable End overDisk(PodFacts facts) {
        List<String> breaches = around.tools().volumes().breaches(facts.pod().object());
        if (!breaches.isEmpty()) {
            return new PodFacts.End(Eviction.REASON, breaches.getFirst(), true);
        }
        PodDisk.Use use = around.disk().of(facts);
        return Eviction.overDisk(facts.pod(), use.written(), use.ofVolumes().bytes());
    }

    private void evict(PodLife life, PodFacts.End end) {
        LOG.info("pod {} is evicted: {}", life.pod().title(), end.message());
        around.events().warning(life.pod(), Eviction.REASON, end.message());
        life.endFor(end, Eviction.condition(end));
    }

    // ---- the machine ----

    private void lookAtMachine() throws IOException {
        FileStore store = Files.getFileStore(around.settings().directory());
        double free = (double) store.getUsableSpace() / Math.max(1, store.getTotalSpace());
        if (1 - free > IMAGES_HIGH) {
            long wanted = (long) ((1 - free - IMAGES_LOW) * store.getTotalSpace());
            long freed = around.tools().images().collect(imagesInUse(), wanted);
            if (freed > 0) {
                LOG.info(
                        "the disk is {} % full; images of {} bytes were forgotten",
                        Math.round((1 - free) * 100), freed);
            }
        }
        List<Eviction.Supply> supplies = supplies(store);
        told = recent.with(Eviction.pressure(supplies), around.clock().instant());
        for (Eviction.Supply supply : supplies) {
            if (supply.isShort()) {
                relieve(supply);
                return;
            }
        }
    }

    /** What pods may be short of; the first is what one is evicted for. */
    private List<Eviction.Supply> supplies(FileStore store) throws IOException {
        FileSystemRoom room = FileSystemRoom.of(around.settings().directory());
        return List.of(
                Eviction.memory(MachineInfo.memory("MemAvailable")),
                Eviction.disk(store.getUsableSpace(), store.getTotalSpace()),
                Eviction.inodes(room.freeFiles(), room.files()),
                Eviction.processes(MachineInfo.freeProcesses(), MachineInfo.mostProcesses()));
    }

    /** Ids of the images that pods have, or are about to have. */
    private Set<String> imagesInUse() {
        Set<String> names = new LinkedHashSet<>();
        for (PodLife life : lives.get()) {
            if (!life.isFinished()) {
                names.addAll(images(life.facts()));
            }
        }
        Set<String> used = new LinkedHashSet<>();
        names.forEach(name -> around.tools().images().find(name).ifPresent(image -> used.add(image.id())));
        return used;
    }

    /** Names, digests and ids of all images that containers and volumes of a pod are made of. */
    static Set<String> images(PodFacts facts) {
        Set<String> names = new LinkedHashSet<>();
        for (PodView.Container each : facts.pod().containers()) {
            names.add(each.image());
            facts.of(each).attempts().forEach(attempt -> {
                names.add(attempt.imageId());
                names.add(attempt.image());
            });
        }
        for (var volume : Json.listAt(facts.pod().object(), "spec", "volumes")) {
            names.add(Json.textAt(volume, "image", "reference"));
        }
        names.remove("");
        return names;
    }

    /** One pod a round: what it had must come back before another has to go. */
    private void relieve(Eviction.Supply shortage) {
        Map<String, PodLife> byUid = new LinkedHashMap<>();
        List<Eviction.Candidate> candidates = new ArrayList<>();
        for (PodLife life : lives.get()) {
            PodFacts facts = life.facts();
            if (!facts.isEnding() && !life.isFinished() && facts.runsAnything()) {
                byUid.put(life.uid(), life);
                candidates.add(new Eviction.Candidate(facts.pod(), used(facts, shortage.resource())));
            }
        }
        Eviction.Candidate chosen = Eviction.choose(candidates, shortage.resource());
        PodLife life = chosen == null ? null : byUid.get(chosen.pod().uid());
        if (chosen != null && life != null) {
            evict(life, Eviction.forShortage(chosen, shortage));
        }
    }

    private Map<String, Long> used(PodFacts facts, String resource) {
        return switch (resource) {
            case Eviction.DISK -> {
                PodDisk.Use use = around.disk().of(facts);
                Map<String, Long> used = new LinkedHashMap<>(use.written());
                used.put(WHOLE_POD, use.ofVolumes().bytes());
                yield used;
            }
            case Eviction.INODES ->
                Map.of(WHOLE_POD, around.disk().of(facts).total().files());
            case Eviction.PROCESSES ->
                Map.of(
                        WHOLE_POD,
                        around.tools().runtime().sandboxUsage(facts.pod().uid()).pids());
            default -> memory(facts);
        };
    }

    private Map<String, Long> memory(PodFacts facts) {
        Map<String, Long> used = new LinkedHashMap<>();
        for (PodView.Container each : facts.pod().containers()) {
            Attempt last = facts.of(each).last();
            if (last != null && last.isRunning()) {
                used.put(each.name(), around.tools().runtime().usage(last.id()).workingSetBytes());
            }
        }
        return used;
    }
}
