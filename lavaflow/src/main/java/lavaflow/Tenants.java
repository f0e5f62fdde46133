package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import lavaflow.linux.UserNamespace;
import lavaflow.network.NetworkSettings;
import lavaflow.network.NodeNetwork;
import lavaflow.sandbox.Ruins;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who has a place on this machine, and what is left of those whose data directory went away under them. */
final class Tenants {
    private static final Logger LOG = LoggerFactory.getLogger(Tenants.class);
    /** Others may be taking away what is left of the same cluster. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final long PAUSE_MILLIS = 100;

    private final MachineRegister register;

    /** What is told of a place, and who has it. */
    record Place(MachineRegister.Tenancy tenancy, boolean moved) {}

    Tenants(MachineRegister register) {
        this.register = register;
    }

    /** Those of this machine; of one directory alone for who may not write where all can. */
    static Tenants of(Path home) {
        MachineRegister usual = MachineRegister.usual();
        return new Tenants(usual.isOpen() ? usual : new MachineRegister(home.resolve("node/register")));
    }

    /**
     * Takes the place of a cluster; what another one left under the same name, or this one where it was before, is gone then.
     *
     * @throws IOException if another process serves it
     */
    Place settle(Path home) throws IOException, InterruptedException {
        String id = NetworkSettings.id(home);
        MachineRegister.Tenancy tenancy = await(id, home);
        try {
            Optional<Incarnation> before = Incarnation.find(home);
            Incarnation now =
                    before.isEmpty() ? Incarnation.fresh(home) : before.get().at(home);
            MachineRegister.Entry old = register.find(id).orElse(null);
            if (old != null && !old.incarnation().equals(now.id())) {
                clear(old);
            }
            boolean moved = before.isPresent() && !before.get().isOf(home);
            if (moved && !before.get().home().equals(home)) {
                leave(before.get());
            }
            tenancy.enter(new MachineRegister.Entry(
                    id, home, now.id(), ProcessHandle.current().pid()));
            if (!before.equals(Optional.of(now))) {
                now.write();
            }
            return new Place(tenancy, moved);
        } catch (IOException | RuntimeException e) {
            tenancy.close();
            throw e;
        }
    }

    private MachineRegister.Tenancy await(String id, Path home) throws IOException, InterruptedException {
        MachineRegister.Tenancy tenancy = claimInTime(id);
        if (tenancy == null) {
            String who =
                    register.find(id).map(entry -> "process " + entry.pid()).orElse("another process");
            throw new IOException(who + " runs pods for " + home + " already");
        }
        return tenancy;
    }

    /** What a process that was killed had just started may hold its place a moment longer; null if it is still taken after that. */
    private MachineRegister.@Nullable Tenancy claimInTime(String id) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            MachineRegister.Tenancy tenancy = register.claim(id);
            if (tenancy != null || System.nanoTime() > deadline) {
                return tenancy;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** Gives up the place a directory had before it was moved. */
    private void leave(Incarnation before) throws IOException, InterruptedException {
        String id = NetworkSettings.id(before.home());
        MachineRegister.Entry old = register.find(id).orElse(null);
        if (old == null || !old.incarnation().equals(before.id())) {
            return;
        }
        MachineRegister.Tenancy tenancy = claimInTime(id);
        if (tenancy == null) {
            throw new IOException("process " + old.pid() + " still runs the pods of this cluster, which was in "
                    + before.home() + " when it began");
        }
        clear(old);
        tenancy.leave();
    }

    /** Who serves the cluster of a directory, also if that is gone; empty if nobody does. */
    Optional<ProcessHandle> server(Path home) throws IOException {
        return register.server(NetworkSettings.id(home));
    }

    /** Takes away what is left of clusters whose directories are gone and whom nobody serves; tells their directories. */
    List<Path> clearRuins() throws IOException {
        List<Path> cleared = new ArrayList<>();
        for (MachineRegister.Entry entry : register.all()) {
            if (!isGone(entry)) {
                continue;
            }
            MachineRegister.Tenancy tenancy = register.claim(entry.id());
            if (tenancy == null) {
                continue;
            }
            // Once more: it may have been started anew before nobody else could.
            boolean same = register.find(entry.id()).equals(Optional.of(entry)) && isGone(entry);
            if (same) {
                clear(entry);
                tenancy.leave();
                cleared.add(entry.home());
            } else {
                tenancy.close();
            }
        }
        return cleared;
    }

    /** Only what certainly does not exist is gone: a directory that cannot be read may come back. */
    private static boolean isGone(MachineRegister.Entry entry) {
        if (Files.notExists(entry.home())) {
            return true;
        }
        try {
            return Incarnation.find(entry.home())
                    .filter(found -> found.id().equals(entry.incarnation()))
                    .isEmpty();
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static void clear(MachineRegister.Entry entry) throws IOException {
        LOG.info("what is left of the cluster that was in {} goes", entry.home());
        if (UserNamespace.isRoot() && UserNamespace.own().isInitial()) { // nobody else makes networks
            NodeNetwork.dismantle(NetworkSettings.of(entry.home()));
        }
        Ruins.clear(entry.id(), entry.home().resolve("node"));
    }
}
