package lavaflow.simulation;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;

/** What people do to a cluster: make things, change their minds, take things away, and sometimes interfere. */
final class UserScript {
    private final Workspace workspace;
    private final List<Ideas> topics;
    private final List<Runnable> ideas = new ArrayList<>();

    /**
     * @param gentle whether people leave pods and nodes alone
     */
    UserScript(Workspace workspace, List<Ideas> topics, boolean gentle) {
        this.workspace = workspace;
        this.topics = topics;
        topics.forEach(topic -> ideas.addAll(topic.usual()));
        if (!gentle) {
            topics.forEach(topic -> ideas.addAll(topic.rough()));
        }
    }

    void begin() {
        topics.forEach(Ideas::begin);
    }

    /** Does something. */
    void act() {
        attempt(workspace.oneOf(ideas));
    }

    private void attempt(Runnable idea) {
        try {
            idea.run();
        } catch (ApiException e) {
            workspace.say("was refused: " + e.getMessage());
        }
    }

    /** Puts everything right that keeps the cluster from coming to rest. */
    void makeAmends() {
        topics.forEach(topic -> attempt(topic::makeAmends));
    }
}
