package lavaflow.gang;

/** What plugins are asked, and the key of the configuration file that turns it off for one of them. */
public enum Callback {
    JOB_ORDER("enableJobOrder"),
    SUB_JOB_ORDER("enabledSubJobOrder"),
    HIERARCHY("enableHierarchy", false),
    JOB_READY("enableJobReady"),
    SUB_JOB_READY("enabledSubJobReady"),
    JOB_PIPELINED("enableJobPipelined"),
    SUB_JOB_PIPELINED("enabledSubJobPipelined"),
    TASK_ORDER("enableTaskOrder"),
    PREEMPTABLE("enablePreemptable"),
    RECLAIMABLE("enableReclaimable"),
    PREEMPTIVE("enablePreemptive"),
    QUEUE_ORDER("enableQueueOrder"),
    CLUSTER_ORDER("enabledClusterOrder", false),
    PREDICATE("enablePredicate"),
    BEST_NODE("enableBestNode"),
    NODE_ORDER("enableNodeOrder"),
    TARGET_JOB("enableTargetJob"),
    RESERVED_NODES("enableReservedNodes"),
    JOB_ENQUEUED("enableJobEnqueued"),
    VICTIM("enabledVictim"),
    JOB_STARVING("enableJobStarving"),
    OVERUSED("enabledOverused"),
    ALLOCATABLE("enabledAllocatable"),
    HYPER_NODE_ORDER("enabledHyperNodeOrder"),
    HYPER_NODE_GRADIENT("enabledHyperNodeGradient");

    /** As it is written, with upstream's two spellings. */
    final String key;

    /** Unless the file says otherwise. */
    final boolean usual;

    Callback(String key) {
        this(key, true);
    }

    Callback(String key, boolean usual) {
        this.key = key;
        this.usual = usual;
    }
}
