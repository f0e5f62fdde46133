package lavaflow.kinds;

/** networking.k8s.io/v1 IPAddress: an address that some object holds; the name is the address. */
final class IPAddressRules implements KindRules {}
