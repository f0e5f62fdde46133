package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

const (
	maxQueues = 3
	maxGroups = 8
	namespace = "gangs"
	cards     = corev1.ResourceName("nvidia.com/gpu")
)

var (
	queueKind = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "queues"}
	groupKind = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"}
	now       = metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
)

// The cluster on which both schedulers decide, one after the other.
type cluster struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface
}

func (s size) list() corev1.ResourceList {
	l := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(s.CPU, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(s.Memory<<20, resource.BinarySI),
	}
	if s.Cards > 0 {
		l[cards] = *resource.NewQuantity(s.Cards, resource.DecimalSI)
	}
	return l
}

func (s size) json() map[string]any {
	m := map[string]any{}
	for name, quantity := range s.list() {
		m[string(name)] = quantity.String()
	}
	return m
}

func queueName(i int) string { return fmt.Sprintf("q%d", i) }
func nodeName(i int) string  { return fmt.Sprintf("n%d", i) }
func groupName(i int) string { return fmt.Sprintf("g%d", i) }

// What stays from case to case. Queues come into being a second apart: where all else is equal the older is first.
func (c *cluster) prepare(ctx context.Context) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := c.client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	classes := map[string]int32{"t0": 20, "t1": 10} // of pods, by role: which comes first is not left to chance either
	for i := range maxGroups {
		classes[fmt.Sprintf("p%d", i)] = int32(100 + i)
	}
	for name, value := range classes {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
		if _, err := c.client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	for i := range maxQueues {
		if err := c.putQueue(ctx, i, queue{Weight: 1}); err != nil {
			return err
		}
		time.Sleep(1100 * time.Millisecond)
	}
	return nil
}

func (c *cluster) putQueue(ctx context.Context, i int, q queue) error {
	spec := map[string]any{"weight": q.Weight, "reclaimable": true}
	if q.Capability != nil {
		spec["capability"] = q.Capability.json()
	}
	if q.Deserved != nil {
		spec["deserved"] = q.Deserved.json()
	}
	state := "Open"
	if q.Closed {
		state = "Closed"
	}
	queues := c.dynamic.Resource(queueKind)
	is, err := queues.Get(ctx, queueName(i), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		is = &unstructured.Unstructured{Object: map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
			"metadata": map[string]any{"name": queueName(i)}, "spec": spec}}
		is, err = queues.Create(ctx, is, metav1.CreateOptions{})
	} else if err == nil {
		is.Object["spec"] = spec
		is, err = queues.Update(ctx, is, metav1.UpdateOptions{})
	}
	if err != nil {
		return err
	}
	is.Object["status"] = map[string]any{"state": state, "allocated": map[string]any{}, "reservation": map[string]any{}}
	_, err = queues.UpdateStatus(ctx, is, metav1.UpdateOptions{})
	return err
}

// Makes the cluster what the case says. Nobody schedules meanwhile.
func (c *cluster) set(ctx context.Context, t testCase) error {
	if err := c.clear(ctx); err != nil {
		return err
	}
	for i, q := range t.Queues {
		if err := c.putQueue(ctx, i, q); err != nil {
			return err
		}
	}
	for i := len(t.Queues); i < maxQueues; i++ {
		if err := c.putQueue(ctx, i, queue{Weight: 1}); err != nil {
			return err
		}
	}
	for i, n := range t.Nodes {
		if err := c.putNode(ctx, i, n); err != nil {
			return err
		}
	}
	for i, g := range t.Groups {
		if err := c.putGroup(ctx, i, g); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) putNode(ctx context.Context, i int, s size) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName(i), Labels: map[string]string{"kubernetes.io/hostname": nodeName(i)}}}
	made, err := c.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Status.Capacity = s.list()
	made.Status.Capacity[corev1.ResourcePods] = resource.MustParse("110")
	made.Status.Allocatable = made.Status.Capacity
	made.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
		LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now()}}
	if made, err = c.client.CoreV1().Nodes().UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if len(made.Spec.Taints) > 0 { // of a node that has not said yet that it is ready
		made.Spec.Taints = nil
		_, err = c.client.CoreV1().Nodes().Update(ctx, made, metav1.UpdateOptions{})
	}
	return err
}

func (c *cluster) putGroup(ctx context.Context, i int, g group) error {
	spec := map[string]any{"minMember": int64(g.Min), "queue": queueName(g.Queue), "priorityClassName": fmt.Sprintf("p%d", g.Priority)}
	if g.Least != nil {
		spec["minResources"] = g.Least.json()
	}
	phase := "Pending"
	if g.Roles[0].Nodes != nil {
		phase = "Running"
	}
	pg := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
		"metadata": map[string]any{"name": groupName(i), "namespace": namespace}, "spec": spec,
		"status": map[string]any{"phase": phase}}} // as Volcano's own controllers make them; its status is no subresource
	if _, err := c.dynamic.Resource(groupKind).Namespace(namespace).Create(ctx, pg, metav1.CreateOptions{}); err != nil {
		return err
	}
	for r, role := range g.Roles {
		for k := range role.Replicas {
			if err := c.putPod(ctx, i, r, k, role); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cluster) putPod(ctx context.Context, i, r, k int, of role) error {
	never, s := int64(0), of.Size
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("%s-r%d-%d", groupName(i), r, k),
			Namespace:   namespace,
			Annotations: map[string]string{"scheduling.k8s.io/group-name": groupName(i), "volcano.sh/task-spec": fmt.Sprintf("r%d", r)},
		},
		Spec: corev1.PodSpec{
			SchedulerName:                 "volcano",
			PriorityClassName:             fmt.Sprintf("t%d", r),
			TerminationGracePeriodSeconds: &never,
			Containers: []corev1.Container{{Name: "c", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: s.list(), Limits: corev1.ResourceList(s.list())}}},
		},
	}
	if of.Nodes == nil {
		_, err := c.client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	}
	pod.Spec.NodeName = nodeName(of.Nodes[k])
	made, err := c.client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	since := metav1.Now()
	made.Status.Phase, made.Status.StartTime = corev1.PodRunning, &since
	made.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: since}}
	_, err = c.client.CoreV1().Pods(namespace).UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

// Takes everything away that belongs to one case.
func (c *cluster) clear(ctx context.Context) error {
	if err := c.client.CoreV1().Pods(namespace).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
		return err
	}
	if err := c.dynamic.Resource(groupKind).Namespace(namespace).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
		return err
	}
	if err := c.client.CoreV1().Nodes().DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		pods, err := c.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(pods.Items) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d pods of the last case do not go", len(pods.Items))
		}
	}
}

// What came of a case.
type outcome struct {
	Phases []string `json:"phases"` // by group
	Bound  [][]int  `json:"bound"`  // by group and role
	Used   []string `json:"used"`   // what is taken on each node, sorted: which of equal nodes is taken is nobody's business
	queues []size   // by queue
	writes string   // versions of the groups: tells that a scheduler has begun, also where it decides that nothing can be done
}

func (c *cluster) look(ctx context.Context, t testCase) (outcome, error) {
	o := outcome{queues: make([]size, len(t.Queues))}
	pods, err := c.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return o, err
	}
	places := map[string]string{}
	for _, pod := range pods.Items {
		places[pod.Name] = pod.Spec.NodeName
	}
	nodes := make([]size, len(t.Nodes))
	for i, g := range t.Groups {
		pg, err := c.dynamic.Resource(groupKind).Namespace(namespace).Get(ctx, groupName(i), metav1.GetOptions{})
		if err != nil {
			return o, err
		}
		o.writes += " " + pg.GetResourceVersion()
		phase, _, _ := unstructured.NestedString(pg.Object, "status", "phase")
		o.Phases = append(o.Phases, phase)
		counts := make([]int, len(g.Roles))
		for r, role := range g.Roles {
			for k := range role.Replicas {
				var n int
				if _, err := fmt.Sscanf(places[fmt.Sprintf("%s-r%d-%d", groupName(i), r, k)], "n%d", &n); err != nil {
					continue // has none
				}
				counts[r]++
				nodes[n] = nodes[n].plus(role.Size)
				o.queues[g.Queue] = o.queues[g.Queue].plus(role.Size)
			}
		}
		o.Bound = append(o.Bound, counts)
	}
	for i, used := range nodes {
		o.Used = append(o.Used, fmt.Sprintf("%v of %v", used, t.Nodes[i]))
	}
	sort.Strings(o.Used)
	return o, nil
}

// Looks until something has changed, which a scheduler that starts takes its time for, and then nothing has for a while.
func (c *cluster) settled(ctx context.Context, t testCase, patience, quiet time.Duration) (outcome, error) {
	began, since := time.Now(), time.Now()
	first, last := "", ""
	for {
		o, err := c.look(ctx, t)
		if err != nil {
			return o, err
		}
		writes := o.writes
		o.writes = ""
		is := fmt.Sprint(o)
		if first == "" {
			first = is + writes
		}
		if is != last {
			last, since = is, time.Now()
		}
		if (is+writes != first || time.Since(began) > patience) && time.Since(since) > quiet {
			return o, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}
