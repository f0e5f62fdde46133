package main

import "math/rand"

// A cluster that is full, or nearly, and work that came later. Whose pods run is not left to chance: the case says on which nodes.
func makeFullCase(seed int64, about string) testCase {
	r := rand.New(rand.NewSource(seed))
	c := testCase{Seed: seed}
	shape := size{CPU: 1000 * (2 + r.Int63n(5)), Memory: 1024 * (8 + r.Int63n(9))}
	var total size
	for i := 1 + r.Intn(3); i > 0; i-- {
		c.Nodes = append(c.Nodes, shape)
		total = total.plus(shape)
	}
	c.Queues = fullQueues(r, about, total)
	// Where all are of one size, who leaves is a matter of order alone.
	unit := size{CPU: 500 * (1 + r.Int63n(3)), Memory: 512 * (1 + r.Int63n(2))}
	alike := r.Intn(2) == 0
	next := func() size {
		if alike {
			return unit
		}
		return size{CPU: 250 * (1 + r.Int63n(8)), Memory: 256 * (1 + r.Int63n(8))}
	}
	free := append([]size{}, c.Nodes...)
	for i := range 1 + r.Intn(4) {
		g := group{Queue: 0, Priority: i}
		if about != preempt && len(c.Queues) == 3 && r.Intn(3) == 0 {
			g.Queue = 2
		}
		if started := runOn(free, 1+r.Intn(6), next()); started.Replicas > 0 {
			g.Roles, g.Min = []role{started}, 1+r.Intn(started.Replicas)
			c.Groups = append(c.Groups, g)
		}
	}
	waiting := 0
	if about != preempt {
		waiting = 1
	}
	for i := range 1 + r.Intn(3) {
		g := group{Queue: waiting, Priority: 4 + i, Roles: []role{{Replicas: 1 + r.Intn(4), Size: next()}}}
		g.Min = g.members()
		if r.Intn(3) == 0 {
			g.Min = 1 + r.Intn(g.members())
		}
		if r.Intn(4) == 0 {
			least := g.leastResources()
			g.Least = &least
		}
		c.Groups = append(c.Groups, g)
	}
	return c
}

func fullQueues(r *rand.Rand, about string, total size) []queue {
	queues := []queue{{Weight: 1}}
	if about == preempt {
		return queues
	}
	for i := 1 + r.Intn(2); i > 0; i-- {
		queues = append(queues, queue{Weight: 1 + r.Int63n(3)})
	}
	for i := range queues {
		if about == capacity {
			queues[i].Deserved = &size{CPU: total.CPU * (1 + r.Int63n(3)) / 6, Memory: total.Memory * (1 + r.Int63n(3)) / 6}
		}
		if r.Intn(4) == 0 {
			queues[i].Capability = &size{CPU: total.CPU * (2 + r.Int63n(3)) / 4, Memory: total.Memory}
		}
	}
	return queues
}

// runOn fills nodes from the first on with up to so many pods, and takes from what is free there.
func runOn(free []size, wanted int, s size) role {
	started := role{Size: s}
	for n := range free {
		for started.Replicas < wanted && free[n].CPU >= s.CPU && free[n].Memory >= s.Memory {
			free[n] = free[n].plus(s.times(-1))
			started.Nodes = append(started.Nodes, n)
			started.Replicas++
		}
	}
	return started
}
