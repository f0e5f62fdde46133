package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

import lavaflow.image.Image;
import lavaflow.image.ImageException;
import lavaflow.image.Images;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;

/**
 * Gets the image of a container, as its pull policy says, with pauses between failures. An image that is here but that the pod's
 * secrets do not open is not there for the pod.
 */
final class ImagePulls {
    private static final String FAILED = "Failed";
    /** How long a failure is told as such before the pause is. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final Images images;
    private final Environment.Objects objects;
    private final PodEvents events;
    private final InstantSource clock;

    ImagePulls(Surroundings around) {
        this(around.tools().images(), around.objects(), around.events(), around.clock());
    }

    ImagePulls(Images images, Environment.Objects objects, PodEvents events, InstantSource clock) {
        this.images = images;
        this.objects = objects;
        this.events = events;
        this.clock = clock;
    }

    Image get(PodView pod, PodView.Container container, ContainerLife life) throws StartFailure {
        String policy = Json.textAt(container.spec(), "imagePullPolicy");
        if (!policy.equals("Always")) {
            Optional<Image> present = images.findFor(
                    container.image(), () -> PullSecrets.of(pod, objects).credentials());
            if (present.isPresent()) {
                return present(pod, container, present.get());
            }
        }
        if (policy.equals("Never")) {
            String message = "Container image \"" + container.image() + "\" is not present with pull policy of Never";
            events.warning(pod, container, "ErrImageNeverPull", message);
            throw failed(pod, container, "ErrImageNeverPull", message, StartFailure.USUAL_PAUSE);
        }
        pause(pod, container, life);
        return pull(pod, container, life);
    }

    private Image present(PodView pod, PodView.Container container, Image image) {
        events.normal(
                pod,
                container,
                "Pulled",
                "Container image \"" + container.image()
                        + "\" already present on machine and can be accessed by the pod");
        return image;
    }

    private void pause(PodView pod, PodView.Container container, ContainerLife life) throws StartFailure {
        BackOff backOff = life.pullBackOff;
        Instant now = clock.instant();
        if (backOff == null || !backOff.since().plus(backOff.pause()).isAfter(now)) {
            return;
        }
        String message = "Back-off pulling image \"" + container.image() + "\"";
        events.normal(pod, container, "BackOff", message);
        throw failed(
                pod,
                container,
                "ImagePullBackOff",
                life.pullError.isEmpty() ? message : message + ": " + life.pullError,
                Duration.between(now, backOff.since().plus(backOff.pause())));
    }

    private Image pull(PodView pod, PodView.Container container, ContainerLife life) throws StartFailure {
        String quoted = "\"" + container.image() + "\"";
        events.normal(pod, container, "Pulling", "Pulling image " + quoted);
        PullSecrets.Found secrets = PullSecrets.of(pod, objects);
        if (!secrets.missing().isEmpty()) {
            events.warning(pod, "FailedToRetrieveImagePullSecret", secrets.complaint());
        }
        Instant began = clock.instant();
        try {
            Image image = images.pull(container.image(), secrets.credentials(), _ -> {});
            String took = GoDuration.format(
                    Duration.ofMillis(Duration.between(began, clock.instant()).toMillis()));
            events.normal(
                    pod,
                    container,
                    "Pulled",
                    "Successfully pulled image " + quoted + " in " + took + " (" + took
                            + " including waiting). Image size: " + image.size() + " bytes.");
            life.pullBackOff = null;
            return image;
        } catch (ImageException e) {
            throw failure(pod, container, life, e);
        }
    }

    private StartFailure failure(PodView pod, PodView.Container container, ContainerLife life, ImageException problem) {
        String message = String.valueOf(problem.getMessage());
        if (problem.kind() == ImageException.Kind.INVALID_NAME) {
            String text = "Failed to apply default image tag \"" + container.image() + "\": " + message;
            events.warning(pod, container, "InspectFailed", text);
            return failed(pod, container, "InvalidImageName", text, StartFailure.USUAL_PAUSE);
        }
        events.warning(pod, container, FAILED, "Failed to pull image \"" + container.image() + "\": " + message);
        Instant now = clock.instant();
        life.pullBackOff = BackOff.next(life.pullBackOff, now, now);
        life.pullError = "ErrImagePull: " + message;
        return failed(pod, container, "ErrImagePull", message, MOMENT);
    }

    private StartFailure failed(
            PodView pod, PodView.Container container, String reason, String message, Duration retry) {
        events.warning(pod, container, FAILED, "Error: " + reason);
        return new StartFailure(reason, message, retry);
    }
}
