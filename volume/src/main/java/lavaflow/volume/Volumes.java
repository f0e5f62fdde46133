package lavaflow.volume;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import lavaflow.linux.FileTree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The volumes of the pods on this node. Every call may be repeated. */
public interface Volumes extends AutoCloseable {
    /**
     * Makes all volumes of a pod; each is found by its name.
     *
     * @throws VolumeException with the message of a FailedMount event; the caller tries again later, or when {@link
     *     #onChange} says that something the pod needs has changed. Those of further volumes are suppressed in it.
     */
    Map<String, MountedVolume> mount(ObjectNode pod) throws VolumeException;

    /**
     * The path to bind into a container for one of its volumeMounts, with its subPath found without following links that
     * lead outside the volume.
     *
     * @param subPath with variables already expanded; empty for the whole volume
     * @throws VolumeException with the message of a CreateContainerConfigError
     */
    Path source(ObjectNode pod, String container, MountedVolume volume, JsonNode volumeMount, String subPath)
            throws VolumeException;

    /**
     * What stands in a file of a volume, found as parts of volumes are.
     *
     * @throws VolumeException where there is no such file, or it is too large for what nodes read
     */
    String text(MountedVolume volume, String path) throws VolumeException;

    /** Renews what the API's objects say, where they have changed: config maps, secrets, tokens, labels. */
    void refresh(ObjectNode pod) throws VolumeException;

    /**
     * Hears the uid of a pod that wants a {@link #refresh}, or another {@link #mount}: an object it uses has changed, or a
     * token grows old. Nothing else needs to be watched or tried now and then.
     *
     * @param listener must be quick; hears of all pods from then on
     */
    void onChange(Consumer<String> listener);

    /** Takes away what a pod had. Claims and host paths keep their contents. */
    void unmount(String podUid) throws VolumeException;

    /** The pods that have volumes here, also from before this process. */
    Set<String> present();

    /** What a pod's own volumes use on disk: what counts against ephemeral-storage. */
    Map<String, FileTree.Space> usage(String podUid);

    /** Which of a pod's volumes have grown too large, each in the words of an eviction. */
    List<String> breaches(ObjectNode pod);

    @Override
    void close();
}
