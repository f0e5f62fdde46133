// Generator puts the same work on any Kubernetes API server and prints one line of figures. It speaks plain HTTP, so
// that little of the machine goes to the client; the processor time of the servers is read from /proc and never includes it.
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// options are shared by all kinds of work; each uses those it needs.
type options struct {
	kubeconfig string
	pids       []int
	protobuf   bool
	http1      bool
	clients    int
	count      int
	objects    int
	size       int
	kind       string
	rate       float64
	url        string
	since      float64
	seed       int64
	directory  string
	image      string
	keep       bool
	arguments  []string
}

var work = map[string]func(*options) error{
	"await":         await,
	"usage":         usage,
	"create":        create,
	"update":        update,
	"list":          list,
	"watch":         watch,
	"clear":         clearObjects,
	"kill-loop":     killLoop,
	"define":        define,
	"custom":        custom,
	"pods":          pods,
	"pod-kill-loop": podKillLoop,
	"gangs":         gangs,
	"gang-reaction": gangReaction,
	"training-job":  trainingJob,
	"training-jobs": trainingLives,
	"volcano-jobs":  volcanoLives,
}

func main() {
	if len(os.Args) < 2 || work[os.Args[1]] == nil {
		names := []string{}
		for name := range work {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Fprintln(os.Stderr, "usage: generator", strings.Join(names, "|"), "[options]")
		os.Exit(2)
	}
	o, flags, pids := &options{}, flag.NewFlagSet(os.Args[1], flag.ExitOnError), ""
	flags.StringVar(&o.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "how to reach the server")
	flags.StringVar(&pids, "pids", "", "processes of the server, whose CPU time and memory are reported")
	flags.BoolVar(&o.protobuf, "protobuf", false, "send and ask for protobuf instead of JSON")
	flags.BoolVar(&o.http1, "http1", false, "HTTP/1.1 instead of HTTP/2")
	flags.IntVar(&o.clients, "clients", 64, "clients at the same time, each with a connection of its own")
	flags.IntVar(&o.count, "count", 10000, "operations, objects, events or rounds")
	flags.IntVar(&o.objects, "objects", 16, "objects that the updates fight for")
	flags.IntVar(&o.size, "size", 1024, "bytes of payload in an object")
	flags.StringVar(&o.kind, "kind", "configmaps", "configmaps or pods")
	flags.Float64Var(&o.rate, "rate", 0, "events a second, 0 for as many as possible")
	flags.StringVar(&o.url, "url", "", "what to wait for")
	flags.Float64Var(&o.since, "since", 0, "start of the waiting, in seconds since 1970")
	flags.Int64Var(&o.seed, "seed", 1, "seed of random choices")
	flags.StringVar(&o.directory, "directory", "", "data directory of the server to kill")
	flags.StringVar(&o.image, "image", "host", "what pods are made of")
	flags.BoolVar(&o.keep, "keep", false, "leave the pods running")
	if err := flags.Parse(os.Args[2:]); err != nil {
		os.Exit(2)
	}
	o.arguments = flags.Args()
	for _, word := range strings.FieldsFunc(pids, func(r rune) bool { return r == ',' || r == ' ' }) {
		pid, err := strconv.Atoi(word)
		exitOn(err)
		o.pids = append(o.pids, pid)
	}
	exitOn(work[os.Args[1]](o))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "generator:", err)
		os.Exit(1)
	}
}
