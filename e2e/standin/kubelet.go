package main

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// The machine itself has the first address of this network; pods get the following ones, never one twice.
var network = netip.MustParsePrefix("10.200.0.0/16")

type kubelet struct {
	client   kubernetes.Interface
	pods     corelisters.PodLister
	queue    queue
	config   *rest.Config
	node     string
	verdicts *url.URL
	programs string // the directory of binaries

	lock    sync.Mutex
	last    netip.Addr
	running map[cache.ObjectName]*instance
}

// instance is a pod as it runs here.
type instance struct {
	uid     string
	address netip.Addr
	started metav1.Time
	served  []*served
}

// served is a container that really runs.
type served struct {
	stop  func()
	ready func() bool
}

func (i *instance) ready() bool {
	return !slices.ContainsFunc(i.served, func(each *served) bool { return !each.ready() })
}

func (i *instance) stop() {
	for _, each := range i.served {
		each.stop()
	}
}

// follows makes the kubelet look at all pods.
func (k *kubelet) follows(pods coreinformers.PodInformer) {
	k.pods, k.queue, k.last, k.running = pods.Lister(), newQueue(), network.Addr().Next(), map[cache.ObjectName]*instance{}
	follow(pods.Informer(), k.queue.Add)
}

func (k *kubelet) reconcile(ctx context.Context, name cache.ObjectName) error {
	pod, err := k.pods.Pods(name.Namespace).Get(name.Name)
	switch {
	case apierrors.IsNotFound(err):
		k.end(name)
		return nil
	case err != nil:
		return err
	case pod.DeletionTimestamp != nil:
		k.end(name)
		return k.remove(ctx, pod)
	case pod.Spec.NodeName == "":
		return k.bind(ctx, pod)
	case pod.Spec.NodeName != k.node || pod.Status.Phase != corev1.PodPending:
		return nil
	}
	instance, err := k.start(ctx, name, pod)
	if err != nil {
		return err
	}
	if !instance.ready() {
		k.queue.AddAfter(name, time.Second)
		return nil
	}
	return k.report(ctx, pod, instance)
}

// remove says that nothing of the pod runs any more; finalizers may keep it a while, and then there is nothing left to say.
func (k *kubelet) remove(ctx context.Context, pod *corev1.Pod) error {
	if pod.DeletionGracePeriodSeconds != nil && *pod.DeletionGracePeriodSeconds == 0 {
		return nil
	}
	options := metav1.NewDeleteOptions(0)
	options.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
	err := k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *options)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

func (k *kubelet) bind(ctx context.Context, pod *corev1.Pod) error {
	if len(pod.Spec.SchedulingGates) > 0 || pod.Status.Phase != corev1.PodPending {
		return nil
	}
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: k.node},
	}
	err := k.client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // it changed, so it comes again
	}
	return err
}

func (k *kubelet) start(ctx context.Context, name cache.ObjectName, pod *corev1.Pod) (*instance, error) {
	k.lock.Lock()
	known := k.running[name]
	if known != nil && known.uid == string(pod.UID) {
		k.lock.Unlock()
		return known, nil
	}
	k.last = k.last.Next()
	address := k.last
	k.lock.Unlock()
	if !network.Contains(address) {
		return nil, fmt.Errorf("no address of %v is left", network)
	}

	k.end(name) // one of the same name before it
	started := &instance{uid: string(pod.UID), address: address, started: metav1.Now()}
	for i := range pod.Spec.Containers {
		served, err := k.serve(ctx, pod, &pod.Spec.Containers[i], address)
		if err != nil {
			started.stop()
			return nil, err
		}
		if served != nil {
			started.served = append(started.served, served)
		}
	}
	k.lock.Lock()
	k.running[name] = started
	k.lock.Unlock()
	return started, nil
}

func (k *kubelet) serve(ctx context.Context, pod *corev1.Pod, container *corev1.Container, address netip.Addr) (*served, error) {
	webhook, err := webhookOf(ctx, k.client, pod, container)
	if err != nil {
		return nil, err
	}
	if webhook != nil {
		return webhook.serve(address, k.verdicts)
	}
	process, err := processOf(ctx, k.client, k.config, k.programs, pod, container)
	if err != nil || process == nil {
		return nil, err
	}
	return process.serve(address)
}

func (k *kubelet) endAll() {
	k.lock.Lock()
	names := slices.Collect(maps.Keys(k.running))
	k.lock.Unlock()
	for _, each := range names {
		k.end(each)
	}
}

func (k *kubelet) end(name cache.ObjectName) {
	k.lock.Lock()
	known := k.running[name]
	delete(k.running, name)
	k.lock.Unlock()
	if known != nil {
		known.stop()
	}
}

func (k *kubelet) report(ctx context.Context, pod *corev1.Pod, instance *instance) error {
	told := pod.DeepCopy()
	status := &told.Status
	status.Phase = corev1.PodRunning
	status.StartTime = &instance.started
	status.HostIP = network.Addr().Next().String()
	status.HostIPs = []corev1.HostIP{{IP: status.HostIP}}
	status.PodIP = instance.address.String()
	status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	for _, each := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		setTrue(status, each, instance.started)
	}
	status.InitContainerStatuses = nil
	for _, container := range pod.Spec.InitContainers {
		finished := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Completed", StartedAt: instance.started, FinishedAt: instance.started}}
		status.InitContainerStatuses = append(status.InitContainerStatuses, containerStatus(&container, finished))
	}
	status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		runs := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: instance.started}}
		status.ContainerStatuses = append(status.ContainerStatuses, containerStatus(&container, runs))
	}
	_, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, told, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // it changed, so it comes again
	}
	return err
}

func setTrue(status *corev1.PodStatus, kind corev1.PodConditionType, since metav1.Time) {
	condition := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: since}
	for i := range status.Conditions {
		if status.Conditions[i].Type == kind {
			status.Conditions[i] = condition
			return
		}
	}
	status.Conditions = append(status.Conditions, condition)
}

func containerStatus(container *corev1.Container, state corev1.ContainerState) corev1.ContainerStatus {
	started := state.Running != nil
	return corev1.ContainerStatus{
		Name: container.Name, Image: container.Image, ImageID: container.Image, Ready: true, Started: &started, State: state}
}
