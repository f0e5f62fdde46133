package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/retry"
)

func unstructuredOf(object map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// countRequests tells reads of collections apart: lists, and watches that ask for the initial state.
func countRequests(lists, streams *atomic.Int32) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			query := request.URL.Query()
			if query.Get("sendInitialEvents") == "true" {
				streams.Add(1)
			} else if query.Get("watch") == "" {
				lists.Add(1)
			}
			return next.RoundTrip(request)
		})
	}
}

func subresources(ctx context.Context, j *judge) error {
	deployments := j.client.AppsV1().Deployments(j.namespace)
	_, err := deployments.Create(ctx, deployment("scaled"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	// A cluster may have controllers that write to the same deployment.
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		scale, err := deployments.GetScale(ctx, "scaled", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if scale.Spec.Replicas != 2 || scale.Status.Selector != "app=scaled" {
			return fmt.Errorf("scale is %v", scale)
		}
		scale.Spec.Replicas = 6
		_, err = deployments.UpdateScale(ctx, "scaled", scale, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live, err := deployments.Get(ctx, "scaled", metav1.GetOptions{})
		if err != nil || *live.Spec.Replicas != 6 {
			return fmt.Errorf("scaled to %v: %v", live.Spec.Replicas, err)
		}
		live.Status.CollisionCount, live.Spec.Paused = new(int32), true
		live, err = deployments.UpdateStatus(ctx, live, metav1.UpdateOptions{})
		if err == nil && (live.Status.CollisionCount == nil || live.Spec.Paused) {
			err = fmt.Errorf("the status endpoint made %v", live)
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err := createPod(ctx, j, pod("evicted")); err != nil {
		return err
	}
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "evicted", Namespace: j.namespace}}
	if err := j.client.CoreV1().Pods(j.namespace).EvictV1(ctx, eviction); err != nil {
		return err
	}
	if _, err := j.client.CoreV1().Pods(j.namespace).Get(ctx, "evicted", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("expected the pod to be gone, got %v", err)
	}
	if _, err := createPod(ctx, j, pod("bound")); err != nil {
		return err
	}
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "bound"}, Target: corev1.ObjectReference{Kind: "Node", Name: "somewhere"}}
	if err := j.client.CoreV1().Pods(j.namespace).Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	bound, err := j.client.CoreV1().Pods(j.namespace).Get(ctx, "bound", metav1.GetOptions{})
	if err != nil || bound.Spec.NodeName != "somewhere" {
		return fmt.Errorf("bound to %q: %v", bound.Spec.NodeName, err)
	}
	return nil
}

func eventRecorder(ctx context.Context, j *judge) error {
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: j.client.CoreV1().Events(j.namespace)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "judge"})
	about, err := j.client.CoreV1().ConfigMaps(j.namespace).Create(ctx, configMap("noted", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for range 3 {
		recorder.Event(about, corev1.EventTypeNormal, "Judged", "it was judged")
	}
	return eventually(ctx, "one event counted three times", func() (bool, error) {
		events, err := j.client.CoreV1().Events(j.namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Judged"})
		if err != nil {
			return false, err
		}
		if len(events.Items) == 1 && events.Items[0].Count == 3 {
			return true, nil
		}
		return false, fmt.Errorf("events are %v", events.Items)
	})
}

func discoveryMapping(ctx context.Context, j *judge) error {
	client, err := discovery.NewDiscoveryClientForConfig(j.config)
	if err != nil {
		return err
	}
	version, err := client.ServerVersion()
	if err != nil || version.Major != "1" {
		return fmt.Errorf("version %v: %v", version, err)
	}
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"})
	if err != nil || mapping.Resource.Version != "v2" {
		return fmt.Errorf("mapped to %v: %v", mapping, err)
	}
	resource, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
	if err == nil {
		return fmt.Errorf("a short name was taken for a resource: %v", resource)
	}
	expanded, err := restmapper.NewShortcutExpander(mapper, client, nil).ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
	if err != nil || expanded.Resource != "deployments" {
		return fmt.Errorf("expanded to %v: %v", expanded, err)
	}
	preferred, err := discovery.ServerPreferredNamespacedResources(client)
	if err != nil || len(preferred) < 10 {
		return fmt.Errorf("%d groups: %v", len(preferred), err)
	}
	return nil
}

func openAPI(ctx context.Context, j *judge) error {
	client, err := discovery.NewDiscoveryClientForConfig(j.config)
	if err != nil {
		return err
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	for _, path := range []string{"api/v1", "apis/apps/v1"} {
		version, found := paths[path]
		if !found {
			return fmt.Errorf("no document for %s", path)
		}
		schema, err := version.Schema("application/json")
		if err != nil || len(schema) < 1000 {
			return fmt.Errorf("%s: %d bytes: %v", path, len(schema), err)
		}
	}
	return nil
}

func deleteCollection(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	for _, name := range []string{"a", "b"} {
		if _, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "judged=yes"}); err != nil {
		return err
	}
	left, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "judged=yes"})
	if err != nil || len(left.Items) != 0 {
		return fmt.Errorf("%d left: %v", len(left.Items), err)
	}
	return nil
}
