package main

import (
	"fmt"
	"math/rand"
)

// A small cluster with work for it, made up from a seed: the same seed is the same case everywhere.
type testCase struct {
	Seed   int64   `json:"seed"`
	Nodes  []size  `json:"nodes"`
	Queues []queue `json:"queues"`
	Groups []group `json:"groups"`
}

// What a node has, or a pod asks for: thousandths of a core, MiB, cards.
type size struct {
	CPU    int64 `json:"cpu"`
	Memory int64 `json:"memory"`
	Cards  int64 `json:"cards"`
}

func (s size) times(n int64) size { return size{s.CPU * n, s.Memory * n, s.Cards * n} }
func (s size) plus(o size) size {
	return size{s.CPU + o.CPU, s.Memory + o.Memory, s.Cards + o.Cards}
}
func (s size) String() string { return fmt.Sprintf("%dm/%dMi/%d", s.CPU, s.Memory, s.Cards) }

type queue struct {
	Weight     int64 `json:"weight"`
	Capability *size `json:"capability,omitempty"` // what it may have at most
	Deserved   *size `json:"deserved,omitempty"`   // what it may take back, where that is said outright
	Closed     bool  `json:"closed,omitempty"`
}

type group struct {
	Queue    int    `json:"queue"`
	Priority int    `json:"priority"` // unlike in every other group, so that which comes first is not left to chance
	Min      int    `json:"min"`
	Least    *size  `json:"least,omitempty"` // what it needs at least, if it says so
	Roles    []role `json:"roles"`
}

type role struct {
	Replicas int   `json:"replicas"`
	Size     size  `json:"size"`
	Nodes    []int `json:"nodes,omitempty"` // where its pods run already; nowhere yet without it
}

func (g group) members() int {
	n := 0
	for _, r := range g.Roles {
		n += r.Replicas
	}
	return n
}

// The resources of as many of its pods as have to run, those of the first roles first.
func (g group) leastResources() size {
	var sum size
	left := g.Min
	for _, r := range g.Roles {
		n := min(left, r.Replicas)
		sum = sum.plus(r.Size.times(int64(n)))
		left -= n
	}
	return sum
}

// What a case is about: an empty cluster, or one that is full, where others of the same queue, or of other queues, have to leave.
const (
	empty    = "empty"
	preempt  = "preempt"
	reclaim  = "reclaim"
	capacity = "capacity"
)

func makeCase(seed int64, about string) testCase {
	if about != empty {
		return makeFullCase(seed, about)
	}
	r := rand.New(rand.NewSource(seed))
	c := testCase{Seed: seed}
	shape := size{CPU: 1000 * (2 + r.Int63n(7)), Memory: 1024 * (4 + r.Int63n(13)), Cards: r.Int63n(3) * 2}
	mixed := r.Intn(3) == 0
	var total size
	for i := 1 + r.Intn(6); i > 0; i-- {
		if mixed {
			shape = size{CPU: 1000 * (2 + r.Int63n(7)), Memory: 1024 * (4 + r.Int63n(13)), Cards: r.Int63n(3) * 2}
		}
		c.Nodes = append(c.Nodes, shape)
		total = total.plus(shape)
	}
	for i := 1 + r.Intn(maxQueues); i > 0; i-- {
		q := queue{Weight: 1 + r.Int63n(4)}
		if r.Intn(3) == 0 {
			most := size{CPU: total.CPU * (1 + r.Int63n(4)) / 4, Memory: total.Memory}
			if total.Cards > 0 {
				most.Cards = total.Cards
			}
			q.Capability = &most
		}
		q.Closed = i > 1 && r.Intn(12) == 0
		c.Queues = append(c.Queues, q)
	}
	priorities := r.Perm(maxGroups)
	for i := 1 + r.Intn(maxGroups); i > 0; i-- {
		c.Groups = append(c.Groups, makeGroup(r, len(c.Queues), priorities[i-1], total.Cards > 0))
	}
	return c
}

func makeGroup(r *rand.Rand, queues, priority int, cards bool) group {
	largest := int64(2 + 8*r.Intn(2)) // small ones, too, so that more than a few run
	g := group{Queue: r.Intn(queues), Priority: priority}
	tells := r.Intn(2) == 0
	for i := 1 + r.Intn(2); i > 0; i-- {
		s := size{CPU: 250 * (1 + r.Int63n(largest)), Memory: 256 * (1 + r.Int63n(largest))}
		if cards && r.Intn(3) == 0 {
			s.Cards = 1 + r.Int63n(2)
		}
		g.Roles = append(g.Roles, role{Replicas: 1 + r.Intn(5), Size: s})
	}
	g.Min = g.members()
	if r.Intn(3) == 0 {
		g.Min = 1 + r.Intn(g.members())
	}
	if tells {
		least := g.leastResources()
		g.Least = &least
	}
	return g
}
