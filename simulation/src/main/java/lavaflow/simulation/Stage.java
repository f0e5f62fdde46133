package lavaflow.simulation;

import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;

/**
 * What everybody in a run shares.
 *
 * @param api of the server, without faults
 * @param observer knows what is true
 * @param meter tells autoscalers what pods use
 * @param requests tells what is being asked of the API
 */
record Stage(
        KubeApi api,
        VirtualClock clock,
        RandomGenerator random,
        Trace trace,
        FaultCounts faults,
        Observer observer,
        Meter meter,
        Requests requests) {}
