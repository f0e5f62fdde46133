package lavaflow.simulation;

import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;

/**
 * What everybody in a run shares.
 *
 * @param api of the server, without faults
 * @param observer knows what is true
 * @param meter tells autoscalers what pods use
 */
record Stage(
        KubeApi api,
        VirtualClock clock,
        RandomGenerator random,
        Trace trace,
        FaultCounts faults,
        Observer observer,
        Meter meter) {}
