// The judge of client-go: holds every check against the API server of a kubeconfig and says which hold.
//
// Everything goes over protobuf requests, informers start with WatchList, as controllers of today do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
)

const protobuf = "application/vnd.kubernetes.protobuf"

type judge struct {
	config    *rest.Config
	client    kubernetes.Interface
	namespace string
}

type check struct {
	name string
	hold func(context.Context, *judge) error
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "whom to judge")
	only := flag.String("only", "", "only checks whose name contains this")
	node := flag.Bool("node", false, "hold the checks that need pods to run")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.ContentType = protobuf
	config.AcceptContentTypes = protobuf + ",application/json"
	config.QPS, config.Burst = 1000, 2000

	held := checks
	if *node {
		held = nodeChecks
	}
	failed := 0
	for _, each := range held {
		if !strings.Contains(each.name, *only) {
			continue
		}
		if err := run(config, each); err != nil {
			failed++
			fmt.Printf("FAIL %s: %v\n", each.name, err)
		} else {
			fmt.Printf("ok   %s\n", each.name)
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// run gives a check a namespace of its own and five minutes.
func run(config *rest.Config, each check) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	space, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "clientgo-"}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("making a namespace: %w", err)
	}
	defer client.CoreV1().Namespaces().Delete(context.Background(), space.Name, metav1.DeleteOptions{})
	return each.hold(ctx, &judge{config, client, space.Name})
}

var checks = []check{
	{"typed objects survive a round trip in protobuf", roundTrip},
	{"errors keep their types", errorTypes},
	{"informers begin with WatchList and follow", informerFollows},
	{"informers follow a selector", informerSelectors},
	{"metadata informers", metadataInformer},
	{"dynamic informers with unstructured objects", dynamicObjects},
	{"watches resume after a revision", retryWatcher},
	{"lists come in pages", pages},
	{"one leader at a time", leaderElection},
	{"conflicts are retried", conflictRetry},
	{"apply configurations and field managers", applyConfigurations},
	{"patches of all types", patches},
	{"scale, status and eviction", subresources},
	{"event recorder", eventRecorder},
	{"discovery and mapping", discoveryMapping},
	{"openapi", openAPI},
	{"collections are deleted", deleteCollection},
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"judged": "yes"}}, Data: data}
}

func pod(name string) *corev1.Pod {
	no := false
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no,
			Containers:                   []corev1.Container{{Name: "main", Image: "nginx", Env: []corev1.EnvVar{{Name: "A", Value: "b"}}}},
		},
	}
}

func deployment(name string) *appsv1.Deployment {
	replicas := int32(2)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx:1"}}},
			},
		},
	}
}

// eventually asks again until the condition holds or the check's time is up.
func eventually(ctx context.Context, what string, holds func() (bool, error)) error {
	for {
		ok, err := holds()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not come true: %v", what, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// createPod waits for the namespace's default service account, as every controller of pods does.
func createPod(ctx context.Context, j *judge, wanted *corev1.Pod) (created *corev1.Pod, err error) {
	err = eventually(ctx, "creating a pod", func() (bool, error) {
		created, err = j.client.CoreV1().Pods(j.namespace).Create(ctx, wanted, metav1.CreateOptions{})
		return err == nil, err
	})
	return created, err
}

func roundTrip(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	written := configMap("trip", map[string]string{"a": "b"})
	written.BinaryData = map[string][]byte{"raw": {0, 1, 2, 255}}
	if _, err := maps.Create(ctx, written, metav1.CreateOptions{}); err != nil {
		return err
	}
	read, err := maps.Get(ctx, "trip", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if read.Data["a"] != "b" || string(read.BinaryData["raw"]) != string(written.BinaryData["raw"]) || read.UID == "" {
		return fmt.Errorf("read back %v", read)
	}
	made, err := createPod(ctx, j, pod("trip"))
	if err != nil {
		return err
	}
	if made.Spec.RestartPolicy != corev1.RestartPolicyAlways || made.Spec.Containers[0].Env[0].Value != "b" || made.Status.Phase != corev1.PodPending {
		return fmt.Errorf("pod came back as %v", made)
	}
	return nil
}

func errorTypes(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	if _, err := maps.Get(ctx, "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("expected not found, got %v", err)
	}
	created, err := maps.Create(ctx, configMap("twice", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("twice", nil), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("expected already exists, got %v", err)
	}
	if _, err := maps.Create(ctx, configMap("Bad_Name", nil), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		return fmt.Errorf("expected invalid, got %v", err)
	}
	created.Data = map[string]string{"a": "b"}
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	created.Data["a"] = "c"
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("expected conflict, got %v", err)
	}
	wrong := types.UID("00000000-0000-0000-0000-000000000000")
	if err := maps.Delete(ctx, "twice", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}}); !apierrors.IsConflict(err) {
		return fmt.Errorf("expected conflict, got %v", err)
	}
	return nil
}

// counter notes what an informer tells its handlers.
type counter struct {
	sync.Mutex
	seen []string
}

func (c *counter) add(what string, object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	c.Lock()
	defer c.Unlock()
	if meta, ok := object.(metav1.Object); ok && meta.GetName() != "kube-root-ca.crt" {
		c.seen = append(c.seen, what+" "+meta.GetName())
	}
}

func (c *counter) handlers() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { c.add("add", o) },
		UpdateFunc: func(_, o any) { c.add("update", o) },
		DeleteFunc: func(o any) { c.add("delete", o) },
	}
}

func (c *counter) is(expected ...string) bool {
	c.Lock()
	defer c.Unlock()
	seen := append([]string{}, c.seen...)
	sort.Strings(seen)
	sort.Strings(expected)
	return strings.Join(seen, ",") == strings.Join(expected, ",")
}

func (c *counter) String() string {
	c.Lock()
	defer c.Unlock()
	return strings.Join(c.seen, ", ")
}

func informerFollows(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	for _, name := range []string{"a", "b"} {
		if _, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	// The initial state must come as a stream that ends with a bookmark, never as a list.
	var lists, streams atomic.Int32
	counting := rest.CopyConfig(j.config)
	counting.Wrap(countRequests(&lists, &streams))
	client, err := kubernetes.NewForConfig(counting)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(j.namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	told := &counter{}
	if _, err := informer.AddEventHandler(told.handlers()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the informer never synced")
	}
	if _, err := maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"k":"v"}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "b", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := eventually(ctx, "four events", func() (bool, error) {
		return told.is("add a", "add b", "update a", "delete b"), errors.New(told.String())
	}); err != nil {
		return err
	}
	if lists.Load() != 0 || streams.Load() == 0 {
		return fmt.Errorf("%d lists and %d streams: WatchList was not served", lists.Load(), streams.Load())
	}
	return nil
}

func informerSelectors(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	factory := informers.NewSharedInformerFactoryWithOptions(j.client, 0, informers.WithNamespace(j.namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "on=yes" }))
	informer := factory.Core().V1().ConfigMaps().Informer()
	told := &counter{}
	if _, err := informer.AddEventHandler(told.handlers()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the informer never synced")
	}
	if _, err := maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, value := range []string{"yes", "no"} {
		if _, err := maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"on":"`+value+`"}}}`), metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	return eventually(ctx, "entering and leaving", func() (bool, error) {
		return told.is("add a", "delete a"), errors.New(told.String())
	})
}

func metadataInformer(ctx context.Context, j *judge) error {
	client, err := metadata.NewForConfig(metadata.ConfigFor(j.config))
	if err != nil {
		return err
	}
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, j.namespace, nil)
	informer := factory.ForResource(resource).Informer()
	told := &counter{}
	if _, err := informer.AddEventHandler(told.handlers()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the informer never synced")
	}
	if _, err := j.client.CoreV1().ConfigMaps(j.namespace).Create(ctx, configMap("a", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := eventually(ctx, "an event", func() (bool, error) { return told.is("add a"), errors.New(told.String()) }); err != nil {
		return err
	}
	read, err := client.Resource(resource).Namespace(j.namespace).Get(ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if read.Labels["judged"] != "yes" {
		return fmt.Errorf("metadata came back as %v", read)
	}
	return nil
}

func dynamicObjects(ctx context.Context, j *judge) error {
	config := rest.CopyConfig(j.config)
	config.ContentType, config.AcceptContentTypes = "", ""
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	deployments := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace(j.namespace)
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deployment("dynamic"))
	if err != nil {
		return err
	}
	object["kind"], object["apiVersion"] = "Deployment", "apps/v1"
	made, err := deployments.Create(ctx, unstructuredOf(object), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if made.GetGeneration() != 1 {
		return fmt.Errorf("generation is %d", made.GetGeneration())
	}
	list, err := deployments.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(list.Items) != 1 || list.Items[0].GetKind() != "Deployment" {
		return fmt.Errorf("listed %v", list)
	}
	return nil
}

func retryWatcher(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	first, err := maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("b", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, first.ResourceVersion, &cache.ListWatch{
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = "judged=yes"
			return maps.Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	select {
	case event := <-watcher.ResultChan():
		if event.Type != watch.Added || event.Object.(*corev1.ConfigMap).Name != "b" {
			return fmt.Errorf("saw %v", event)
		}
	case <-ctx.Done():
		return errors.New("nothing came")
	}
	return nil
}

func pages(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	for i := range 12 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("p%02d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	asked := 0
	lister := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		asked++
		return maps.List(ctx, options)
	})
	lister.PageSize = 5
	var names []string
	err := lister.EachListItem(ctx, metav1.ListOptions{LabelSelector: labels.Set{"judged": "yes"}.String()}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	})
	if err != nil {
		return err
	}
	if len(names) != 12 || !sort.StringsAreSorted(names) || asked != 3 {
		return fmt.Errorf("%d pages with %v", asked, names)
	}
	return nil
}

func leaderElection(ctx context.Context, j *judge) error {
	elected := make(chan string, 10)
	candidate := func(ctx context.Context, name string) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: j.namespace, Name: "leader"},
				Client:     j.client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: name},
			},
			ReleaseOnCancel: true, LeaseDuration: 60 * time.Second, RenewDeadline: 40 * time.Second, RetryPeriod: 500 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { elected <- name }, OnStoppedLeading: func() {}},
		})
	}
	next := func() (string, error) {
		select {
		case name := <-elected:
			return name, nil
		case <-ctx.Done():
			return "", errors.New("nobody was elected")
		}
	}
	first, resign := context.WithCancel(ctx)
	go candidate(first, "one")
	if name, err := next(); err != nil || name != "one" {
		resign()
		return fmt.Errorf("elected %s: %v", name, err)
	}
	second, stop := context.WithCancel(ctx)
	defer stop()
	go candidate(second, "two")
	time.Sleep(1500 * time.Millisecond)
	if len(elected) != 0 {
		resign()
		return errors.New("there were two leaders")
	}
	resign()
	name, err := next()
	if err != nil || name != "two" {
		return fmt.Errorf("elected %s: %v", name, err)
	}
	lease, err := j.client.CoordinationV1().Leases(j.namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if *lease.Spec.HolderIdentity != "two" || *lease.Spec.LeaseTransitions != 1 {
		return fmt.Errorf("the lease says %v", lease.Spec)
	}
	return nil
}

func conflictRetry(ctx context.Context, j *judge) error {
	maps := j.client.CoreV1().ConfigMaps(j.namespace)
	if _, err := maps.Create(ctx, configMap("counter", map[string]string{}), metav1.CreateOptions{}); err != nil {
		return err
	}
	var wait sync.WaitGroup
	failures := make(chan error, 8)
	for worker := range 8 {
		wait.Go(func() {
			backoff := retry.DefaultRetry // its pauses do not grow
			backoff.Steps = 1000
			failures <- retry.RetryOnConflict(backoff, func() error {
				live, err := maps.Get(ctx, "counter", metav1.GetOptions{})
				if err != nil {
					return err
				}
				if live.Data == nil {
					live.Data = map[string]string{}
				}
				live.Data[fmt.Sprint("worker-", worker)] = "was here"
				_, err = maps.Update(ctx, live, metav1.UpdateOptions{})
				return err
			})
		})
	}
	wait.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			return err
		}
	}
	live, err := maps.Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if len(live.Data) != 8 {
		return fmt.Errorf("updates were lost: %v", live.Data)
	}
	return nil
}

func applyConfigurations(ctx context.Context, j *judge) error {
	config := appsapply.Deployment("applied", j.namespace).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(3).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(map[string]string{"app": "applied"})).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(map[string]string{"app": "applied"}).
			WithSpec(coreapply.PodSpec().WithContainers(coreapply.Container().WithName("main").WithImage("nginx:1")))))
	deployments := j.client.AppsV1().Deployments(j.namespace)
	if _, err := deployments.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	if _, err := deployments.Patch(ctx, "applied", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{FieldManager: "two"}); err != nil {
		return err
	}
	if _, err := deployments.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "one"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("expected a conflict, got %v", err)
	}
	live, err := deployments.Get(ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	mine, err := appsapply.ExtractDeployment(live, "one")
	if err != nil {
		return err
	}
	if mine.Spec == nil || mine.Spec.Replicas != nil || *mine.Spec.Template.Spec.Containers[0].Image != "nginx:1" {
		return fmt.Errorf("extracted %v", mine.Spec)
	}
	forced, err := deployments.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "one", Force: true})
	if err != nil {
		return err
	}
	if *forced.Spec.Replicas != 3 {
		return fmt.Errorf("forced to %d", *forced.Spec.Replicas)
	}
	return nil
}

func patches(ctx context.Context, j *judge) error {
	deployments := j.client.AppsV1().Deployments(j.namespace)
	if _, err := deployments.Create(ctx, deployment("patched"), metav1.CreateOptions{}); err != nil {
		return err
	}
	strategic := `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox:1"}]}}}}`
	for kind, body := range map[types.PatchType]string{
		types.StrategicMergePatchType: strategic,
		types.MergePatchType:          `{"metadata":{"labels":{"a":"b"}}}`,
		types.JSONPatchType:           `[{"op":"replace","path":"/spec/replicas","value":4}]`,
	} {
		if _, err := deployments.Patch(ctx, "patched", kind, []byte(body), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	live, err := deployments.Get(ctx, "patched", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if len(live.Spec.Template.Spec.Containers) != 2 || live.Labels["a"] != "b" || *live.Spec.Replicas != 4 {
		return fmt.Errorf("patched to %v", live.Spec)
	}
	return nil
}
