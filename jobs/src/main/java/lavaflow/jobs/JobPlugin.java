package lavaflow.jobs;

import java.util.List;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What {@code spec.plugins} of a Job can ask for: changes to its pods, and objects beside them. Functions of values; whoever
 * calls creates, updates and deletes.
 */
public interface JobPlugin {
    /**
     * Two halves of a key for ssh.
     *
     * @param privateKey in PEM
     * @param publicKey as a line of authorized_keys
     */
    record SshKeys(String privateKey, String publicKey) {}

    /** Changes a pod that is about to be made. */
    default void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {}

    /**
     * The objects that are to be there while the Job has pods, as they are to be now. They are made before its pods, and go when
     * it has ended, is aborted or restarted.
     *
     * @param keys makes new keys; asked only if one is needed, which takes a while
     */
    default List<JobObject> objects(VolcanoJob job, Supplier<SshKeys> keys) {
        return List.of();
    }
}
