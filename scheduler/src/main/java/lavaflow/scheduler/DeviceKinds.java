package lavaflow.scheduler;

import java.time.Instant;
import java.util.function.Function;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.placement.DeviceClaim;
import lavaflow.placement.DeviceClass;
import lavaflow.placement.DeviceSlice;
import lavaflow.placement.Devices;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is told about devices, by servers that know of them. */
final class DeviceKinds {
    static final KubeApi.Kind CLAIMS = new KubeApi.Kind("resource.k8s.io", "v1", "resourceclaims", true);
    static final KubeApi.Kind SLICES = new KubeApi.Kind("resource.k8s.io", "v1", "resourceslices", false);
    static final KubeApi.Kind CLASSES = new KubeApi.Kind("resource.k8s.io", "v1", "deviceclasses", false);

    private DeviceKinds() {}

    /** Hears, on the thread that owns devices, of what has changed. */
    interface Changes {
        /** There may be other devices to have than before. */
        void devices(Instant now);

        /** Somebody may find another answer who uses this claim, by namespace and name. */
        void claim(String place, Instant now);

        default void claim(String place, boolean frees, Instant now) {
            if (frees) {
                devices(now);
            } else {
                claim(place, now);
            }
        }
    }

    /** Keeps devices as they are told of, on the thread that owns them. */
    static void follow(Followers followers, Inbox inbox, Devices devices, Changes changed) {
        follow(followers, inbox, CLASSES, Inbox::name, DeviceClass::of, (name, type, now) -> {
            devices.putClass(name, type);
            changed.devices(now);
        });
        follow(followers, inbox, SLICES, Inbox::name, DeviceSlice::of, (name, slice, now) -> {
            devices.putSlice(name, slice);
            changed.devices(now);
        });
        follow(
                followers,
                inbox,
                CLAIMS,
                Inbox::place,
                DeviceClaim::of,
                (place, claim, now) -> changed.claim(place, devices.putClaim(place, claim), now));
    }

    private static <T> void follow(
            Followers followers,
            Inbox inbox,
            KubeApi.Kind kind,
            Function<ObjectNode, String> key,
            Function<ObjectNode, T> view,
            Inbox.Sink<T> sink) {
        followers.listenWhileServed(kind, KubeApi.View.WHOLE, inbox.listener(key, view, sink));
    }
}
