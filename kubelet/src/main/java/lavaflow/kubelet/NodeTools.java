package lavaflow.kubelet;

import lavaflow.image.Images;
import lavaflow.network.PodNetwork;
import lavaflow.sandbox.ContainerRuntime;
import lavaflow.volume.Volumes;

/** What a node works with. */
public record NodeTools(ContainerRuntime runtime, Images images, PodNetwork network, Volumes volumes) {}
