package lavaflow.kinds;

/** networking.k8s.io/v1 ServiceCIDR: a range that service addresses are taken from. */
final class ServiceCIDRRules implements KindRules {}
