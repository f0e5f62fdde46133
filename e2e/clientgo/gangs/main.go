// Lets two schedulers decide the same small clusters, one after the other, and tells where they disagree.
//
// Each is a command that is started when everything is there and killed when nothing changes any more.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster")
	theirs := flag.String("theirs", "", "the command of the one scheduler")
	ours := flag.String("ours", "", "the command of the other")
	from := flag.Int64("from", 1, "the first seed")
	count := flag.Int64("count", 20, "how many cases")
	patience := flag.Duration("patience", 20*time.Second, "how long a scheduler that changes nothing is waited for")
	quiet := flag.Duration("quiet", 1500*time.Millisecond, "how long nothing must change")
	about := flag.String("about", empty, "empty clusters, or full ones: preempt, reclaim, capacity")
	again := flag.Bool("again", false, "asks the one scheduler twice, and does not count cases that it decides by lot")
	record := flag.String("record", "", "writes what the one scheduler decides into this file instead of asking the other")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	must(err)
	config.QPS, config.Burst = 2000, 4000
	c := &cluster{kubernetes.NewForConfigOrDie(config), dynamic.NewForConfigOrDie(config)}
	ctx := context.Background()
	must(c.prepare(ctx))
	if *record != "" {
		asked := func(t testCase) outcome { return decide(ctx, c, t, *theirs, *patience, *quiet) }
		for seed := *from; seed < *from+*count; seed++ {
			t := makeCase(seed, *about)
			if o := asked(t); !*again || reflect.DeepEqual(o.Bound, asked(t).Bound) {
				must(keep(*record, t, o))
			}
		}
		must(c.clear(ctx))
		return
	}
	agreed, placed, lots := int64(0), int64(0), int64(0)
	for seed := *from; seed < *from+*count; seed++ {
		t := makeCase(seed, *about)
		a := decide(ctx, c, t, *theirs, *patience, *quiet)
		if *again && !reflect.DeepEqual(a.Bound, decide(ctx, c, t, *theirs, *patience, *quiet).Bound) {
			lots++
			continue
		}
		b := decide(ctx, c, t, *ours, *patience, *quiet)
		same := reflect.DeepEqual(a.Phases, b.Phases) && reflect.DeepEqual(a.Bound, b.Bound) && reflect.DeepEqual(a.queues, b.queues)
		if same {
			agreed++
		}
		if same && reflect.DeepEqual(a.Used, b.Used) {
			placed++
			continue
		}
		tell(t, a, b, same)
	}
	must(c.clear(ctx))
	fmt.Printf("%d of %d cases decided alike, in %d of them nodes are filled alike, too; %d more are decided by lot\n", agreed, *count-lots, placed, lots)
	if agreed < *count-lots {
		os.Exit(1)
	}
}

// A line for each case: what it is and what came of it.
func keep(file string, t testCase, o outcome) error {
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	line, err := json.Marshal(struct {
		testCase
		outcome
	}{t, o})
	if err == nil {
		_, err = fmt.Fprintf(out, "%s\n", line)
	}
	return err
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func decide(ctx context.Context, c *cluster, t testCase, command string, patience, quiet time.Duration) outcome {
	must(c.set(ctx, t))
	scheduler := exec.Command("bash", "-c", "exec "+command)
	scheduler.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(scheduler.Start())
	o, err := c.settled(ctx, t, patience, quiet)
	syscall.Kill(-scheduler.Process.Pid, syscall.SIGKILL)
	scheduler.Wait()
	must(err)
	return o
}

func tell(t testCase, a, b outcome, same bool) {
	what := "DIFFERENT"
	if same {
		what = "other nodes"
	}
	fmt.Printf("case %d: %s\n  nodes %v\n", t.Seed, what, t.Nodes)
	for i, q := range t.Queues {
		most := "any"
		if q.Capability != nil {
			most = q.Capability.String()
		}
		fmt.Printf("  q%d weight %d deserved %v most %s closed %v: has %v | %v\n", i, q.Weight, q.Deserved, most, q.Closed, a.queues[i], b.queues[i])
	}
	for i, g := range t.Groups {
		var roles []string
		for _, r := range g.Roles {
			where := ""
			if r.Nodes != nil {
				where = fmt.Sprintf(" on %v", r.Nodes)
			}
			roles = append(roles, fmt.Sprintf("%dx%v%s", r.Replicas, r.Size, where))
		}
		mark := " "
		if a.Phases[i] != b.Phases[i] || !reflect.DeepEqual(a.Bound[i], b.Bound[i]) {
			mark = "*"
		}
		fmt.Printf(" %s%s q%d p%d min %d least %v %s: %s %v | %s %v\n", mark, groupName(i), g.Queue, g.Priority, g.Min, g.Least,
			strings.Join(roles, "+"), a.Phases[i], a.Bound[i], b.Phases[i], b.Bound[i])
	}
	if same {
		fmt.Printf("  %v\n  %v\n", a.Used, b.Used)
	}
}
