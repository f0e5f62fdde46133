// The stand-in for what a cluster needs to run containers: binds every pod, reports it running, and pairs services with pods.
//
// Nothing runs, with two exceptions. A pod of Kubernetes' test image that is told to be a webhook gets an HTTPS server at an
// address of its own, with the certificate from its secret, which passes everything on to one program that knows the verdicts.
// And the sample API server of the aggregation tests runs as a process, with an etcd.
package main

import (
	"context"
	"flag"
	"log"
	"net/url"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const workers = 4

type queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue() queue {
	return workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](20*time.Millisecond, 2*time.Second))
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of whose cluster")
	node := flag.String("node", "stand-in", "the node that pods are bound to")
	verdicts := flag.String("verdicts", "", "where webhooks get their verdicts: an https URL whose certificate is not looked at")
	programs := flag.String("programs", "", "a directory with the binaries of containers that are to run: etcd, sample-apiserver")
	pair := flag.Bool("endpoints", true, "write the EndpointSlices of services")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		log.Fatal(err)
	}
	config.QPS, config.Burst = 500, 1000
	behind, err := url.Parse(*verdicts)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)

	kubelet := &kubelet{client: client, config: config, node: *node, verdicts: behind, programs: *programs}
	kubelet.follows(factory.Core().V1().Pods())
	run(ctx, kubelet.queue, kubelet.reconcile)
	if *pair {
		pairing := newPairing(client, factory)
		run(ctx, pairing.queue, pairing.reconcile)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	log.Print("ready")
	<-ctx.Done()
	kubelet.endAll()
}

// run looks at one object at a time, and again later at those that failed.
func run(ctx context.Context, queue queue, reconcile func(context.Context, cache.ObjectName) error) {
	for range workers {
		go func() {
			for {
				name, over := queue.Get()
				if over {
					return
				}
				if err := reconcile(ctx, name); err != nil {
					log.Printf("%s: %v", name, err)
					queue.AddRateLimited(name)
				} else {
					queue.Forget(name)
				}
				queue.Done(name)
			}
		}()
	}
}

// follow puts every object that changes into the hands of a function.
func follow(informer cache.SharedIndexInformer, changed func(cache.ObjectName)) {
	tell := func(object any) {
		if name, err := cache.DeletionHandlingObjectToName(object); err == nil {
			changed(name)
		}
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    tell,
		UpdateFunc: func(_, object any) { tell(object) },
		DeleteFunc: tell,
	})
}
