package main

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// pairing keeps one EndpointSlice per service with a selector: the ready pods it selects.
type pairing struct {
	client   kubernetes.Interface
	services corelisters.ServiceLister
	pods     corelisters.PodLister
	queue    queue
}

func newPairing(client kubernetes.Interface, factory informers.SharedInformerFactory) *pairing {
	services, pods := factory.Core().V1().Services(), factory.Core().V1().Pods()
	p := &pairing{client: client, services: services.Lister(), pods: pods.Lister(), queue: newQueue()}
	follow(services.Informer(), p.queue.Add)
	follow(pods.Informer(), func(pod cache.ObjectName) {
		around, _ := p.services.Services(pod.Namespace).List(labels.Everything())
		for _, service := range around {
			p.queue.Add(cache.MetaObjectToName(service))
		}
	})
	return p
}

func (p *pairing) reconcile(ctx context.Context, name cache.ObjectName) error {
	service, err := p.services.Services(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil // the slice has it as its owner
	}
	if err != nil || len(service.Spec.Selector) == 0 || service.DeletionTimestamp != nil {
		return err
	}
	selected, err := p.pods.Pods(name.Namespace).List(labels.SelectorFromSet(service.Spec.Selector))
	if err != nil {
		return err
	}
	return p.write(ctx, slice(service, selected))
}

func (p *pairing) write(ctx context.Context, wanted *discoveryv1.EndpointSlice) error {
	all := p.client.DiscoveryV1().EndpointSlices(wanted.Namespace)
	present, err := all.Get(ctx, wanted.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = all.Create(ctx, wanted, metav1.CreateOptions{})
		if apierrors.IsNotFound(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return nil
		}
		return err
	}
	if err != nil || equality.Semantic.DeepEqual(present.Endpoints, wanted.Endpoints) && equality.Semantic.DeepEqual(present.Ports, wanted.Ports) {
		return err
	}
	present.Endpoints, present.Ports = wanted.Endpoints, wanted.Ports
	_, err = all.Update(ctx, present, metav1.UpdateOptions{})
	return err
}

func slice(service *corev1.Service, selected []*corev1.Pod) *discoveryv1.EndpointSlice {
	made := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: service.Namespace, Name: service.Name + "-stand-in",
			Labels:          map[string]string{discoveryv1.LabelServiceName: service.Name, discoveryv1.LabelManagedBy: "stand-in"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(service, corev1.SchemeGroupVersion.WithKind("Service"))},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
	}
	slices.SortFunc(selected, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	for _, pod := range selected {
		if pod.DeletionTimestamp != nil || !ready(pod) {
			continue
		}
		if made.Endpoints == nil {
			made.Ports = ports(service, pod)
		}
		yes, no := true, false
		made.Endpoints = append(made.Endpoints, discoveryv1.Endpoint{
			Addresses:  []string{pod.Status.PodIP},
			Conditions: discoveryv1.EndpointConditions{Ready: &yes, Serving: &yes, Terminating: &no},
			NodeName:   &pod.Spec.NodeName,
			TargetRef:  &corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		})
	}
	return made
}

func ready(pod *corev1.Pod) bool {
	return pod.Status.PodIP != "" && slices.ContainsFunc(pod.Status.Conditions, func(each corev1.PodCondition) bool {
		return each.Type == corev1.PodReady && each.Status == corev1.ConditionTrue
	})
}

func ports(service *corev1.Service, pod *corev1.Pod) []discoveryv1.EndpointPort {
	var made []discoveryv1.EndpointPort
	for _, each := range service.Spec.Ports {
		number := each.TargetPort.IntVal
		if each.TargetPort.Type == intstr.String {
			for _, container := range pod.Spec.Containers {
				for _, port := range container.Ports {
					if port.Name == each.TargetPort.StrVal {
						number = port.ContainerPort
					}
				}
			}
		}
		if number > 0 {
			made = append(made, discoveryv1.EndpointPort{Name: &each.Name, Protocol: &each.Protocol, Port: &number})
		}
	}
	return made
}
