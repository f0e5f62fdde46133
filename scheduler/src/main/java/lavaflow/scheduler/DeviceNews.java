package lavaflow.scheduler;

import java.time.Instant;
import java.util.function.Consumer;

import lavaflow.placement.DeviceClaim;
import lavaflow.placement.Devices;

/** Takes in what becomes of devices and claims, whoever tells it: what claims have been given counts before the API tells. */
final class DeviceNews implements DeviceKinds.Changes, ClaimWriter.Told {
    private final SchedulerCore core;
    private final Inbox inbox;
    private final Devices devices;
    private final Consumer<Instant> changed;

    /** @param changed called when somebody may find another answer, on the thread that owns devices */
    DeviceNews(SchedulerCore core, Inbox inbox, Consumer<Instant> changed) {
        this.core = core;
        this.inbox = inbox;
        this.devices = core.state().devices();
        this.changed = changed;
    }

    @Override
    public void devices(Instant now) {
        core.onDeviceChange(now);
        changed.accept(now);
    }

    @Override
    public void claim(String place, Instant now) {
        core.onClaimChange(place, now);
        changed.accept(now);
    }

    @Override
    public void wrote(DeviceClaim claim) {
        inbox.add(now -> claim(claim.place(), devices.wrote(claim), now));
    }

    @Override
    public void deleted(DeviceClaim claim) {
        inbox.add(now -> claim(claim.place(), devices.deleted(claim), now));
    }
}
