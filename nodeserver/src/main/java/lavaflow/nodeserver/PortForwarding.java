package lavaflow.nodeserver;

import java.io.IOException;
import java.nio.channels.ByteChannel;

import lavaflow.kube.ApiException;

/** Which pod ports are forwarded of. */
record PortForwarding(NodeView view, NodeView.Target pod) {
    ByteChannel dial(int port) throws IOException {
        return view.dial(pod, port);
    }

    /** As kubelets word it. */
    String failure(int port, Exception why) {
        String message = why instanceof ApiException refused ? refused.getMessage() : why.getMessage();
        return "error forwarding port " + port + " to pod " + pod.pod() + "_" + pod.namespace() + ", uid " + pod.uid()
                + ": " + message;
    }
}
